package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/store"
)

// NoteText shows what is noted of one milestone: what is in force, then the
// reviews. Everything that was ever said is in JSON, and in `git notes`.
func NoteText(p *Printer, n store.Note) {
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

// judgement lists what a milestone's note says that is in force.
func (p *Printer) judgement(c store.Commit) {
	if c.Score != nil {
		p.attribute("score", plain(score(*c.Score)))
	}
	if c.Outcome != nil {
		p.attribute("outcome", plain(*c.Outcome))
	}
	p.attribute("tags", plain(strings.Join(tags(c.Tags), ", ")))
}

// reviews shows what was written about a milestone, by whom and when.
func (p *Printer) reviews(c store.Commit) {
	for _, r := range c.Reviews {
		p.label(fmt.Sprintf("Review by %s, %s", flat(r.Agent), p.when(r.Time)))
		p.quote(r.Text)
	}
}
