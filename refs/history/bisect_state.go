package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// bisectState is a bisect as it stands in local state: one file for a worktree and
// a branch, since several agents may share either. The file's name alone says which
// branch, so that it follows a renamed one in one step; commits are named by hash,
// so that other branches may be renamed or deleted meanwhile.
type BisectState struct {
	Version int           `json:"version"`
	Branch  string        `json:"-"`
	Bad     git.ID        `json:"bad,omitempty"`
	Good    []git.ID      `json:"good"`
	Skipped []git.ID      `json:"skipped"`
	Next    git.ID        `json:"next,omitempty"` // what was said to be tested next
	Log     []BisectEntry `json:"log"`

	kept bool // whether it stands in local state
}

const BisectVersion = 1

func bisectName(s *store.Store, branch string) string {
	worktree := "main-worktree"
	if s.Repo().Linked() {
		worktree = "worktree-" + filepath.Base(s.Repo().GitDir())
	}
	return store.BisectFile(worktree, branch)
}

// lockBisect keeps two commands on one bisect apart.
func lockBisect(ctx context.Context, s *store.Store, branch string) (*git.Lock, error) {
	return s.Repo().Lock(ctx, bisectName(s, branch))
}

// openBisect reads and locks the bisect of the current branch. Where none is under
// way it says which branch that is: it may have been started on another.
func openBisect(ctx context.Context, s *store.Store) (*BisectState, *git.Lock, error) {
	branch, err := s.Current(ctx)
	if err != nil {
		return nil, nil, err
	}
	if st, err := readBisect(s, branch); err != nil || st == nil { // before a lock makes its file
		return nil, nil, notBisecting(ctx, s, branch, err)
	}
	lock, err := lockBisect(ctx, s, branch)
	if err != nil {
		return nil, nil, err
	}
	st, err := readBisect(s, branch)
	if err != nil || st == nil {
		return nil, nil, errors.Join(notBisecting(ctx, s, branch, err), lock.Unlock())
	}
	return st, lock, nil
}

func notBisecting(ctx context.Context, s *store.Store, branch string, err error) error {
	if err != nil {
		return err
	}
	if _, err := s.Tip(ctx, branch); err != nil { // no memory, or no such branch
		return err
	}
	return fail.New(fail.ErrNotFound, fail.NotBisecting, fmt.Sprintf("no bisect is under way on '%s' in this worktree", branch),
		"git context bisect start")
}

// readBisect reads the bisect of a branch; nil if there is none.
func readBisect(s *store.Store, branch string) (*BisectState, error) {
	st := &BisectState{Branch: branch, kept: true}
	found, bad, err := s.ReadState(bisectName(s, branch), st)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || st.Version != BisectVersion {
		return nil, &fail.Error{Code: fail.BisectState, Kind: fail.ErrInvalid, Err: bad, Hints: []string{"git context bisect reset"},
			Message: fmt.Sprintf("the bisect of '%s' cannot be read", branch)}
	}
	return st, nil
}

func writeBisect(s *store.Store, st *BisectState) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(bisectName(s, st.Branch), append(data, '\n'))
}

func dropBisect(s *store.Store, branch string) (was bool, err error) {
	err = os.Remove(s.StatePath(bisectName(s, branch)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// missing is how to say what a bisect does not know yet.
func (st *BisectState) missing() []string {
	var hints []string
	if st.Bad == "" {
		hints = append(hints, "git context bisect bad")
	}
	if len(st.Good) == 0 {
		hints = append(hints, "git context bisect good C")
	}
	return hints
}
