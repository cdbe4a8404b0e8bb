package share

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

// HookFailure is a hook that could not do its work. The hook reports success to git, because
// git's own command must not fail for it.
type HookFailure struct {
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
func (f HookFailure) Equal(g HookFailure) bool {
	return f.Time.Equal(g.Time) && f.Event == g.Event && f.Worktree == g.Worktree && f.Code == g.Code &&
		f.Message == g.Message
}

const (
	maxHookFailures  = 64 << 10 // bytes; older ones are dropped
	hookMessageLimit = 500      // characters
	mostUnsent       = 16
)

// RecordHookFailure records that a hook failed, for HookFailures. Unknown facts are left empty.
// Of pushes to one remote it keeps the last alone.
func RecordHookFailure(ctx context.Context, s *store.Store, event string, why error) error {
	f := HookFailure{Time: s.Clock().UTC().Truncate(time.Second), Event: event, Worktree: s.Repo().WorkTree(),
		Message: prose.OneLine(prose.HidePasswords(fail.Full(why)), hookMessageLimit)}
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
	return editHookFailures(ctx, s, func(text []byte) []byte {
		if f.Remote != "" {
			text = dropLines(text, func(g HookFailure) bool { return g.Event == f.Event && g.Remote == f.Remote })
		}
		text = append(text, append(line, '\n')...)
		for len(text) > maxHookFailures {
			text = text[bytes.IndexByte(text, '\n')+1:]
		}
		return text
	})
}

// HookFailures lists recorded failures, oldest first, except pushes whose memory the remote has
// by now. It skips lines of another version.
func HookFailures(ctx context.Context, s *store.Store) ([]HookFailure, error) {
	text, err := readHookFailures(s)
	if err != nil {
		return nil, err
	}
	var list []HookFailure
	for line := range bytes.Lines(text) {
		f, ok := parseHookFailure(line)
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

// DropHookFailures removes the failures for which keep returns false.
func DropHookFailures(ctx context.Context, s *store.Store, keep func(HookFailure) bool) error {
	return editHookFailures(ctx, s, func(text []byte) []byte {
		return dropLines(text, func(f HookFailure) bool { return !keep(f) })
	})
}

// dropLines removes the records for which drop returns true.
func dropLines(text []byte, drop func(HookFailure) bool) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if f, ok := parseHookFailure(line); !ok || !drop(f) {
			kept = append(kept, line...)
		}
	}
	return kept
}

func parseHookFailure(line []byte) (HookFailure, bool) {
	var f HookFailure
	err := json.Unmarshal(line, &f)
	return f, err == nil && f.Event != ""
}

func readHookFailures(s *store.Store) ([]byte, error) {
	text, err := git.ReadStateFile(s.StatePath(store.HookFailures))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// editHookFailures replaces the file by what edit returns, and removes an empty one.
func editHookFailures(ctx context.Context, s *store.Store, edit func([]byte) []byte) error {
	lock, err := s.Repo().Lock(ctx, "hook-failures")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	before, err := readHookFailures(s)
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
