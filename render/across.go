package render

import (
	"fmt"
	"strconv"

	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/search/across"
)

// AcrossText shows the hits of several repositories, as HitsText those of one: each with its repository,
// how often the lesson worked, and the other repositories that have it.
func AcrossText(p *Printer, hits []across.Hit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.hit(h.Hit, yellow(h.Name), plain(" "))
		p.lesson(h, hitIndent)
	}
}

// RecallAcrossText shows past cases of several repositories, as RecallText those of one.
func RecallAcrossText(p *Printer, hits []across.Hit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.pastCase(h.Hit, h.Name)
		p.lesson(h, "- ")
	}
}

// lesson shows the confidence of a hit and where else it is.
func (p *Printer) lesson(h across.Hit, lead string) {
	if len(h.Also) == 0 {
		return
	}
	if h.Confidence != nil {
		p.line(plain(lead), plain(fmt.Sprintf("confidence %s (success in %d of %s)",
			strconv.FormatFloat(*h.Confidence, 'f', 2, 64), h.Succeeded, prose.Count(h.Judged, "commit"))))
	}
	for _, c := range h.Also {
		p.line(plain(lead), plain("also in "), yellow(c.Name), plain(": "), dim(c.Open))
	}
}

// RepositoriesText lists repositories with the amount of their memory.
func RepositoriesText(p *Printer, list across.List) {
	for _, r := range list.Repositories {
		state := "no memory"
		switch {
		case r.Error != nil:
			state = *r.Error
		case r.Commits != nil:
			state = prose.Count(*r.Commits, "commit")
			if r.UpdatedAt != nil {
				state += ", " + p.when(*r.UpdatedAt)
			}
		}
		p.line(yellow(r.Repository), plain("  "), plain(state))
	}
}
