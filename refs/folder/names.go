package folder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"

	dialect "github.com/git-context/git-context/refs/peer"
)

// folderImport is one import.
type folderImport struct {
	s        *store.Store
	o        ImportOptions
	f        *dialect.Folder
	names    map[string]string // the name here of each branch of the folder
	branches []*importBranch   // parents before children
	known    map[string]known  // the present contents, by branch
	files    *givenFiles
	res      Result
}

// nameBranches gives each branch of the folder a valid name that does not clash, and puts
// parents before their children. A name is always changed in the same way, so that the same
// folder finds its branches again.
func (m *folderImport) nameBranches(existing []string) {
	m.names = map[string]string{}
	var used []string
	for i := range m.f.Branches {
		b := &m.f.Branches[i]
		name := freeName(nearName(b.Name), existing, used)
		if name != b.Name {
			m.warn("branch '%s' is called '%s' here", prose.OneLine(b.Name, 100), name)
		}
		m.names[b.Name] = name
		used = append(used, name)
	}
	m.order()
}

// name returns the name here of a branch, even of one that is not in the folder.
func (m *folderImport) name(branch string) string {
	if name, ok := m.names[branch]; ok || branch == "" {
		return name
	}
	return nearName(branch)
}

// order puts parents first. A cycle of parents is cut at the branch that closes it.
func (m *folderImport) order() {
	byName := map[string]*dialect.Branch{}
	for i := range m.f.Branches {
		byName[m.f.Branches[i].Name] = &m.f.Branches[i]
	}
	state := map[string]int{} // 1: its parents are being followed; 2: done
	var visit func(b *dialect.Branch)
	visit = func(b *dialect.Branch) {
		state[b.Name] = 1
		if p := byName[b.Parent]; p != nil && state[p.Name] == 0 {
			visit(p)
		} else if p != nil && state[p.Name] == 1 {
			m.warn("branch '%s' starts without a parent: '%s', its parent, was created from it", prose.OneLine(b.Name, 100),
				prose.OneLine(b.Parent, 100))
			b.Parent = ""
		}
		state[b.Name] = 2
		m.branches = append(m.branches, &importBranch{peer: b, name: m.names[b.Name]})
	}
	for i := range m.f.Branches {
		if b := &m.f.Branches[i]; state[b.Name] == 0 {
			visit(b)
		}
	}
}

// maxNearName leaves room for the number of freeName.
const maxNearName = 190

// nearName converts any text to a valid branch name: invalid characters become '-'.
func nearName(text string) string {
	if git.CheckBranchName(text) == nil {
		return text
	}
	var parts []string
	for part := range strings.SplitSeq(text, "/") {
		part = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
				return r
			}
			return '-'
		}, part)
		for strings.Contains(part, "..") {
			part = strings.ReplaceAll(part, "..", ".")
		}
		part = strings.Trim(part, ".-_")
		if strings.HasSuffix(strings.ToLower(part), ".lock") {
			part = part[:len(part)-len(".lock")] + "-lock"
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	name := strings.Join(parts, "/")
	name = strings.TrimRight(name[:min(len(name), maxNearName)], "./-_")
	if git.CheckBranchName(name) != nil {
		return "imported"
	}
	return name
}

// freeName appends a number to a name that clashes with others. The name of an existing
// branch may be used once.
func freeName(name string, existing, used []string) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			// Without '/', because a number does not help a name below another branch.
			try = fmt.Sprintf("%s-%d", strings.ReplaceAll(name, "/", "-"), n)
		}
		clash := slices.ContainsFunc(used, func(have string) bool { return have == try || clashes(have, try) }) ||
			slices.ContainsFunc(existing, func(have string) bool { return clashes(have, try) })
		if !clash {
			return try
		}
	}
}

// clashes reports whether two different names exclude each other: they differ only by case,
// or one is a folder of the other.
func clashes(a, b string) bool {
	return a != b && (strings.EqualFold(a, b) || store.IsPrefix(a, b) || store.IsPrefix(b, a))
}
