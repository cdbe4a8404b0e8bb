package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/store"
)

// quiet is how long after its newest record a session counts as ended. The clients end a
// command that runs for ten minutes; a prompt that comes later closes all steps before it.
const quiet = time.Hour

// content is what a transcript contains.
type content struct {
	id     string // of the session
	whole  string // of the session, or of a subagent in it
	sub    bool   // it is of a subagent
	turns  []turn
	report *agent.Report
	goes   bool // its last turn may go on
	open   int  // steps that are not finished for that
}

// turn is a turn with its steps.
type turn struct {
	agent.Turn
	steps []agent.Step
	gone  int // steps that were expunged
	sub   bool
}

// read reads a transcript, in which clean replaces the secrets.
func (i *importing) read(ctx context.Context, f *File, clean func(text string) string) (*content, error) {
	in, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // nothing was written
	var steps []agent.Step
	start := agent.Start{Session: f.Session, Ignore: i.rules.Ignore(), Clean: clean}
	report, err := f.Decode(&reader{ctx: ctx, in: in}, start, func(s agent.Step) error {
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	report.Dir = cmp.Or(report.Dir, f.Dir)
	c := &content{report: report}
	ended := i.o.Now.Sub(report.Last) > quiet
	if ended {
		steps = append(steps, report.Open...)
	} else {
		c.open = len(report.Open)
	}
	c.split(steps, earlier(f.Time, i.o.Now))
	c.name(f)
	i.forget(f, c)
	n := len(c.turns)
	c.goes = !ended && n > 0 && (c.open > 0 || !c.turns[n-1].Done)
	return c, nil
}

// forget takes from the turns what was expunged: they do not tell of it either, in the words of a commit.
func (i *importing) forget(f *File, c *content) {
	if len(i.gone) == 0 {
		return
	}
	gone := func(s agent.Step) bool { return i.gone[store.SourceHash(agent.Source(f.Client, s))] }
	for n := range c.turns {
		t := &c.turns[n]
		if slices.ContainsFunc(t.steps, gone) {
			had := len(t.steps)
			t.steps = slices.DeleteFunc(t.steps, gone)
			t.gone = had - len(t.steps)
			t.Prompt, t.Terms, t.Final, t.Edits = "", "", "", nil
		}
	}
}

// earlier is a file's time, or now if a clock was wrong.
func earlier(at, now time.Time) time.Time {
	if at.After(now) {
		return now
	}
	return at
}

// split gives each turn its steps. Where nothing has a time, the file has one.
func (c *content) split(steps []agent.Step, at time.Time) {
	for n := range steps {
		if steps[n].Time.IsZero() {
			steps[n].Time = at
		}
	}
	for _, t := range c.report.Turns {
		n := min(t.Steps, len(steps))
		t := turn{Turn: t, steps: steps[:n:n], sub: t.Task}
		steps = steps[n:]
		if t.Begin.IsZero() {
			t.Begin, t.End = at, at
		}
		c.turns = append(c.turns, t)
	}
}

// name finds the name of the session: the file's, or that of the newest steps, because a fork begins with
// steps of its origin.
func (c *content) name(f *File) {
	id := f.Session
	for _, t := range c.turns {
		if n := len(t.steps); f.Session == "" && n > 0 && t.steps[n-1].Session != "" {
			id = t.steps[n-1].Session
		}
	}
	c.whole = cmp.Or(id, f.Name)
	id, _, c.sub = strings.Cut(id, "/")
	c.id = cmp.Or(id, f.Name)
	for n := range c.turns {
		c.turns[n].sub = c.turns[n].sub || c.sub
	}
}
