package githook

import (
	"context"

	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// AutoSync is the name of the work that SyncBehind starts, as a hook of git-context.
const AutoSync = "auto-sync"

// SyncBehind starts a sync in the background if context.autoSync is on: the caller does not
// wait for the network. program is the path of this program; without one nothing is started.
func SyncBehind(ctx context.Context, s *store.Store, program string) error {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	on, err := cfg.Bool(store.KeyAutoSync, false)
	if !on || err != nil || program == "" {
		return err
	}
	return s.Repo().StartBehind(program, "git-context", "hook", AutoSync)
}

// SyncAlone is Sync for processes in the background: one of them runs and one waits for it;
// any other returns at once, because the one that waits takes what it would have sent.
func SyncAlone(ctx context.Context, s *store.Store, w store.Writer) error {
	next, free, err := s.Repo().TryLock(AutoSync + " next")
	if err != nil || !free {
		return err
	}
	running, err := s.Repo().Lock(ctx, AutoSync)
	_ = next.Unlock() // the end of the process releases it in any case
	if err != nil {
		return err
	}
	defer func() { _ = running.Unlock() }() // as above
	_, err = share.Sync(ctx, s, share.Options{Writer: w})
	return err
}
