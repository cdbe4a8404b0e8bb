package expunge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// CleanState records which refs of a remote contain nothing that some tombstones name. Most
// remotes have branches that are not here, and a sync with nothing to do must not read their
// history each time. Its file is
//
//	tombstones <SHA-256 of all of them>
//	clean <ref> <id>
type CleanState struct {
	tombstones string
	refs       map[string]git.ID // by the names that they have here
}

// CleanStateName returns the name of a remote's CleanState in local state.
func CleanStateName(p remote.Remote) string { return "clean/" + git.FileName(p.Name, "") }

// ReadCleanState reads what is known for these tombstones. A missing file, a damaged one and
// one for other tombstones count as empty.
func ReadCleanState(s *store.Store, p remote.Remote, e doc.Expunged) (CleanState, error) {
	sum := sha256.Sum256(e.Bytes())
	c := CleanState{hex.EncodeToString(sum[:]), map[string]git.ID{}}
	if p.Bundle {
		return c, nil
	}
	data, err := git.ReadStateFile(s.StatePath(CleanStateName(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	rest, ok := strings.CutPrefix(string(data), "tombstones "+c.tombstones+"\n")
	if !ok {
		return c, nil
	}
	for line := range strings.Lines(rest) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "clean" {
			c.refs[f[1]] = git.ID(f[2])
		}
	}
	return c, nil
}

// Contains reports whether a ref is known to be clean at id.
func (c CleanState) Contains(ref string, id git.ID) bool { return id != "" && c.refs[ref] == id }

// WriteCleanState adds the refs that were found clean and drops those that the remote moved or
// deleted.
func WriteCleanState(s *store.Store, p remote.Remote, known CleanState, found []git.Ref, theirs *remote.RefSet) error {
	if p.Bundle {
		return nil
	}
	now := maps.Clone(known.refs)
	for _, r := range found {
		now[r.Name] = r.ID
	}
	maps.DeleteFunc(now, func(ref string, id git.ID) bool { return RefID(theirs, ref) != id })
	if maps.Equal(now, known.refs) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tombstones %s\n", known.tombstones)
	for _, ref := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "clean %s %s\n", ref, now[ref])
	}
	return s.Repo().WriteStateFile(CleanStateName(p), []byte(b.String()))
}

// DirtyState records which refs of a remote led to old history when it was last asked, and
// which objects of that are still to be deleted here. Its file is
//
//	held <ref> <what the remote has> <that without what was expunged, or ->
//	purge <id>
//
// A ref is not fetched again while the remote has the first id and the tracking ref the second:
// fetching would bring old objects only to delete them.
type DirtyState struct {
	Refs  map[string]DirtyRef // by the names that they have here
	Purge []git.ID
}

// DirtyRef is a ref of a remote that leads to old history.
type DirtyRef struct {
	Ref      string // by the name that it has here
	Old, Now git.ID // now is "" of notes of which nothing is left
}

// DirtyStateName returns the name of a remote's DirtyState in local state.
func DirtyStateName(p remote.Remote) string { return "held/" + git.FileName(p.Name, "") }

// List returns the refs sorted by name.
func (h *DirtyState) List() []DirtyRef {
	var list []DirtyRef
	for _, ref := range slices.Sorted(maps.Keys(h.Refs)) {
		list = append(list, h.Refs[ref])
	}
	return list
}

// ReadDirtyState reads a remote's state; a missing file is empty. A file that it cannot parse
// is an error.
func ReadDirtyState(s *store.Store, p remote.Remote) (DirtyState, error) {
	h := DirtyState{Refs: map[string]DirtyRef{}}
	data, err := git.ReadStateFile(s.StatePath(DirtyStateName(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[0] == "held":
			h.Refs[f[1]] = DirtyRef{f[1], git.ID(f[2]), git.ID(strings.TrimPrefix(f[3], "-"))}
		case len(f) == 2 && f[0] == "purge":
			h.Purge = append(h.Purge, git.ID(f[1]))
		default:
			return h, fmt.Errorf("'%s': cannot understand '%s'", s.StatePath(DirtyStateName(p)),
				prose.OneLine(line, 100))
		}
	}
	return h, nil
}

// WriteDirtyState replaces a remote's state, and removes the file of an empty one.
func WriteDirtyState(s *store.Store, p remote.Remote, h DirtyState) error {
	if len(h.Refs)+len(h.Purge) == 0 {
		err := os.Remove(s.StatePath(DirtyStateName(p)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	var b strings.Builder
	for _, r := range h.List() {
		fmt.Fprintf(&b, "held %s %s %s\n", r.Ref, r.Old, cmp.Or(r.Now, "-"))
	}
	for _, id := range h.Purge {
		fmt.Fprintf(&b, "purge %s\n", id)
	}
	return s.Repo().WriteStateFile(DirtyStateName(p), []byte(b.String()))
}
