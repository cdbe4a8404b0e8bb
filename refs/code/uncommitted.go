package code

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// State is the code that a worktree has.
type State struct {
	Branch      string  `json:"branch"` // "" if HEAD is detached
	Commit      *git.ID `json:"commit"` // nil while HEAD is unborn
	Uncommitted []Edit  `json:"uncommitted"`

	// Late is true if git took longer than the wait to list what is uncommitted.
	Late bool `json:"-"`
	// Lacking is true if git could not list it, because a tree or a file of the code is not here.
	Lacking bool `json:"-"`
}

// Edit is a file whose content is not committed.
type Edit struct {
	Path    string `json:"path"`    // from the top of the worktree; ends in a slash for a directory without tracked files
	Added   *int   `json:"added"`   // lines; nil for a file that git does not track, that is not text, or whose lines git could not count
	Removed *int   `json:"removed"` // the same
	New     bool   `json:"-"`       // git does not track it
}

// ReadState reads the state of the code: the branch, the commit, and the files that are not
// committed, tracked ones first. Git lists them without writing the index. Uncommitted is nil
// if it is unknown: wait is over, or 0; or an object of the code is not here; or the repository is bare.
func ReadState(ctx context.Context, s *store.Store, wait time.Duration) (State, error) {
	var st State
	head, err := s.CodeHead(ctx)
	if err != nil {
		return st, err
	}
	if head != "" {
		st.Commit = &head
	}
	target, err := s.Repo().SymbolicRef(ctx, "HEAD")
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return st, err
	}
	st.Branch, _ = git.CodeBranchName(target)
	if wait <= 0 || s.Repo().WorkTree() == "" {
		return st, nil
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	st.Uncommitted, err = uncommitted(limited, s.Repo())
	if limited.Err() != nil && ctx.Err() == nil {
		st.Uncommitted, st.Late = nil, true
		return st, nil
	}
	if git.NotHere(err) {
		st.Uncommitted, st.Lacking = nil, true
		return st, nil
	}
	return st, err
}

// StateWait returns how long ReadState may take by the settings context.codeStatus and
// context.codeWait, which is otherwise where the latter is not set.
func StateWait(cfg *git.Config, otherwise time.Duration) (time.Duration, error) {
	asked, err := cfg.Bool(store.KeyCodeStatus, true)
	if err != nil || !asked {
		return 0, err
	}
	ms, err := cfg.Int(store.KeyCodeWait, int(otherwise/time.Millisecond))
	if err == nil && (ms < 1 || ms > store.MostCodeWait) {
		err = fmt.Errorf("%s is %d; it must be 1 to %d", store.KeyCodeWait, ms, store.MostCodeWait)
	}
	return time.Duration(ms) * time.Millisecond, err
}

func uncommitted(ctx context.Context, repo *git.Repo) ([]Edit, error) {
	var untracked []string
	var lost error
	var asked sync.WaitGroup
	asked.Go(func() { untracked, lost = repo.Untracked(ctx) })
	files, err := repo.EditedLines(ctx)
	asked.Wait()
	if err := errors.Join(err, lost); err != nil {
		return nil, err
	}
	edits := make([]Edit, 0, len(files)+len(untracked))
	for _, f := range files {
		e := Edit{Path: f.Path}
		if f.Added >= 0 {
			e.Added, e.Removed = &f.Added, &f.Removed
		}
		edits = append(edits, e)
	}
	for _, path := range untracked {
		edits = append(edits, Edit{Path: path, New: true})
	}
	return edits, nil
}
