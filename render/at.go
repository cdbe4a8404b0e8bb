package render

import (
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// writePast writes which moment of the past a view shows, and how it was found. It writes
// nothing in a view of the present.
func (p *Printer) writePast(at *store.At) {
	if at == nil {
		return
	}
	p.blank()
	p.pastAttributes(at)
}

// pastAttributes is writePast without the empty line, among other attributes.
func (p *Printer) pastAttributes(at *store.At) {
	if at == nil {
		return
	}
	p.attribute("as of", plain(p.when(at.Time)))
	p.attribute("through", plain(foundThrough(at)))
}

// foundThrough describes how a memory commit was found.
func foundThrough(at *store.At) string {
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

// AtLine returns the same on one line, for views that are not Markdown; "" for the present.
func AtLine(at *store.At) string {
	if at == nil {
		return ""
	}
	if at.By == history.AtMemory { // the revision named the memory commit itself
		return "as of " + stamp(at.Time) + ", " + foundThrough(at)
	}
	return "as of " + stamp(at.Time) + ", memory commit " + at.Commit.Short() + " through " + foundThrough(at)
}

// AtComment writes AtLine as a comment, for a view of the past whose text is a Markdown
// document itself. It writes nothing in a view of the present.
func AtComment(p *Printer, at *store.At) {
	if at != nil { // a comment must not contain "--"
		p.line(dim("<!-- " + strings.ReplaceAll(AtLine(at), "--", "- -") + " -->"))
	}
}

// atFlag returns the flag that a view of the past adds to the commands that it prints.
func atFlag(at *store.At) string {
	if at == nil {
		return ""
	}
	return " --at " + prose.ShellWord(at.Rev)
}
