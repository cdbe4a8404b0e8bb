package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// PreviousBranch returns the branch that was the current one of this worktree before, as `git
// switch -` means it. fail.ErrNotFound: none was.
func (s *Store) PreviousBranch() (string, error) {
	data, err := os.ReadFile(s.StatePath(s.previousFile()))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fail.New(fail.ErrNotFound, fail.BranchNotFound, "no branch was current before this one", "git context branch")
	}
	if err != nil {
		return "", fmt.Errorf("cannot read which branch was current before: %w", err)
	}
	name := strings.TrimSuffix(string(data), "\n")
	if err := CheckBranchName(name); err != nil {
		return "", fmt.Errorf("'%s': %w", s.StatePath(s.previousFile()), err)
	}
	return name, nil
}

// rememberPrevious keeps the name of the branch that ref, the target of CONTEXT_HEAD, names.
func (s *Store) rememberPrevious(ref string) error {
	name, ok := git.BranchName(ref)
	if !ok {
		return nil
	}
	return s.repo.WriteStateFile(s.previousFile(), []byte(name+"\n"))
}

// previousFile is one for each worktree.
func (s *Store) previousFile() string {
	if !s.repo.Linked() {
		return path.Join(previousDir, "main")
	}
	return path.Join(previousDir, "worktree-"+filepath.Base(s.repo.GitDir()))
}

const previousDir = "previous"
