package sessions

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// flush makes the commits of what waits, and moves the branches at once. Steps after the last commit of
// a branch wait on. At the end, those of the current branch become pending steps, as they are after a
// turn that is worth no commit; those of another branch a commit without an entry.
func (i *importing) flush(ctx context.Context, end bool) error {
	i.size, i.steps = 0, 0
	release, err := i.hold()
	if err != nil {
		return err
	}
	defer release()
	var lanes []*lane
	var rest []store.NewStep
	for _, name := range slices.Sorted(maps.Keys(i.waits)) {
		l := i.waits[name]
		whole := len(l.items)
		for whole > 0 && l.items[whole-1].summary == "" && (!end || name == i.current) {
			whole--
		}
		if end && name == i.current {
			for _, it := range l.items[whole:] {
				rest = append(rest, it.steps...)
			}
		}
		if whole > 0 {
			lanes = append(lanes, &lane{branch: name, first: l.first, items: l.items[:whole]})
			l.items = l.items[whole:]
			i.gained[name] = true
		}
	}
	if len(rest) > 0 {
		i.gained[i.current] = true
	}
	if i.o.DryRun {
		return nil
	}
	if err := i.commit(ctx, lanes); err != nil || len(rest) == 0 {
		return err
	}
	_, err = i.s.Record(ctx, rest)
	return err
}

// hold keeps hooks from recording the sessions that wait, until its result is called, and drops those of
// which a hook was called since memory was read: their steps may be there by now.
func (i *importing) hold() (release func(), err error) {
	held := map[*session]bool{}
	var locks []func()
	release = func() {
		for _, unlock := range locks {
			unlock()
		}
	}
	for _, l := range i.waits {
		for _, it := range l.items {
			s := it.unit.session
			if held[s] || s.left || i.o.Traces || i.o.DryRun {
				continue
			}
			held[s] = true
			for _, id := range s.ids {
				unlock, err := i.marks.Hold(i.s, capture.Turn{Client: s.client, Session: id})
				if err != nil {
					release()
					return nil, err
				}
				if unlock == nil {
					s.left = true
					i.going++
					break
				}
				locks = append(locks, unlock)
			}
		}
		l.items = slices.DeleteFunc(l.items, i.leave)
	}
	return release, nil
}

// leave reports whether what waits is of a session that is left to the hooks, and no longer counts it.
func (i *importing) leave(it *item) bool {
	if !it.unit.left {
		return false
	}
	it.unit.steps -= len(it.steps)
	i.res.Steps -= len(it.steps)
	if it.summary != "" {
		it.unit.commits--
		i.res.Commits--
		i.res.Links -= len(it.codes)
	}
	return true
}

