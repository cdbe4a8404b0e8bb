package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/search/across"
)

// hitIndent is as wide as the column of kinds: commit, step, topic.
const hitIndent = "       "

// HitsText shows the results of a search or recall, the best first: kind and place, the
// matching part of the text, and the command that shows the rest.
func HitsText(p *Printer, hits []search.Hit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.hit(h)
	}
}

// hit shows one hit, and where it is before its branch.
func (p *Printer) hit(h search.Hit, where ...piece) {
	name := h.ID
	if h.Kind == "commit" && h.Commit != nil {
		name = h.Commit.Short()
	}
	head := []piece{plain(h.Kind + pad(h.Kind, len(hitIndent))), yellow(name), plain(" ")}
	head = append(append(head, where...), green(h.Branch))
	if words := verdict(notes.Judgement{Outcome: h.Outcome, Score: h.Noted}); len(words) > 0 {
		head = append(head, plain(" "), outcomeColor(h.Outcome, "["+strings.Join(words, " ")+"]"))
	}
	used := 0
	for _, x := range head {
		used += cells(x.text)
	}
	if h.Kind != "topic" { // its title is its name
		head = append(head, plain(" "), bold(p.fit(foreign(h.Authored)+h.Title, used+1)))
	}
	p.line(head...)
	if h.Snippet != "" && h.Snippet != h.Title {
		p.line(plain(hitIndent), plain(p.fit(h.Snippet, len(hitIndent))))
	}
	p.line(plain(hitIndent), dim(h.Open))
}

// RecallText shows past cases: how each relates to the reader, its title, similarity and
// outcome, and the command that shows it. Without cases it writes nothing.
func RecallText(p *Printer, hits []search.Hit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.pastCase(h, "")
	}
}

// pastCase shows one past case, and its repository if that has a name.
func (p *Printer) pastCase(h search.Hit, repository string) {
	p.line(bold(recallLabel(h)+": "), plain(h.Title))
	p.attribute("similarity", plain(strconv.FormatFloat(*h.Similarity, 'f', 2, 64)))
	if repository != "" {
		p.attribute("repository", yellow(repository))
	}
	p.attribute("branch", green(h.Branch))
	if h.Outcome != nil {
		p.attribute("outcome", plain(*h.Outcome))
	}
	p.attribute("open", plain(h.Open))
}

// recallLabel returns how a case relates to the reader:
//
//  1. found by words alone,
//  2. similar, but probably another problem,
//  3. a topic,
//  4. a step, whose outcome is unknown,
//  5. a commit that failed,
//  6. a commit that was abandoned,
//  7. a commit that succeeded,
//  8. a commit with unknown outcome, rollbacks included.
//
// A commit of another identity is not the reader's: its author is named.
func recallLabel(h search.Hit) string {
	outcome, who := "", "you"
	if h.Outcome != nil {
		outcome = *h.Outcome
	}
	if h.IsForeign() {
		who = prose.Fold(h.Name(""))
	}
	switch {
	case *h.Related:
		return "related"
	case !*h.Duplicate:
		return "near, perhaps not the same"
	case h.Kind == "topic":
		return "you know this"
	case h.Kind == "step":
		return "you met this"
	case outcome == "failed":
		return who + " tried this, it failed"
	case outcome == "abandoned":
		return who + " tried this and gave it up"
	case outcome == "success":
		return who + " solved this"
	}
	return who + " did this"
}

// AcrossText shows the hits of several repositories, as HitsText those of one: each with its repository,
// how often the lesson worked, and the other repositories that have it.
func AcrossText(p *Printer, hits []across.Hit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.hit(h.Hit, yellow(prose.PathLine(h.Name)), plain(" "))
		p.lesson(h, hitIndent)
	}
}

// RecallAcrossText shows past cases of several repositories, as RecallText those of one.
func RecallAcrossText(p *Printer, hits []across.Hit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.pastCase(h.Hit, prose.PathLine(h.Name))
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
		p.line(plain(lead), plain("also in "), yellow(prose.PathLine(c.Name)), plain(": "), dim(c.Open))
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
		p.line(yellow(prose.PathLine(r.Repository)), plain("  "), plain(state))
	}
}
