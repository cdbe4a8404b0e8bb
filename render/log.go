package render

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Log is a page of whole steps: `git context --log --steps N`.
type Log struct {
	Branch string       `json:"branch"`
	Total  int          `json:"total"` // pending steps included
	Skip   int          `json:"skip"`  // number of newer steps that were left out
	Steps  []store.Step `json:"steps"` // oldest first
	At     *store.At    `json:"at"`    // nil: the present

	size int // the requested number of steps
}

// NewLog reads at most steps of a branch's steps after the newest skip. It returns
// fail.ErrNotFound if the branch does not exist. If whole is false, the texts of large documents are only what
// Text shows of them.
func NewLog(ctx context.Context, s *refs.Store, w Where, skip, steps int, whole bool) (Log, error) {
	tip, err := w.tip(ctx, s)
	if err != nil {
		return Log{}, err
	}
	v := Log{Branch: tip.Name(), Skip: skip, At: tip.At(), size: steps}
	v.Steps, v.Total, err = history.CutSteps(ctx, s, tip, skip, steps, cutUnless(whole))
	v.Steps = orEmpty(v.Steps)
	return v, err
}

// Text shows the steps as log.md contains them.
func (v Log) Text(p *Printer) {
	AtComment(p, v.At)
	if v.Total == 0 {
		p.line(plain("no steps on branch '" + v.Branch + "' yet"))
	}
	p.trace(trace(shownSteps(v.Steps)))
	p.pages(page{
		self: "-b " + v.Branch + " --log" + atFlag(v.At), unit: "--steps", size: v.size,
		skip: v.Skip, shown: len(v.Steps), older: v.Skip+len(v.Steps) < v.Total,
	})
}

// StepsText shows steps as log.md contains them.
func StepsText(p *Printer, steps []store.Step) {
	p.trace(trace(shownSteps(steps)))
	p.blank()
}

// Lines is a page of the log by lines: `git context --log`, in which an agent scrolls.
type Lines struct {
	Branch string
	Skip   int
	Lines  []string  // oldest first, without their line ends
	Older  bool      // whether there are lines before these
	At     *store.At // nil: the present

	size int
}

// tagLines is how many lines of a trace name the branch of the steps behind them.
const tagLines = 2

// NewLines reads the last lines of a branch's log after the newest skip. The log consists
// of the steps as log.md contains them, including pending ones. It reads no more steps than
// it needs. The errors are those of NewLog.
func NewLines(ctx context.Context, s *refs.Store, w Where, skip, lines int) (Lines, error) {
	tip, err := w.tip(ctx, s)
	if err != nil {
		return Lines{}, err
	}
	v := Lines{Branch: tip.Name(), Skip: skip, At: tip.At(), size: lines}
	var steps []store.Step // newest first
	read, whole := 0, true
	_, err = history.StepsBackwards(ctx, s, tip, lastLines(skip+lines), func(step store.Step) bool {
		steps = append(steps, step)
		// The tag before the oldest step that is read may be redundant, so that the page must not reach it.
		read += len(trace([]store.Step{step})) - tagLines
		whole = read < skip+lines
		return whole
	})
	if err != nil {
		return Lines{}, err
	}
	slices.Reverse(steps)
	v.cut(trace(steps), whole)
	return v, nil
}

// lastLines cuts a text to what the last n lines of a trace can show of it. Its lines are as long as the view shows
// them.
func lastLines(n int) history.Cut {
	return func(text string) string {
		from := len(text)
		for range n + 1 { // a line end at the end of the text ends none of the trace
			if from = strings.LastIndexByte(text[:from], '\n'); from < 0 {
				break
			}
		}
		lines := strings.Split(text[from+1:], "\n")
		for i, line := range lines {
			short := doc.ShortText(line, shownQuote-100)
			if left := len(line) - len(short); left > 0 {
				lines[i] = fmt.Sprintf("%s [%d more bytes, see --json]", short, left)
			}
		}
		return strings.Clone(strings.Join(lines, "\n")) // Join returns a single line as it is
	}
}

// cut takes the page from the end of the lines that were read.
func (v *Lines) cut(all []string, whole bool) {
	end := max(0, len(all)-v.Skip)
	start := max(0, end-v.size)
	v.Lines, v.Older = all[start:end], start > 0 || !whole
}

// Text shows the lines unchanged.
func (v Lines) Text(p *Printer) {
	AtComment(p, v.At)
	if !v.Older && v.Skip == 0 && len(v.Lines) == 0 {
		p.line(plain("no steps on branch '" + v.Branch + "' yet"))
	}
	p.trace(v.Lines)
	p.pages(page{
		self: "-b " + v.Branch + " --log" + atFlag(v.At), unit: "--lines", size: v.size,
		skip: v.Skip, shown: len(v.Lines), older: v.Older,
	})
}

// shownSteps returns the steps with as much of their texts as a view shows.
func shownSteps(steps []store.Step) []store.Step {
	list := slices.Clone(steps)
	for i := range list {
		for _, text := range []*string{&list[i].Observation, &list[i].Thought, &list[i].Action} {
			*text = shown(*text, shownQuote)
		}
	}
	return list
}

// trace writes lines of log.md, with headings in bold. Texts are quoted there, so that none of their
// lines looks like a heading.
func (p *Printer) trace(lines []string) {
	for _, l := range lines {
		if p.Color && (strings.HasPrefix(l, "### ") || strings.HasPrefix(l, "== ")) {
			p.line(bold(l))
			continue
		}
		p.block("", shown(l, shownQuote))
	}
}

// trace returns the lines of steps as log.md contains them. A pending step has an attribute
// that marks it.
func trace(steps []store.Step) []string {
	if len(steps) == 0 {
		return nil
	}
	list := make([]doc.Step, len(steps))
	for i, s := range steps {
		list[i] = doc.Step{ID: s.ID, Number: s.Step, Time: s.Time, Agent: s.Agent, Session: s.Session,
			Model: s.Model, Tokens: s.Tokens, Source: s.Source, Origin: s.Origin,
			Observation: s.Observation, Thought: s.Thought, Action: s.Action, Attachments: s.Attachments}
		if s.Pending {
			list[i].Extra = "- pending: true\n"
		}
	}
	return strings.Split(strings.TrimSuffix(string(doc.FormatLog(list)), "\n"), "\n")
}
