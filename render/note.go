package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/prose"
)

// NoteText shows the notes of one memory commit: the valid facts, then the reviews. JSON
// and `git notes` contain all facts.
func NoteText(p *Printer, n refs.Note) {
	c := n.Milestone
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
func (p *Printer) judgement(c refs.Commit) {
	if c.Score != nil {
		p.attribute("score", plain(score(*c.Score)))
	}
	if c.Outcome != nil {
		p.attribute("outcome", plain(*c.Outcome))
	}
	p.attribute("tags", plain(strings.Join(tags(c.Tags), ", ")))
}

// reviews shows the reviews of a commit with author and time.
func (p *Printer) reviews(c refs.Commit) {
	for _, r := range c.Reviews {
		p.label(fmt.Sprintf("Review by %s, %s", prose.Fold(r.Agent), p.when(r.Time)))
		p.quote(r.Text)
	}
}
