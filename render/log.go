package render

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// Log is a page of whole steps: `git context --log --steps N`.
type Log struct {
	Branch string       `json:"branch"`
	Total  int          `json:"total"` // pending ones included
	Skip   int          `json:"skip"`  // how many newer ones were left out
	Steps  []store.Step `json:"steps"` // oldest first
	At     *store.At    `json:"at"`    // nil: now

	size int // how many were asked for
}

// NewLog reads a branch's newest steps, of which the newest skip are left out.
func NewLog(ctx context.Context, s *refs.Store, w Where, skip, steps int) (Log, error) {
	tip, err := w.tip(ctx, s)
	if err != nil {
		return Log{}, err
	}
	v := Log{Branch: tip.Name(), Skip: skip, At: tip.At(), size: steps}
	v.Steps, v.Total, err = s.Steps(ctx, tip, skip, steps)
	v.Steps = some(v.Steps)
	return v, err
}

// Text shows the steps as log.md has them.
func (v Log) Text(p *Printer) {
	AtComment(p, v.At)
	if v.Total == 0 {
		p.line(plain("no steps on branch '" + v.Branch + "' yet"))
	}
	for _, l := range trace(v.Steps) {
		p.block("", l)
	}
	p.pages(page{
		self: "-b " + v.Branch + " --log" + atFlag(v.At), unit: "--steps", size: v.size,
		skip: v.Skip, shown: len(v.Steps), older: v.Skip+len(v.Steps) < v.Total,
	})
}

// Lines is a page of the trace by lines: `git context --log`, what an agent scrolls
// up and down in.
type Lines struct {
	Branch string
	Skip   int
	Lines  []string  // oldest first, without their line ends
	Older  bool      // whether there are lines before them
	At     *store.At // nil: now

	size int
}

// shortestStep is the lines of a step with one text of one line.
const shortestStep = 6

// NewLines reads the last lines of a branch's trace, of which the newest skip are
// left out. The trace is the steps as log.md has them, pending ones
// included. It reads no more steps than may be needed.
func NewLines(ctx context.Context, s *refs.Store, w Where, skip, lines int) (Lines, error) {
	tip, err := w.tip(ctx, s)
	if err != nil {
		return Lines{}, err
	}
	v := Lines{Branch: tip.Name(), Skip: skip, At: tip.At(), size: lines}
	for n := (skip+lines)/shortestStep + 2; ; n *= 2 {
		steps, _, err := s.Steps(ctx, tip, 0, n)
		if err != nil {
			return Lines{}, err
		}
		all, whole := trace(steps), len(steps) < n
		if !whole {
			// Whether a branch line stands before the oldest step that was
			// read is not known: it serves the next one, and is left out.
			all = all[len(trace(steps[:1])):]
		}
		if whole || len(all) >= skip+lines {
			v.cut(all, whole)
			return v, nil
		}
	}
}

// cut takes the page from the end of what was read.
func (v *Lines) cut(all []string, whole bool) {
	end := max(0, len(all)-v.Skip)
	start := max(0, end-v.size)
	v.Lines, v.Older = all[start:end], start > 0 || !whole
}

// Text shows the lines as they are.
func (v Lines) Text(p *Printer) {
	AtComment(p, v.At)
	if !v.Older && v.Skip == 0 && len(v.Lines) == 0 {
		p.line(plain("no steps on branch '" + v.Branch + "' yet"))
	}
	for _, l := range v.Lines {
		p.block("", l)
	}
	p.pages(page{
		self: "-b " + v.Branch + " --log" + atFlag(v.At), unit: "--lines", size: v.size,
		skip: v.Skip, shown: len(v.Lines), older: v.Older,
	})
}

// trace is the lines of steps as log.md has them, a pending one marked by an
// attribute of its own.
func trace(steps []store.Step) []string {
	if len(steps) == 0 {
		return nil
	}
	list := make([]doc.Step, len(steps))
	for i, s := range steps {
		list[i] = doc.Step{ID: s.ID, Number: s.Step, Time: s.Time, Agent: s.Agent, Session: s.Session,
			Model: s.Model, Tokens: s.Tokens, Source: s.Source, Origin: s.Origin,
			Observation: s.Observation, Thought: s.Thought, Action: s.Action}
		if s.Pending {
			list[i].Extra = "- pending: true\n"
		}
	}
	return strings.Split(strings.TrimSuffix(string(doc.FormatLog(list)), "\n"), "\n")
}