// commit makes the commits of some branches in one transaction.
func (i *importing) commit(ctx context.Context, lanes []*lane) error {
	if len(lanes) == 0 {
		return nil
	}
	names := []string{i.current}
	for _, l := range lanes {
		names = append(names, l.branch)
	}
	tx, err := i.s.Begin(ctx, i.o.Writer, "import: sessions", names...)
	if err != nil {
		return err
	}
	defer tx.Close()
	var w *writing
	err = tx.Swap(ctx, func(ctx context.Context) error {
		w = &writing{tx: tx, current: i.current, links: map[git.ID][]*git.Commit{}}
		return w.build(ctx, lanes)
	})
	if err != nil {
		return err
	}
	for _, k := range w.chains {
		i.res.Warnings = append(i.res.Warnings, tx.LateWarnings(k.Settle(ctx))...)
	}
	if len(w.links) == 0 {
		return nil
	}
	return code.UpdateNotes(ctx, tx, "context: link the commits of sessions", func(u *notes.Update) error {
		for id, made := range w.links {
			for _, m := range made {
				if _, err := code.AddLink(ctx, tx, u, id, m); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writing is one attempt to make the commits of some branches.
type writing struct {
	tx      *store.Transaction
	current string
	goal    string
	after   string // the newest id
	chains  []*store.Chain
	links   map[git.ID][]*git.Commit // by code; without those that a commit itself names
}

func (w *writing) build(ctx context.Context, lanes []*lane) error {
	_, roadmap, err := w.tx.Store.ReadRoadmap(ctx)
	if err != nil {
		return err
	}
	w.goal = doc.ParseRoadmap(roadmap).Goal()
	// The current branch comes first: the others may begin at it.
	slices.SortStableFunc(lanes, func(a, b *lane) int {
		if (a.branch == w.current) != (b.branch == w.current) && a.branch == w.current {
			return -1
		}
		if (a.branch == w.current) != (b.branch == w.current) {
			return 1
		}
		return 0
	})
	for _, l := range lanes {
		if err := w.lane(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// lane makes the commits of a branch.
func (w *writing) lane(ctx context.Context, l *lane) error {
	k, err := w.chain(ctx, l)
	if err != nil {
		return err
	}
	last, err := w.numbers(ctx, k)
	if err != nil {
		return err
	}
	meta, err := k.Tip.Metadata(ctx)
	if err != nil {
		return err
	}
	purpose := meta.Branch().Purpose
	var steps []store.NewStep // for the next commit; those of subagents come among the others
	for n, it := range l.items {
		if steps = append(steps, it.steps...); it.summary == "" && n < len(l.items)-1 {
			continue
		}
		slices.SortStableFunc(steps, func(a, b store.NewStep) int { return a.Time.Compare(b.Time) })
		covers := doc.Steps{First: min(last+1, doc.MaxNumber), Last: min(last+len(steps), doc.MaxNumber), Count: len(steps)}
		for _, step := range steps {
			last++
			if w.after, err = w.tx.Store.NewID(w.after); err != nil {
				return err
			}
			k.Wait(doc.Step{ID: w.after, Number: last, Time: step.Time, Agent: step.Agent, Session: step.Session, Model: step.Model,
				Tokens: step.Tokens, Source: step.Source, Origin: l.branch, Observation: step.Observation, Thought: step.Thought, Action: step.Action})
		}
		steps = nil
		if it.summary != "" {
			if err := w.enter(ctx, k, it, covers, purpose); err != nil {
				return err
			}
		}
	}
	if n := k.Waiting(); n > 0 {
		c, err := k.Next(ctx, "Import "+prose.Count(n, "step"))
		if err != nil {
			return err
		}
		if _, err := k.Put(ctx, c); err != nil {
			return err
		}
	}
	if err := k.Reserve(ctx); err != nil {
		return err
	}
	w.chains = append(w.chains, k)
	k.Queue()
	return nil
}

// enter makes the commit of a turn. The last of its code commits is what the memory commit was made on;
// notes link the others.
func (w *writing) enter(ctx context.Context, k *store.Chain, it *item, covers doc.Steps, purpose string) (err error) {
	if w.after, err = w.tx.Store.NewID(w.after); err != nil {
		return err
	}
	last := it.steps[len(it.steps)-1]
	m := doc.Commit{ID: w.after, Time: it.turn.End, Agent: last.Agent, Session: last.Session, Model: last.Model, Origin: k.Branch,
		Steps: covers, Goal: w.goal, Purpose: purpose, Summary: it.summary, Contribution: it.said}
	live, _, err := k.Tip.LiveCommits(ctx)
	if err != nil {
		return err
	}
	limit, err := w.tx.Store.SummaryLimit(ctx)
	if err != nil {
		return err
	}
	m.Progress = doc.NextProgressOf(live, limit)
	on := git.ID("")
	if n := len(it.codes); n > 0 {
		on = it.codes[n-1]
	}
	made, err := k.Enter(ctx, m, on)
	if err != nil {
		return err
	}
	for _, id := range it.codes {
		if id != on {
			w.links[id] = append(w.links[id], made)
		}
	}
	return nil
}

// chain begins the chain of a branch, which it makes if it does not exist.
func (w *writing) chain(ctx context.Context, l *lane) (*store.Chain, error) {
	tip, err := w.tx.Store.Tip(ctx, l.branch)
	if err == nil {
		return w.tx.Chain(l.branch, tip), nil
	}
	if !errors.Is(err, fail.ErrNotFound) {
		return nil, err
	}
	if err := w.tx.Store.CheckNewName(ctx, l.branch); err != nil {
		return nil, err
	}
	if err := w.tx.Store.DropLeftovers(ctx, l.branch); err != nil {
		return nil, err
	}
	from, err := w.tx.Store.Tip(ctx, w.current)
	if err != nil {
		return nil, err
	}
	if len(w.chains) > 0 && w.chains[0].Branch == w.current {
		from = w.chains[0].Tip
	}
	roadmap, err := w.tx.Store.RoadmapTip(ctx)
	if err != nil {
		return nil, err
	}
	purpose := l.first.purpose()
	if l.branch != l.first.name() {
		purpose = "Sessions before the newest commit of " + w.current
	}
	c, err := w.tx.NewBirth(ctx, store.Birth{Name: l.branch, Purpose: purpose, From: from, Roadmap: roadmap, Goal: w.goal, At: l.first.begin})
	if err != nil {
		return nil, err
	}
	k := w.tx.Chain(l.branch, nil)
	_, err = k.Put(ctx, c)
	return k, err
}

// numbers returns the number of the newest step of a branch, and moves the newest id behind its entries.
func (w *writing) numbers(ctx context.Context, k *store.Chain) (int, error) {
	newest, err := k.Tip.NewestEntry(ctx)
	if err != nil {
		return 0, err
	}
	w.after = max(w.after, newest)
	meta, err := k.Tip.Metadata(ctx)
	if err != nil {
		return 0, err
	}
	last, err := k.Tip.LastNumber(ctx, meta.Totals().Origins[k.Branch].Steps)
	if err != nil {
		return 0, err
	}
	p, err := w.tx.Store.Pending(ctx, k.Tip)
	if err != nil {
		return 0, err
	}
	waiting, err := w.tx.Store.WaitingSteps(ctx, k.Branch, p)
	for _, step := range waiting {
		last, w.after = max(last, step.Number), max(w.after, step.ID)
	}
	return last, err
}
