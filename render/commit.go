package render

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Commit is one memory commit in full, `git context --commit C`, with its notes up to the
// moment of the view, and whether the code that it names has changed since. In a view of
// the past, the latter is unknown.
type Commit struct {
	store.Commit
	At *store.At `json:"at"` // nil: the present
}

// NewCommit reads the memory commit that rev names. It returns fail.ErrNotFound if there is
// none, or if w is a moment of the past at which the branch did not contain it.
func NewCommit(ctx context.Context, s *refs.Store, w Where, rev string) (v Commit, err error) {
	if w.At == "" {
		if v.Commit, err = history.Find(ctx, s, rev); err != nil {
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
	v.Commit, err = history.CommitAt(ctx, s, tip, rev)
	return v, err
}

// Text shows the commit in full.
func (v Commit) Text(p *Printer) {
	p.summary(v.Commit)
	p.facts(v.Commit)
	p.texts(v.Commit)
	p.writePast(v.At)
}

// summary shows a summary as the quote that it is: as a heading it would speak for the view.
func (p *Printer) summary(c store.Commit) {
	title := plain(c.ID)
	if c.Hash != nil {
		title = hash(*c.Hash)
	}
	p.line(bold("# Commit "), title)
	p.blank()
	p.quote(cmp.Or(prose.Fold(c.Summary), "(no summary)"))
	p.blank()
}

// texts shows the quotes of a commit and its reviews.
func (p *Printer) texts(c store.Commit) {
	p.purpose(c)
	p.labelled("Previous Progress Summary", c.Progress)
	p.labelled("This Commit's Contribution", c.Contribution)
	p.reviews(c)
}

// StaleLine names the paths that changed, and the code commit since which they did; "" if
// none are known.
func StaleLine(s store.Staleness) string {
	if len(s.Changed) == 0 || s.Base == nil {
		return ""
	}
	return strings.Join(s.Changed, ", ") + " changed since " + s.Base.Short()
}

// facts lists everything about a commit except its texts.
func (p *Printer) facts(c store.Commit) {
	p.attribute("id", plain(c.ID))
	if c.Hash != nil {
		p.attribute("commit", yellow(string(*c.Hash)))
	} else {
		p.attribute("commit", plain(store.BeyondEdge))
	}
	p.attribute("branch", plain(c.Branch))
	p.attribute("time", plain(p.when(c.Time)))
	p.attribute("agent", plain(c.Agent))
	if c.IsForeign() {
		p.attribute("author", plain(*c.Author+", not of this clone"))
	}
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

// purpose shows the goal and the branch's purpose as commit.md contains them: two quotes,
// or one if there is no goal.
func (p *Printer) purpose(c store.Commit) {
	p.labelled("Branch Purpose", cmp.Or(c.Goal, c.Purpose))
	if c.Goal != "" && c.Purpose != "" {
		p.blank()
		p.quote(c.Purpose)
	}
}

// labelled shows a quote below a label, unless it is empty.
func (p *Printer) labelled(label, text string) {
	if text != "" {
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

// tags returns the tags of a commit as "key=value", sorted by key.
func tags(m map[string]string) []string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, key+"="+m[key])
	}
	return list
}

// NoteText shows the notes of one memory commit: the valid facts, then the reviews. JSON
// and `git notes` contain all facts.
func NoteText(p *Printer, n store.Note) {
	c := n.Entry
	p.line(bold("# Note of "), hash(n.Commit), plain(" "+p.fit(c.Summary, len("# Note of  ")+len(n.Commit.Short()))))
	p.blank()
	p.attribute("id", plain(c.ID))
	p.judgement(c)
	if c.Score == nil && c.Outcome == nil && len(c.Tags) == 0 && len(c.Reviews) == 0 {
		p.attribute("judged", plain("not yet"))
	}
	p.reviews(c)
}

// judgement lists the valid facts in a commit's note.
func (p *Printer) judgement(c store.Commit) {
	if c.Score != nil {
		p.attribute("score", plain(score(*c.Score)))
	}
	if c.Outcome != nil {
		p.attribute("outcome", plain(*c.Outcome))
	}
	p.attribute("tags", plain(strings.Join(tags(c.Tags), ", ")))
}

// reviews shows the reviews of a commit with author and time.
func (p *Printer) reviews(c store.Commit) {
	for _, r := range c.Reviews {
		p.label(fmt.Sprintf("Review by %s, %s", prose.Fold(r.Agent), p.when(r.Time)))
		p.quote(r.Text)
	}
}
