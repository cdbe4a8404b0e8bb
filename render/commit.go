package render

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Commit is one milestone in full, `git context --commit C`, with what was said of it
// until the moment of the view, and whether the code that it names has changed since. Of
// a moment of the past that is not known.
type Commit struct {
	store.Commit
	At *store.At `json:"at"` // nil: now
}

// NewCommit reads the milestone that rev names. Where w is a moment of the past, it
// must have been part of the branch then: fail.ErrNotFound.
func NewCommit(ctx context.Context, s *refs.Store, w Where, rev string) (v Commit, err error) {
	if w.At == "" {
		if v.Commit, err = s.Milestone(ctx, rev); err != nil {
			return v, err
		}
		one := []store.Commit{v.Commit}
		err = code.MarkStale(ctx, s, one)
		v.Commit = one[0]
		return v, err
	}
	tip, err := w.tip(ctx, s)
	if err != nil {
		return v, err
	}
	v.At = tip.At()
	v.Commit, err = history.MilestoneAt(ctx, s, tip, rev)
	return v, err
}

// Text shows the milestone in full.
func (v Commit) Text(p *Printer) {
	p.summary("# ", v.Commit)
	p.facts(v.Commit)
	p.texts(v.Commit, shown{})
	p.past(v.At)
}

// shown is what a view has said already; "" is nothing.
type shown struct{ goal, purpose, progress string }

// commit shows a milestone under a heading. A block that says what the view has said
// already is only named.
func (p *Printer) commit(level string, c store.Commit, above shown) {
	p.summary(level, c)
	p.facts(c)
	p.texts(c, above)
}

func (p *Printer) summary(level string, c store.Commit) {
	title := flat(c.Summary)
	if title == "" {
		title = "(no summary)"
	}
	p.line(bold(level + title))
	p.blank()
}

// texts shows the blocks of a milestone, and what reviewers said.
func (p *Printer) texts(c store.Commit, above shown) {
	p.purpose(c, above)
	p.said("Previous Progress Summary", c.Progress, above.progress)
	p.said("This Commit's Contribution", c.Contribution, "")
	p.reviews(c)
}

// StaleLine says which paths changed, and since which code commit; "" where none is
// known to have.
func StaleLine(s store.Staleness) string {
	if len(s.Changed) == 0 || s.Base == nil {
		return ""
	}
	return strings.Join(s.Changed, ", ") + " changed since " + s.Base.Short()
}

// facts lists what is known about a milestone but its texts.
func (p *Printer) facts(c store.Commit) {
	p.attribute("id", plain(c.ID))
	if c.Hash != nil {
		p.attribute("commit", yellow(string(*c.Hash)))
	}
	p.attribute("branch", plain(c.Branch))
	p.attribute("time", plain(p.when(c.Time)))
	p.attribute("agent", plain(c.Agent))
	p.attribute("kind", plain(c.Kind))
	if c.Steps.Count > 0 {
		p.attribute("steps", plain(fmt.Sprintf("%d-%d (%d)", c.Steps.First, c.Steps.Last, c.Steps.Count)))
	}
	if c.Code != nil {
		p.attribute("code", yellow(string(*c.Code)))
	}
	p.judgement(c)
	p.attribute("stale", plain(StaleLine(c.Staleness)))
}

// purpose shows the goal and the branch's purpose as commit.md has them: two
// quotes, or one where there is no goal.
func (p *Printer) purpose(c store.Commit, above shown) {
	switch {
	case c.Goal == "" || above.purpose != "" && c.Purpose == above.purpose:
		p.said("Branch Purpose", c.Purpose, above.purpose)
		return
	case c.Purpose == "":
		p.said("Branch Purpose", c.Goal, above.goal)
		return
	}
	p.label("Branch Purpose")
	p.quote(c.Goal)
	p.blank()
	p.quote(c.Purpose)
}

// said shows a block, unless it is empty or the view has its text already.
func (p *Printer) said(label, text, known string) {
	switch text {
	case "":
	case known:
		p.blank()
		p.line(bold("**"+label+"**"), dim(" (as above)"))
	default:
		p.label(label)
		p.quote(text)
	}
}

func (p *Printer) label(label string) {
	p.blank()
	p.line(bold("**" + label + "**"))
	p.blank()
}

func score(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// tags is a milestone's tags, "key=value" by key.
func tags(m map[string]string) []string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, key+"="+m[key])
	}
	return list
}
