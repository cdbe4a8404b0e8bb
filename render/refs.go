package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

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
	switch ref {
	case git.RoadmapRef:
		return "(roadmap)"
	case git.NotesRef:
		return "(notes)"
	}
	return ref
}
