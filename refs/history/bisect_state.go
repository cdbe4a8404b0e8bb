package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// BisectState is a bisect in local state: one file for each worktree and branch, because
// agents may share either. Only the file's name contains the branch, so that a rename of
// the branch is a rename of the file. Commits are named by hash, so that other branches may
// be renamed or deleted.
type BisectState struct {
	Version int           `json:"version"`
	Branch  string        `json:"-"`
	Bad     git.ID        `json:"bad,omitempty"`
	Good    []git.ID      `json:"good"`
	Skipped []git.ID      `json:"skipped"`
	Next    git.ID        `json:"next,omitempty"` // the commit that the user was asked to test
	Log     []BisectEntry `json:"log"`

	kept bool // it was read from local state
}

// BisectVersion is the version of the file of a bisect.
const BisectVersion = 1

// BisectFile returns the name of a branch's bisect in this worktree, in local state.
func BisectFile(s *store.Store, branch string) string {
	return store.BisectFile(s.WorktreeName(), branch)
}

// lockBisect excludes other commands from a bisect.
func lockBisect(ctx context.Context, s *store.Store, branch string) (*git.Lock, error) {
	return s.Repo().Lock(ctx, BisectFile(s, branch))
}

// openBisect locks and reads the bisect of the current branch. Its error names the branch,
// because the bisect may have been started on another one.
func openBisect(ctx context.Context, s *store.Store) (*BisectState, *git.Lock, error) {
	branch, err := s.Current(ctx)
	if err != nil {
		return nil, nil, err
	}
	if st, err := readBisect(s, branch); err != nil || st == nil { // a lock would create its file
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
	if _, err := s.Tip(ctx, branch); err != nil { // there is no memory, or no such branch
		return err
	}
	return fail.New(fail.ErrNotFound, fail.NotBisecting,
		fmt.Sprintf("no bisect is in progress on '%s' in this worktree", branch),
		"git context bisect start")
}

// readBisect reads the bisect of a branch; nil if there is none.
func readBisect(s *store.Store, branch string) (*BisectState, error) {
	st := &BisectState{Branch: branch, kept: true}
	found, bad, err := s.ReadState(BisectFile(s, branch), st)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || st.Version != BisectVersion {
		return nil, &fail.Error{Code: fail.BisectState, Kind: fail.ErrInvalid, Err: bad,
			Hints:   []string{"git context bisect reset"},
			Message: fmt.Sprintf("the bisect of '%s' cannot be read", branch)}
	}
	return st, nil
}

func writeBisect(s *store.Store, st *BisectState) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(BisectFile(s, st.Branch), append(data, '\n'))
}

func dropBisect(s *store.Store, branch string) (was bool, err error) {
	err = os.Remove(s.StatePath(BisectFile(s, branch)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// missing returns the commands that set the marks that a bisect lacks.
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
