package web

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/git-context/git-context/render/page"
)

// What a page shows at once.
const (
	pageRows     = 200  // of the graph
	pageSteps    = 100  // of a trace
	filtered     = 5000 // steps that a filter is asked of, for a page
	pageBranches = 200
	homeBranches = 30
	homeWorking  = 8
	pageHits     = 50
)

// number returns a parameter that is a number from 0 on; otherwise where it is none.
func (q *request) number(name string, otherwise int) int {
	n, err := strconv.Atoi(q.FormValue(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

func home(ctx context.Context, q *request) (string, any, error) {
	v := page.Home{Frame: q.f}
	v.Title = "Memory"
	if err := q.now(ctx, &v); err != nil {
		return "", nil, err
	}
	d, err := q.v.drawings.read(ctx, q.s, q.f.Current)
	if err != nil {
		return "", nil, err
	}
	v.Graph = page.NewGraph(v.Frame, d.layout, q.number("from", 0), pageRows)
	return page.HomePage, v, nil
}

// now reads what holds now, what was tried and who works.
func (q *request) now(ctx context.Context, v *page.Home) (err error) {
	ask := render.SnapshotOptions{Newest: 1, Branches: 1, Budget: store.DefaultBudget}
	if v.Memory, err = render.NewSnapshot(ctx, q.s, render.Where{}, ask); err != nil {
		return err
	}
	counted := 0
	list, err := q.s.Branches(ctx, store.BranchQuery{Remotes: true, Pending: func(store.Branch) bool {
		counted++
		return counted <= pageBranches
	}})
	if err != nil {
		return err
	}
	v.Total = len(list)
	seen := map[string]bool{v.Memory.Branch: true}
	for _, b := range list {
		name := strings.TrimPrefix(b.Name, b.Remote+"/")
		switch {
		case seen[name]: // a remote has a copy of a branch
		case len(v.Tried) == homeBranches:
			v.More = true
		default:
			seen[name] = true
			v.Tried = append(v.Tried, b)
		}
		if b.Pending > 0 && len(v.Working) < homeWorking {
			if err := q.working(ctx, v, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// working adds a branch with pending steps, unless they are committed or it is deleted meanwhile.
func (q *request) working(ctx context.Context, v *page.Home, b store.Branch) error {
	tip, err := q.s.Tip(ctx, b.Name)
	if errors.Is(err, fail.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	last, err := history.NewestPending(ctx, q.s, tip, 1)
	if err == nil && len(last) > 0 {
		v.Working = append(v.Working, page.Working{Branch: b.Name, Steps: b.Pending, Last: last[0]})
	}
	return err
}

func brief(ctx context.Context, q *request) (string, any, error) {
	v, err := q.brief(ctx, q.number("budget", cmd.DefaultBudget))
	return page.BriefPage, v, err
}

// brief reads what 'git context' prints for a budget.
func (q *request) brief(ctx context.Context, budget int) (v page.Brief, err error) {
	v = page.Brief{Frame: q.f}
	v.Title = "Brief"
	ask, err := cmd.BriefOptions(ctx, q.s, budget)
	if err != nil {
		return v, err
	}
	snapshot, err := render.NewSnapshot(ctx, q.s, render.Where{}, ask)
	if err != nil {
		return v, err
	}
	v.Tokens = ask.Budget
	snapshot.Budget = &render.Budget{Tokens: ask.Budget}
	snapshot.Measure(q.v.Now(), self)
	v.Bytes, v.Cuts = snapshot.Budget.Bytes, snapshot.Budget.Cut
	var b bytes.Buffer
	snapshot.Text(&render.Printer{W: &b, Now: q.v.Now(), Self: self})
	v.Text = b.String()
	return v, nil
}

// self is the command in the commands that a view names.
const self = "git context"

func trace(ctx context.Context, q *request) (string, any, error) {
	v := page.Trace{Frame: q.f, Skip: q.number("skip", 0),
		Filter: page.TraceFilter{Agent: q.FormValue("agent"), Session: q.FormValue("session"), Tool: q.FormValue("tool")}}
	v.Title = "Trace"
	tip, names, err := q.branch(ctx)
	if err != nil {
		return "", nil, err
	}
	v.Branches = names
	if id := q.FormValue("step"); id != "" {
		if v.Skip, err = q.position(ctx, tip, id); err != nil {
			return "", nil, err
		}
	}
	most := pageSteps
	if !v.Filter.Empty() {
		most = filtered
	}
	steps, total, err := history.Steps(ctx, q.s, tip, v.Skip, most)
	if err != nil {
		return "", nil, err
	}
	v.Total = total
	q.choose(&v, steps)
	return page.TracePage, v, nil
}

// choose fills in the steps of a page and what its form offers. steps are the newest ones after Skip, oldest
// first.
func (q *request) choose(v *page.Trace, steps []store.Step) {
	examined := 0
	for _, step := range slices.Backward(steps) {
		if len(v.Steps) == pageSteps {
			break
		}
		if examined++; v.Filter.Matches(step) {
			v.Steps = append(v.Steps, step)
		}
	}
	if v.Skip+examined < v.Total && examined > 0 {
		v.Next = v.Skip + examined
	}
	v.Limited = v.Next > 0 && len(v.Steps) < pageSteps
	for _, step := range steps {
		v.Agents = offer(v.Agents, step.Agent)
		v.Sessions = offer(v.Sessions, step.Session)
		v.Tools = offer(v.Tools, page.Tool(step))
	}
	v.Agents = offer(v.Agents, v.Filter.Agent)
	v.Sessions = offer(v.Sessions, v.Filter.Session)
	v.Tools = offer(v.Tools, v.Filter.Tool)
	slices.Sort(v.Agents)
	slices.Sort(v.Tools)
}

// mostOffers is how many values a list of a form has.
const mostOffers = 100

func offer(list []string, value string) []string {
	if value == "" || len(list) >= mostOffers || slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// position returns how many steps are newer than the page that shows a step.
func (q *request) position(ctx context.Context, tip *store.Tip, id string) (int, error) {
	for most := filtered; ; most *= 4 {
		steps, total, err := history.Steps(ctx, q.s, tip, 0, most)
		if err != nil {
			return 0, err
		}
		if at := slices.IndexFunc(steps, func(s store.Step) bool { return s.ID == id }); at >= 0 {
			newer := len(steps) - 1 - at
			return newer - newer%pageSteps, nil
		}
		if len(steps) >= total || len(steps) < most {
			return 0, fail.New(fail.ErrNotFound, fail.NotFound, "there is no step '"+id+"' on branch '"+tip.Name()+"'")
		}
	}
}

func topics(ctx context.Context, q *request) (string, any, error) {
	v := page.Topics{Frame: q.f}
	v.Title = "Topics"
	tip, names, err := q.branch(ctx)
	if err != nil {
		return "", nil, err
	}
	v.Branches = names
	v.List, err = code.Topics(ctx, q.s, tip, false)
	return page.TopicsPage, v, err
}

func topic(ctx context.Context, q *request) (string, any, error) {
	v := page.TopicView{Frame: q.f}
	v.Title, v.Here = q.FormValue("key"), "/topics"
	tip, err := q.s.Tip(ctx, "")
	if err != nil {
		return "", nil, err
	}
	if v.Topic, err = code.Topic(ctx, q.s, tip, q.FormValue("key")); err != nil {
		return "", nil, err
	}
	blame, err := history.Blame(ctx, q.s, v.Topic.Key, "")
	v.Lines, v.Said = blame.Lines, blame.Warnings
	return page.TopicPage, v, err
}

func branches(ctx context.Context, q *request) (string, any, error) {
	v := page.Branches{Frame: q.f}
	v.Title = "Branches"
	shown := 0
	list, err := q.s.Branches(ctx, store.BranchQuery{Remotes: true, Pending: func(store.Branch) bool {
		shown++
		return shown <= pageBranches
	}})
	if err != nil {
		return "", nil, err
	}
	for _, b := range list {
		if b.Remote != "" {
			v.Remotes = append(v.Remotes, b)
		} else {
			v.Local = append(v.Local, b)
		}
	}
	v.More = max(len(v.Local)-pageBranches, 0) + max(len(v.Remotes)-pageBranches, 0)
	v.Local, v.Remotes = v.Local[:min(len(v.Local), pageBranches)], v.Remotes[:min(len(v.Remotes), pageBranches)]
	heads, err := q.s.Repo().Worktrees(ctx)
	if err != nil {
		return "", nil, err
	}
	for _, h := range heads {
		v.Worktrees = append(v.Worktrees, page.NewWorktree(h))
	}
	return page.BranchesPage, v, nil
}

func find(ctx context.Context, q *request) (string, any, error) {
	v := page.Search{Frame: q.f, Query: q.FormValue("q")}
	v.Title = "Search"
	if v.Query == "" {
		return page.SearchPage, v, nil
	}
	begin := time.Now()
	res, err := search.Search(ctx, q.s, search.Options{Query: v.Query, All: true, Limit: pageHits})
	switch {
	case errors.Is(err, fail.ErrInvalid): // of the query: while one types, it may not be whole
		v.Error = err.Error()
	case err != nil:
		return "", nil, err
	}
	v.Hits, v.Took = res.Hits, time.Since(begin).Round(time.Millisecond).String()
	return page.SearchPage, v, nil
}

func conflicts(ctx context.Context, q *request) (string, any, error) {
	v := page.Conflicts{Frame: q.f}
	v.Title = "Conflicts"
	status, err := merge.Waiting(ctx, q.s, q.f.Branch)
	if errors.Is(err, fail.ErrNotFound) {
		return page.ConflictsPage, v, nil
	}
	v.Source, v.List = status.Source, status.Conflicts
	return page.ConflictsPage, v, err
}
