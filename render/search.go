package render

import (
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/search"
)

// hitIndent is as wide as the column of kinds: commit, step, topic.
const hitIndent = "       "

// Hits shows what a search or recall found, the best first: what it is and where, the
// part of the text that was looked for, and the command that shows the rest.
func Hits(p *Printer, hits []search.SearchHit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		name := h.ID
		if h.Kind == "commit" && h.Commit != nil {
			name = h.Commit.Short()
		}
		head := []piece{plain(h.Kind + pad(h.Kind, len(hitIndent))), yellow(name), plain(" "), green(h.Branch)}
		if said := verdict(notes.Judgement{Outcome: h.Outcome, Score: h.Noted}); len(said) > 0 {
			head = append(head, plain(" "), judgedAs(h.Outcome, "["+strings.Join(said, " ")+"]"))
		}
		used := 0
		for _, x := range head {
			used += cells(x.text)
		}
		if h.Kind != "topic" { // whose title is its name
			head = append(head, plain(" "), bold(p.fit(h.Title, used+1)))
		}
		p.line(head...)
		if h.Snippet != "" && h.Snippet != h.Title {
			p.line(plain(hitIndent), plain(p.fit(h.Snippet, len(hitIndent))))
		}
		p.line(plain(hitIndent), dim(h.Open))
	}
}
