package expunge

import (
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
	"github.com/git-context/git-context/refs/remote"
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

func CleanName(p remote.Remote) string { return "clean/" + git.FileName(p.Name, "") }

// readCleanState returns what is known for these tombstones. A file that is damaged says
// nothing.
func ReadCleanState(s *store.Store, p remote.Remote, e doc.Expunged) (CleanState, error) {
	sum := sha256.Sum256(e.Bytes())
	c := CleanState{hex.EncodeToString(sum[:]), map[string]git.ID{}}
	if p.Bundle {
		return c, nil
	}
	data, err := os.ReadFile(s.StatePath(CleanName(p)))
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
func (c CleanState) Holds(ref string, id git.ID) bool { return id != "" && c.refs[ref] == id }

// writeCleanState adds refs that were found to be clean, and drops those that the peer
// has no more, or elsewhere.
func WriteCleanState(s *store.Store, p remote.Remote, known CleanState, found []git.Ref, theirs *remote.RefSet) error {
	if p.Bundle {
		return nil
	}
	now := maps.Clone(known.refs)
	for _, r := range found {
		now[r.Name] = r.ID
	}
	maps.DeleteFunc(now, func(ref string, id git.ID) bool { return At(theirs, ref) != id })
	if maps.Equal(now, known.refs) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tombstones %s\n", known.tombstones)
	for _, ref := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "clean %s %s\n", ref, now[ref])
	}
	return s.Repo().WriteStateFile(CleanName(p), []byte(b.String()))
}
