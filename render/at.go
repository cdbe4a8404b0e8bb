package render

import (
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// past says which moment of the past a view shows, and how it was found. It writes
// nothing in a view of the present.
func (p *Printer) past(at *store.At) {
	if at == nil {
		return
	}
	p.blank()
	p.pastFacts(at)
}

// pastFacts is past where other attributes follow or stand before.
func (p *Printer) pastFacts(at *store.At) {
	if at == nil {
		return
	}
	p.attribute("as of", plain(p.when(at.Time)))
	p.attribute("through", plain(through(at)))
}

// through words how a memory commit was found.
func through(at *store.At) string {
	kind := "memory"
	if at.Code != nil {
		kind = "code"
	}
	asked := kind + " commit " + at.Asked.Short()
	if !strings.HasPrefix(string(at.Asked), at.Rev) {
		asked += " (" + at.Rev + ")"
	}
	switch at.By {
	case history.AtLink:
		return asked + ", to which it belongs"
	case history.AtAncestor:
		return asked + ", to whose ancestor " + at.Linked.Short() + " it belongs"
	case history.AtTime:
		return asked + ", as the newest that is not younger"
	}
	return asked
}

// AtLine is the same on one line, for views that are no Markdown; empty for the
// present.
func AtLine(at *store.At) string {
	if at == nil {
		return ""
	}
	if at.By == history.AtMemory { // it was named itself
		return "as of " + stamp(at.Time) + ", " + through(at)
	}
	return "as of " + stamp(at.Time) + ", memory commit " + at.Commit.Short() + " through " + through(at)
}

// AtComment begins a view of the past whose text is a Markdown document itself: what
// is said of it stands in a comment. It writes nothing in a view of the present.
func AtComment(p *Printer, at *store.At) {
	if at != nil { // "--" may not stand in a comment
		p.line(dim("<!-- " + strings.ReplaceAll(AtLine(at), "--", "- -") + " -->"))
	}
}

// atFlag is what a view of the past adds to the commands that it prints.
func atFlag(at *store.At) string {
	if at == nil {
		return ""
	}
	return " --at " + prose.ShellWord(at.Rev)
}
