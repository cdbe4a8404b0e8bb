package refs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The bounds of context.pushTimeout, in seconds.
const (
	defaultPushTimeout = 10
	mostPushTimeout    = 3600
)

// PushBeside is what the hook pre-push does where context.push is set: it sends the
// memory to the remote that code is pushed to, within context.pushTimeout seconds. The
// setting is the consent: a remote without memory gets it. What is no remote's name (a
// URL) gets none. news says that the remote has what is not here, which a sync merges.
func (s *Store) PushBeside(ctx context.Context, w Writer, remote string) (news bool, err error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return false, err
	}
	on, err := cfg.Bool(keyPush, false)
	if !on || err != nil {
		return false, err
	}
	names, err := s.repo.Remotes(ctx)
	if err != nil || !slices.Contains(names, remote) {
		return false, err
	}
	seconds, err := cfg.Int(keyPushTimeout, defaultPushTimeout)
	if err == nil && (seconds < 1 || seconds > mostPushTimeout) {
		err = fmt.Errorf("%s is %d; it must be 1 to %d", keyPushTimeout, seconds, mostPushTimeout)
	}
	if err != nil {
		return false, err
	}
	if _, err := s.Tip(ctx, ""); err != nil {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	_, err = s.Push(limited, SyncOptions{Writer: w, Remote: remote})
	var named *Error
	switch {
	case errors.As(err, &named) && named.Code == "diverged":
		return true, nil
	case err != nil && limited.Err() != nil:
		return false, fmt.Errorf("'%s' did not take the memory within %s", remote, count(seconds, "second"))
	}
	return false, err
}
