package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// SeenName returns the name of the file of local state that says where the branches that only the remote has were after the last sync, a name and a
// commit on a line. A fetch alone moves tracking refs, and the next sync must still find what they had.
func (r Remote) SeenName() string {
	return "seen/" + git.FileName(r.Name, "")
}

// ReadSeen returns commits by the names of branches; empty where nothing was recorded. It passes over lines that it cannot parse.
func ReadSeen(s *store.Store, r Remote) (map[string]git.ID, error) {
	seen := map[string]git.ID{}
	data, err := git.ReadStateFile(s.StatePath(r.SeenName()))
	if errors.Is(err, fs.ErrNotExist) {
		return seen, nil
	}
	for line := range strings.Lines(string(data)) {
		name, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if s.Repo().IsID(id) && git.CheckBranchName(name) == nil {
			seen[name] = git.ID(id)
		}
	}
	return seen, err
}

// WriteSeen replaces what ReadSeen returns.
func WriteSeen(s *store.Store, r Remote, seen map[string]git.ID) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		fmt.Fprintf(&b, "%s %s\n", name, seen[name])
	}
	return s.Repo().WriteStateFile(r.SeenName(), []byte(b.String()))
}
