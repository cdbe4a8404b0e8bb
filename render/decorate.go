package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// git colours HEAD, branches, remote branches and tags by the directory of their refs, and
// knows none for memory's refs. These are the same colours.
const (
	branchStyle = "1;32"
	remoteStyle = "1;31"
	tagStyle    = "1;33"
)

// nameRefs replaces the refs after the hash that ends at offset at of a line by their short
// names, coloured by kind. It leaves the rest of the line unchanged.
func (o *logLines) nameRefs(l gitLine, at int) gitLine {
	const open, between, end = " (", ", ", ")"
	text := l.plain()
	if !strings.HasPrefix(text[at:], open+git.Root) {
		return l
	}
	size := strings.Index(text[at:], end)
	if size < 0 {
		return l
	}
	head, rest := l.split(at)
	_, tail := rest.split(size + len(end))
	frame := span{text: open}
	if o.color {
		frame.style = head.styleAtEnd()
	}
	out := append(gitLine{}, head...)
	for ref := range strings.SplitSeq(text[at+len(open):at+size], between) {
		name := decoration(ref)
		out = append(out, frame)
		if !o.color {
			out = append(out, span{"", name.text})
		} else {
			out = append(out, span{"\x1b[m", ""}, span{"\x1b[" + name.style + "m", name.text}, span{"\x1b[m", ""})
		}
		frame.text = between
	}
	frame.text = end
	return append(append(out, frame), tail...)
}

// decoration returns the short name of a memory ref: origin/main for a remote branch.
func decoration(ref string) piece {
	if name, ok := strings.CutPrefix(ref, git.BranchPrefix); ok {
		return piece{branchStyle, name}
	}
	if name, ok := strings.CutPrefix(ref, git.TagPrefix); ok {
		return piece{tagStyle, "tag: " + name}
	}
	if name, ok := strings.CutPrefix(ref, git.RemotePrefix); ok {
		kind := strings.TrimPrefix(git.BranchPrefix, git.Root)
		return piece{remoteStyle, strings.Replace(name, "/"+kind, "/", 1)}
	}
	return plain(ref)
}

// split splits a line after n bytes of its text. A colour that begins there belongs to the
// second part, and so does the sequence that ends the first part's colour.
func (l gitLine) split(n int) (before, after gitLine) {
	for i, s := range l {
		if n < len(s.text) || n == len(s.text) && i+1 == len(l) {
			before = append(append(before, l[:i]...), span{s.style, s.text[:n]})
			return before, append(gitLine{{"", s.text[n:]}}, l[i+1:]...)
		}
		if n == len(s.text) {
			return append(before, l[:i+1]...), l[i+1:]
		}
		n -= len(s.text)
	}
	return l, nil
}

// styleAtEnd returns the colour at the end of a line.
func (l gitLine) styleAtEnd() string {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].text != "" {
			return l[i].style
		}
	}
	return ""
}

// namedRefs is the maximum number of refs that are named in one line.
const namedRefs = 20

// RefNames lists refs by the names that people know: branches by their names, other refs by
// their content. Of very many refs it names the first and counts the rest.
func RefNames(refs []string) string {
	more := ""
	if n := len(refs) - namedRefs; n > 1 {
		refs, more = refs[:namedRefs], fmt.Sprintf(", and %d more", n)
	}
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = refName(ref)
	}
	return strings.Join(names, ", ") + more
}

func refName(ref string) string {
	if name, ok := git.BranchName(ref); ok {
		return name
	}
	if name, ok := strings.CutPrefix(ref, git.TagPrefix); ok {
		return "tag " + name
	}
	if name, ok := git.WorkBranch(ref); ok {
		return "code of " + name
	}
	switch ref {
	case git.RoadmapRef:
		return "(roadmap)"
	case git.NotesRef:
		return "(notes)"
	}
	return ref
}
