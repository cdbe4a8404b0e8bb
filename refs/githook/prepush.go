package githook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// The bounds of context.pushTimeout, in seconds.
const (
	defaultPushTimeout = 10
	mostPushTimeout    = 3600
)

// pushFailure is an error with the remote that did not get the memory.
type pushFailure struct {
	remote string
	error
}

// Unwrap returns the error without the remote.
func (e *pushFailure) Unwrap() error { return e.error }

// PushWithCode does the work of the hook pre-push if context.push is set: it sends memory to
// the remote that code is pushed to, within context.pushTimeout seconds. The setting is the
// consent, so that a remote without memory gets it; a URL instead of a remote's name gets none.
// If the remote has memory that is not here, nothing is sent and the error suggests a sync.
func PushWithCode(ctx context.Context, s *store.Store, w store.Writer, to string) error {
	limit, err := PushTimeout(ctx, s)
	if limit == 0 || err != nil {
		return err
	}
	names, err := s.Repo().Remotes(ctx)
	if err != nil || !slices.Contains(names, to) {
		return err
	}
	if _, err := s.Tip(ctx, ""); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err = share.Push(limited, s, share.Options{Writer: w, Remote: to})
	var named *fail.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &named) && named.Code == fail.Diverged:
		err = fmt.Errorf("'%s' has memory that is not here: %s", to, remote.SyncCommand(to))
	case limited.Err() != nil:
		err = fmt.Errorf("the push of memory to '%s' did not finish within %s", to,
			prose.Count(int(limit/time.Second), "second"))
	}
	return &pushFailure{to, err}
}

// PushTimeout returns how long PushWithCode may take; 0 if context.push is off.
func PushTimeout(ctx context.Context, s *store.Store) (time.Duration, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return 0, err
	}
	on, err := cfg.Bool(store.KeyPush, false)
	if !on || err != nil {
		return 0, err
	}
	seconds, err := cfg.Int(store.KeyPushTimeout, defaultPushTimeout)
	if err == nil && (seconds < 1 || seconds > mostPushTimeout) {
		err = fmt.Errorf("%s is %d; it must be 1 to %d", store.KeyPushTimeout, seconds, mostPushTimeout)
	}
	return time.Duration(seconds) * time.Second, err
}

// unsent returns the refs that a remote lacks, as far as is known here.
func unsent(ctx context.Context, s *store.Store, remote string) (map[string]git.ID, error) {
	list, err := s.Repo().Refs(ctx, git.BranchPrefix, git.TagPrefix, git.RoadmapRef, git.NotesRef)
	if err != nil {
		return nil, err
	}
	tracking := git.RemoteTracking(remote)
	unsent := map[string]git.ID{}
	for _, r := range list {
		there, err := s.Repo().Ref(ctx, tracking.Of(r.Name))
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return nil, err
		}
		if there != r.ID && len(unsent) < mostUnsent {
			unsent[r.Name] = r.ID
		}
	}
	return unsent, nil
}

// sentSince reports whether a remote has what a failed push did not send: commits that its refs
// descend from. A commit that is gone from here was rewritten, and needs no sending.
func sentSince(ctx context.Context, s *store.Store, f Failure) (bool, error) {
	tracking := git.RemoteTracking(f.Remote)
	for name, id := range f.Unsent {
		there, err := s.Repo().Ref(ctx, tracking.Of(name))
		if errors.Is(err, git.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if _, err := s.Repo().Commit(ctx, id); errors.Is(err, git.ErrNotFound) {
			continue
		}
		held, err := s.Repo().IsAncestor(ctx, id, there)
		if err == nil && !held {
			held, err = remote.Alike(ctx, s, id, there)
		}
		if !held || err != nil {
			return false, err
		}
	}
	return len(f.Unsent) > 0, nil
}
