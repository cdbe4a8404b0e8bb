package incoming

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// Root lists the documents in the root of a branch's tree; "" for those that it lacks.
type Root struct {
	Commits, Log, Metadata git.ID
	Bad                    bool // a flaw of one of the three was reported
}

// put records an entry of the tree.
func (r *Root) put(e git.TreeEntry, bad bool) {
	switch e.Name {
	case doc.CommitFile:
		r.Commits = e.ID
	case doc.LogFile:
		r.Log = e.ID
	case doc.MetadataFile:
		r.Metadata = e.ID
	default:
		return
	}
	r.Bad = r.Bad || bad
}

// folder checks the entries of a tree. It skips what a parent has at the same path, because
// that was checked there; but in the root it checks all names, since a parent may be a commit
// of our own in another role.
func (c *Inspection) folder(f folder, trees map[git.ID][]git.TreeEntry, deeper []folder,
	files []File) ([]folder, []File, error) {
	entries, ok := trees[f.id]
	if !ok { // it could not be read
		return deeper, files, nil
	}
	if len(entries) == 0 && f.path != "" {
		return deeper, files, c.wrong(FlawTree, f, "it is empty", nil)
	}
	bases := make([]base, len(f.bases))
	for i, id := range f.bases {
		bases[i].rest = trees[id]
	}
	var top Root
	all := &twins{entries: entries}
	for i, e := range entries {
		known, below := lookUp(e, bases)
		fault := orderFault(entries, i)
		if known && fault == "" && f.path != "" {
			continue
		}
		at := File{at: f.at, path: JoinPath(f.path, e.Name), ID: e.ID}
		if fault == "" {
			at.kind, fault = f.entryFault(all, e, at.path)
		}
		top.put(e, fault != "")
		switch {
		case fault != "":
			if err := c.wrong(FlawTree, at, fault, nil); err != nil {
				return nil, nil, err
			}
		case known || c.Absent[e.ID]:
		case e.IsTree():
			var err error
			if deeper, err = c.add(deeper, folder{at: f.at, role: f.role, path: at.path, id: e.ID, bases: below}); err != nil {
				return nil, nil, err
			}
		default:
			files = append(files, at)
			c.objects--
		}
	}
	if f.role == RoleBranch && f.path == "" {
		c.Roots[f.id] = top
	}
	return deeper, files, nil
}

// JoinPath joins a folder, "" for the root, and a name as git does. Unlike path.Join it cleans
// nothing.
func JoinPath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// base is a parent's tree, from the entry on that the next lookup may match.
type base struct{ rest []git.TreeEntry }

// lookUp finds an entry in the same folder of the parents. known reports that a parent has an
// equal entry; otherwise below lists the parents' folders of that name. Entries must be looked
// up in order.
func lookUp(e git.TreeEntry, bases []base) (known bool, below []git.ID) {
	for i := range bases {
		b := &bases[i]
		for len(b.rest) > 0 && git.CompareEntries(b.rest[0], e) < 0 {
			b.rest = b.rest[1:]
		}
		switch {
		case len(b.rest) == 0 || b.rest[0].Name != e.Name || b.rest[0].IsTree() != e.IsTree():
		case b.rest[0] == e:
			known = true
		case e.IsTree():
			below = append(below, b.rest[0].ID)
		}
	}
	return known, below
}

// orderFault returns what is wrong with the position of an entry in its tree.
func orderFault(entries []git.TreeEntry, i int) string {
	switch {
	case i == 0 || git.CompareEntries(entries[i-1], entries[i]) < 0:
		return ""
	case entries[i-1].Name == entries[i].Name:
		return "the name occurs twice in its folder"
	}
	return "the name is not in git's order"
}

// entryFault returns what is wrong with an entry's name and mode, or how the file is to be
// read.
func (f folder) entryFault(all *twins, e git.TreeEntry, path string) (FileKind, string) {
	if e.Name == "" || strings.Contains(e.Name, "/") { // else it would pass for a path
		return 0, "it is no name of a file"
	}
	switch e.Mode {
	case git.ModeBlob, git.ModeTree:
	case 0o120000:
		return 0, "it is a symbolic link"
	case 0o160000:
		return 0, "it is a submodule"
	case 0o100755:
		return 0, "it is an executable file"
	default:
		return 0, fmt.Sprintf("its mode is %06o", e.Mode)
	}
	kind, ok := f.role.place(path, e.IsTree(), len(e.ID))
	if ok {
		return kind, ""
	}
	if other := all.of(e.Name); other != "" {
		return 0, fmt.Sprintf("the name differs only by case from '%s'", git.Shown(other))
	}
	if e.IsTree() {
		return 0, "it is a folder that no " + f.role.what() + " has"
	}
	return 0, "it is a file that no " + f.role.what() + " has"
}

// twins finds names of a tree that differ only by case. It makes its list once: a tree may have 200,000 names that are
// nothing of memory.
type twins struct {
	entries []git.TreeEntry
	folded  map[string][2]string // the first names of each form
}

// of returns another name that differs from one by case; "" for none.
func (t *twins) of(name string) string {
	if t.folded == nil {
		t.folded = make(map[string][2]string, len(t.entries))
		for _, e := range t.entries {
			form := strings.ToLower(e.Name)
			switch names := t.folded[form]; {
			case names[0] == "":
				t.folded[form] = [2]string{e.Name}
			case names[1] == "":
				t.folded[form] = [2]string{names[0], e.Name}
			}
		}
	}
	names := t.folded[strings.ToLower(name)]
	if names[0] == name {
		return names[1]
	}
	return names[0]
}

func (r Role) what() string {
	switch r {
	case RoleRoadmap:
		return "roadmap"
	case RoleNotes:
		return "tree of notes"
	}
	return "memory branch"
}

// place reports whether a path may exist in a tree, and how the file there is read.
func (r Role) place(path string, dir bool, hexLen int) (FileKind, bool) {
	switch {
	case r == RoleRoadmap && path == doc.ExpungedFile:
		return kindExpunged, !dir
	case r == RoleRoadmap:
		return kindRoadmap, path == doc.RoadmapFile && !dir
	case r == RoleNotes && dir:
		n := noteDigits(path)
		return 0, n > 0 && n < hexLen && strings.LastIndexByte(path, '/') == len(path)-3
	case r == RoleNotes:
		return kindNote, noteDigits(path) == hexLen
	case dir:
		return 0, doc.KnownDir(path)
	}
	switch doc.KindOf(path) {
	case doc.FileLog:
		return kindLog, true
	case doc.FileCommits:
		return KindCommits, true
	case doc.FileMetadata:
		return KindMetadata, true
	case doc.FileTopic:
		return kindTopic, true
	case doc.FileArtifact:
		return kindArtifact, true
	}
	return 0, false
}

// noteDigits counts the digits of a note's path, which is an object's id with a slash after
// some of its pairs of digits; -1 for another path.
func noteDigits(path string) int {
	n := 0
	for part := range strings.SplitSeq(path, "/") {
		if path == "" {
			return 0
		}
		for i := range len(part) {
			if c := part[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return -1
			}
		}
		if part == "" {
			return -1
		}
		n += len(part)
	}
	return n
}
