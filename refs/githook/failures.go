// Package githook does the work of git's hooks that share memory or follow the code: it pushes
// memory together with the code (pre-push), syncs in the background, and switches to the memory
// branch of the code branch that was checked out (post-checkout).
//
// It reads the settings context.push, context.pushTimeout, context.autoSync and context.follow,
// and reads and writes hook-failures, a file of local state: a hook must not make git's own
// command fail, so that what one could not do is recorded there.
//
// Errors are those of package share and package store.
package githook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Failure is a hook that could not do its work. The hook reports success to git, because
// git's own command must not fail for it.
type Failure struct {
	Time     time.Time `json:"time"`
	Event    string    `json:"event"`    // post-commit, …
	Worktree string    `json:"worktree"` // its top directory; of a bare repository, the git directory
	Code     git.ID    `json:"code"`     // HEAD then; "" if unborn, or unreadable
	Branch   string    `json:"branch"`   // the memory branch that was current
	Message  string    `json:"message"`

	// Of a push of memory that failed: where to, and what the remote had not then, as far
	// as was known here, by ref; not more than mostUnsent.
	Remote string            `json:"remote,omitempty"`
	Unsent map[string]git.ID `json:"unsent,omitempty"`
}

// Equal reports whether both are one record.
func (f Failure) Equal(g Failure) bool {
	return f.Time.Equal(g.Time) && f.Event == g.Event && f.Worktree == g.Worktree && f.Code == g.Code &&
		f.Message == g.Message
}

const (
	mostFailures = 64 << 10 // bytes; older ones are dropped
	messageLimit = 500      // characters
	mostUnsent   = 16
)

// RecordFailure records that a hook failed, for Failures. Unknown facts are left empty.
// Of pushes to one remote it keeps the last alone.
func RecordFailure(ctx context.Context, s *store.Store, event string, why error) error {
	f := Failure{Time: s.Clock().UTC().Truncate(time.Second), Event: event, Worktree: s.Repo().WorkTree(),
		Message: prose.OneLine(prose.HidePasswords(fail.Full(why)), messageLimit)}
	if f.Worktree == "" {
		f.Worktree = s.Repo().GitDir()
	}
	if code, err := s.CodeHead(ctx); err == nil {
		f.Code = code
	}
	if branch, err := s.Current(ctx); err == nil {
		f.Branch = branch
	}
	var push *pushFailure
	if errors.As(why, &push) {
		f.Remote = push.remote
		if unsent, err := unsent(ctx, s, push.remote); err == nil {
			f.Unsent = unsent
		}
	}
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return editFailures(ctx, s, func(text []byte) []byte {
		if f.Remote != "" {
			text = dropLines(text, func(g Failure) bool { return g.Event == f.Event && g.Remote == f.Remote })
		}
		text = append(text, append(line, '\n')...)
		for len(text) > mostFailures {
			text = text[bytes.IndexByte(text, '\n')+1:]
		}
		return text
	})
}

// Failures lists recorded failures, oldest first, except pushes whose memory the remote has
// by now. It skips lines of another version.
func Failures(ctx context.Context, s *store.Store) ([]Failure, error) {
	text, err := readFailures(s)
	if err != nil {
		return nil, err
	}
	var list []Failure
	for line := range bytes.Lines(text) {
		f, ok := parseFailure(line)
		if !ok {
			continue
		}
		sent, err := sentSince(ctx, s, f)
		if err != nil {
			return nil, err
		}
		if !sent {
			list = append(list, f)
		}
	}
	return list, nil
}

// DropFailures removes the failures for which keep returns false.
func DropFailures(ctx context.Context, s *store.Store, keep func(Failure) bool) error {
	return editFailures(ctx, s, func(text []byte) []byte {
		return dropLines(text, func(f Failure) bool { return !keep(f) })
	})
}

// dropLines removes the records for which drop returns true.
func dropLines(text []byte, drop func(Failure) bool) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if f, ok := parseFailure(line); !ok || !drop(f) {
			kept = append(kept, line...)
		}
	}
	return kept
}

func parseFailure(line []byte) (Failure, bool) {
	var f Failure
	err := json.Unmarshal(line, &f)
	return f, err == nil && f.Event != ""
}

func readFailures(s *store.Store) ([]byte, error) {
	text, err := git.ReadStateFile(s.StatePath(store.HookFailures))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// editFailures replaces the file by what edit returns, and removes an empty one.
func editFailures(ctx context.Context, s *store.Store, edit func([]byte) []byte) error {
	lock, err := s.Repo().Lock(ctx, "hook-failures")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	before, err := readFailures(s)
	if err != nil {
		return err
	}
	text := edit(bytes.Clone(before))
	switch {
	case bytes.Equal(text, before):
		return nil
	case len(text) == 0:
		return os.Remove(s.StatePath(store.HookFailures))
	}
	return s.Repo().WriteStateFile(store.HookFailures, text)
}
