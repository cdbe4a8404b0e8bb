package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// BeyondEdge says of a memory commit that a shallow clone lacks it, and Deepen is the command that
// fetches what it lacks. Entries of such commits remain in the documents of newer ones.
const (
	BeyondEdge = "beyond the edge of this shallow clone"
	Deepen     = "git fetch --unshallow"
)

// Cut reports whether this is a shallow clone that lacks commits before those that revs reach, in the
// words of git-rev-list(1). It costs the reading of one file where the clone is not shallow.
func (s *Store) Cut(ctx context.Context, revs ...string) (bool, error) {
	edge, err := s.repo.Shallow()
	if err != nil || len(edge) == 0 {
		return false, err
	}
	out, err := s.repo.View(ctx, append([]string{"rev-list", "--max-parents=0"}, revs...)...) // to git they have none
	if err != nil {
		return false, err
	}
	for id := range strings.FieldsSeq(string(out)) {
		if !edge[git.ID(id)] {
			continue
		}
		c, err := s.repo.Commit(ctx, git.ID(id))
		if err != nil {
			return false, err
		}
		if len(c.Parents) > 0 { // else a root, which git also lists
			return true, nil
		}
	}
	return false, nil
}

// AllMemory names all memory branches and tags, in the words of git-rev-list(1).
func AllMemory() []string {
	return []string{"--glob=" + git.BranchPrefix + "*", "--glob=" + git.TagPrefix + "*"}
}

// CutBefore returns the error for a name of no commit where memory is cut: the name may mean a commit
// beyond the edge. It returns nil where memory is not cut.
func (s *Store) CutBefore(ctx context.Context, rev string) error {
	if cut, err := s.Cut(ctx, AllMemory()...); err != nil || !cut {
		return err
	}
	return fail.New(fail.ErrNotFound, fail.Shallow,
		fmt.Sprintf("commit '%s' does not exist, or is %s", prose.OneLine(rev, 100), BeyondEdge), Deepen)
}
