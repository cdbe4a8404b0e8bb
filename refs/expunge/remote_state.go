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
	"github.com/git-context/git-context/refs/store"
)

// cleanState is which refs of a peer were looked at and hold nothing of what some
// tombstones say: most remotes have branches that are not here, and a sync with nothing
// to do must not read their history each time. It stands in local state:
//
//	tombstones <SHA-256 of all of them>
//	clean <ref> <id>
type CleanState struct {
	tombstones string
	refs       map[string]git.ID // by the names that they have here
}

func CleanStateName(p store.Remote) string { return "clean/" + git.FileName(p.Name, "") }

// readCleanState returns what is known for these tombstones. A file that is damaged says
// nothing.
func ReadCleanState(s *store.Store, p store.Remote, e doc.Expunged) (CleanState, error) {
	sum := sha256.Sum256(e.Bytes())
	c := CleanState{hex.EncodeToString(sum[:]), map[string]git.ID{}}
	if p.Bundle {
		return c, nil
	}
	data, err := os.ReadFile(s.StatePath(CleanStateName(p)))
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

// holds reports whether a ref is known to be clean where it stands.
func (c CleanState) Contains(ref string, id git.ID) bool { return id != "" && c.refs[ref] == id }

// writeCleanState adds refs that were found to be clean, and drops those that the peer
// has no more, or elsewhere.
func WriteCleanState(s *store.Store, p store.Remote, known CleanState, found []git.Ref, theirs *store.RefSet) error {
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

// heldState is what a peer held of old history when it was last asked, and what is
// left to be deleted of it here. It stands in local state, a ref on a line:
//
//	held <ref> <what the peer has> <what that is without what was forgotten>
//	purge <id>
//
// A ref whose tracking ref is at the latter is not fetched again while the peer has the
// former: nothing old comes here just to be deleted.
type DirtyState struct {
	Refs  map[string]DirtyRef // by the names that they have here
	Purge []git.ID
}

// heldRef is a ref that a remote had, and what it is to have.
type DirtyRef struct {
	Ref      string // by the name that it has here
	Old, Now git.ID // now is "" of notes of which nothing is left
}

func DirtyStateName(p store.Remote) string { return "held/" + git.FileName(p.Name, "") }

// list are the refs by name.
func (h *DirtyState) List() []DirtyRef {
	var list []DirtyRef
	for _, ref := range slices.Sorted(maps.Keys(h.Refs)) {
		list = append(list, h.Refs[ref])
	}
	return list
}

func ReadDirtyState(s *store.Store, p store.Remote) (DirtyState, error) {
	h := DirtyState{Refs: map[string]DirtyRef{}}
	data, err := os.ReadFile(s.StatePath(DirtyStateName(p)))
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
			return h, fmt.Errorf("'%s': cannot understand '%s'", s.StatePath(DirtyStateName(p)), prose.OneLine(line, 100))
		}
	}
	return h, nil
}

func WriteDirtyState(s *store.Store, p store.Remote, h DirtyState) error {
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
