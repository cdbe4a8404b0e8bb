package render

import (
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// RefNames lists refs as people know them: branches by their names, the others
// by what they hold.
func RefNames(refs []string) string {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = refName(ref)
	}
	return strings.Join(names, ", ")
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
