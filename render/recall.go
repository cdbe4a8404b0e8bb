package render

import (
	"strconv"

	"github.com/git-context/git-context/refs/search"
)

// Recalled shows past cases: what each is to the reader, its title, how near it is, what
// became of it, and the command that opens it. No case is no line.
func Recalled(p *Printer, hits []search.SearchHit) {
	for i, h := range hits {
		if i > 0 {
			p.blank()
		}
		p.line(bold(recallLabel(h)+": "), plain(h.Title))
		p.attribute("similarity", plain(strconv.FormatFloat(*h.Similarity, 'f', 2, 64)))
		p.attribute("branch", green(h.Branch))
		if h.Outcome != nil {
			p.attribute("outcome", plain(*h.Outcome))
		}
		p.attribute("open", plain(h.Open))
	}
}

// recallLabel says what a case is to the reader:
//
//  1. near, but another problem for all that is known,
//  2. a topic,
//  3. a step, of which nobody says how it ended,
//  4. a milestone that failed,
//  5. was given up, or
//  6. is said to have solved it,
//  7. a milestone of which nobody says how it ended, a rollback as any other.
func recallLabel(h search.SearchHit) string {
	outcome := ""
	if h.Outcome != nil {
		outcome = *h.Outcome
	}
	switch {
	case !*h.Duplicate:
		return "near, perhaps not the same"
	case h.Kind == "topic":
		return "you know this"
	case h.Kind == "step":
		return "you met this"
	case outcome == "failed":
		return "you tried this, it failed"
	case outcome == "abandoned":
		return "you tried this and gave it up"
	case outcome == "success":
		return "you solved this"
	}
	return "you did this"
}
