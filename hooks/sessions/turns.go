package sessions

import (
	"cmp"
	"context"
	"slices"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Bounds of what waits in memory.
const (
	mostSteps = 2000
	mostBytes = 8 << 20
)

// item is new steps of a turn, and the words of the commit that they end with.
type item struct {
	unit    *unit
	turn    agent.Turn
	steps   []store.NewStep
	summary string // "": no commit
	said    string
	codes   []git.ID
}

// lane is what waits for a branch.
type lane struct {
	branch string
	first  *unit
	items  []*item
}

// build reads the sessions again and makes their commits.
func (i *importing) build(ctx context.Context) error {
	meter := i.s.Repo().Meter("Importing sessions", len(i.units))
	defer meter.End()
	for _, u := range i.units {
		if err := i.add(ctx, u); err != nil {
			return err
		}
		meter.Add(1)
	}
	if err := i.flush(ctx, true); err != nil {
		return err
	}
	if err := i.tellHooks(ctx); err != nil {
		return err
	}
	for _, s := range i.sessions {
		if s.steps > 0 {
			i.res.Sessions++
			i.list(s)
		}
	}
	slices.SortFunc(i.res.Found, func(a, b Session) int { return cmp.Or(a.Begin.Compare(b.Begin), cmp.Compare(a.ID, b.ID)) })
	return nil
}

// ended is the end of a transcript that was read.
type ended struct {
	session *session
	at      int64
}

// tellHooks notes what was imported of sessions that hooks know, so that they do not record it again.
func (i *importing) tellHooks(ctx context.Context) error {
	if i.o.DryRun || !i.o.Since.IsZero() {
		return nil
	}
	for f, end := range i.ends {
		if end.session.left {
			continue
		}
		if err := capture.Imported(ctx, i.s, i.turnOf(f, end.session.key.session), end.at); err != nil {
			return err
		}
	}
	return nil
}

func (i *importing) list(s *session) {
	if !i.o.DryRun {
		return
	}
	last := slices.MaxFunc(s.turns, func(a, b span) int { return a.end.Compare(b.end) })
	i.res.Found = append(i.res.Found, Session{Client: s.client, ID: s.key.session, Prompt: s.first,
		Begin: s.turns[0].begin, End: last.end, Branch: s.branch, Steps: s.steps, Commits: s.commits})
}

// add reads the turns of a run, and moves the branches if much waits.
func (i *importing) add(ctx context.Context, u *unit) error {
	if u.left {
		return nil
	}
	past := i.rules.Past(u.client)
	turns, err := i.turnsOf(ctx, u, past)
	if err != nil {
		return err
	}
	end := len(turns) - 1 // of the session's own thread
	for end > 0 && turns[end].sub {
		end--
	}
	for n, t := range turns {
		it, err := i.item(ctx, u, past, t, n == end)
		if err != nil {
			return err
		}
		if it == nil {
			continue
		}
		l := i.waits[u.branch]
		if l == nil {
			l = &lane{branch: u.branch, first: u}
			i.waits[u.branch] = l
		}
		l.items = append(l.items, it)
		if i.steps += len(it.steps); i.steps >= mostSteps || i.size >= mostBytes {
			if err := i.flush(ctx, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnsOf reads the turns of a run, those of subagents among them, and where and how the session ran.
func (i *importing) turnsOf(ctx context.Context, u *unit, past *capture.Past) (all []turn, err error) {
	for _, f := range u.files {
		c, err := i.read(ctx, f, i.rules.Clean)
		if err != nil {
			return nil, &FileError{File: f, Err: err}
		}
		if !c.sub {
			ran, err := capture.Ran(i.s, c.report.Dir, c.report.Settings)
			if err != nil {
				return nil, err
			}
			past.Ran(ran)
		}
		if !c.goes && !c.sub && f.Path != "" {
			i.ends[f] = ended{u.session, c.report.End}
		}
		for n, t := range c.turns {
			if !i.leaves(c, n) && !t.Begin.Before(u.begin) && !t.Begin.After(u.end) {
				all = append(all, t)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b turn) int { return a.End.Compare(b.End) })
	return all, nil
}

// item makes what is new of a turn; nil if nothing is. A subagent's turn ends with no commit.
func (i *importing) item(ctx context.Context, u *unit, past *capture.Past, t turn, last bool) (*item, error) {
	it := &item{unit: u, turn: t.Turn}
	for _, step := range t.steps {
		step, ok := past.Step(step)
		if !ok {
			continue
		}
		hash := store.SourceHash(step.Source)
		if i.known[hash] {
			continue
		}
		i.known[hash] = true
		step.Agent = cmp.Or(i.o.Writer.Agent, u.client)
		step.Session, step.Model = cmp.Or(i.o.Writer.Session, step.Session), cmp.Or(i.o.Writer.Model, step.Model)
		if _, err := i.s.CheckStep(ctx, &step); err != nil {
			return nil, err
		}
		i.size += len(step.Observation) + len(step.Thought) + len(step.Action)
		it.steps = append(it.steps, step)
	}
	if len(it.steps) == 0 {
		return nil, nil
	}
	u.steps += len(it.steps)
	i.res.Steps += len(it.steps)
	if t.sub {
		return it, nil
	}
	var err error
	if it.codes, err = i.codes.of(ctx, t.Turn); err != nil {
		return nil, err
	}
	it.summary, it.said = past.Add(capture.PastTurn{Turn: t.Turn, Steps: t.steps, Code: len(it.codes) > 0, Ends: last})
	if it.summary == "" {
		return it, nil
	}
	u.commits++
	i.res.Commits++
	i.res.Links += len(it.codes)
	progress := ""
	_, err = i.s.CheckEntry(ctx, &it.summary, &it.said, &progress)
	return it, err
}
