package expunge

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// bundled is any bundle, as another repository: all have the same tracking refs.
func bundled() remote.Remote {
	return remote.Remote{Name: "bundle", Bundle: true, Tracking: git.BundleTracking()}
}

// LeftOfBundle returns the tracking refs that an unbundle left which was killed or failed. They keep all of
// its bundle, such as what was expunged after that was made. There are none of an unbundle that runs, nor
// of one whose conflicts wait to be resolved: these refs are needed still. Without such refs it costs the
// listing of two folders.
func LeftOfBundle(ctx context.Context, s *store.Store) (left []git.Ref, err error) {
	err = whileNoUnbundle(ctx, s, func() error {
		left, err = leftOfBundle(ctx, s)
		return err
	})
	return left, err
}

// DropBundle deletes the refs that LeftOfBundle returns, and returns them.
func DropBundle(ctx context.Context, s *store.Store, w store.Writer) (left []git.Ref, err error) {
	err = whileNoUnbundle(ctx, s, func() error {
		if left, err = leftOfBundle(ctx, s); err != nil || len(left) == 0 {
			return err
		}
		tx, err := s.Begin(ctx, w, "forget an unbundle")
		if err != nil {
			return err
		}
		defer tx.Close()
		return tx.Swap(ctx, func(ctx context.Context) error {
			if left, err = leftOfBundle(ctx, s); err != nil {
				return err
			}
			for _, r := range left {
				tx.Refs.Delete(r.Name, r.ID)
			}
			return nil
		})
	})
	return left, err
}

// whileNoUnbundle calls do under the lock of unbundle, unless there are no tracking refs of a bundle, or an unbundle runs.
func whileNoUnbundle(ctx context.Context, s *store.Store, do func() error) error {
	if has, err := hasBundleRefs(ctx, s); !has || err != nil {
		return err
	}
	lock, free, err := remote.TryLock(s, bundled())
	if err != nil || !free {
		return err
	}
	defer lock.Unlock()
	return do()
}

// hasBundleRefs reports whether there are tracking refs of a bundle.
func hasBundleRefs(ctx context.Context, s *store.Store) (bool, error) {
	for _, prefix := range bundled().Tracking.All() {
		if names, err := s.Repo().RefNames(ctx, prefix); err != nil || len(names) > 0 {
			return len(names) > 0, err
		}
	}
	return false, nil
}

// leftOfBundle is LeftOfBundle for a caller that has the lock.
func leftOfBundle(ctx context.Context, s *store.Store) ([]git.Ref, error) {
	list, err := s.Repo().Refs(ctx, bundled().Tracking.All()...)
	if err != nil {
		return nil, err
	}
	waits, err := bundleWaits(s, list)
	if err != nil || waits {
		return nil, err
	}
	return list, nil
}

// bundleWaits reports whether conflicts wait, or may wait, with what tracking refs of a bundle name.
func bundleWaits(s *store.Store, list []git.Ref) (bool, error) {
	files, err := os.ReadDir(s.StatePath(store.MergeDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, f := range files {
		data, err := git.ReadStateFile(s.StatePath(path.Join(store.MergeDir, f.Name())))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		var h store.WaitingMerge
		if len(data) > 0 && json.Unmarshal(data, &h) != nil {
			return true, nil // it may be with a bundle; fsck reports it and removes it
		}
		if !h.Bundle {
			continue
		}
		for ref, id := range h.Theirs {
			if slices.Contains(list, git.Ref{Name: bundled().Tracking.Of(ref), ID: id}) {
				return true, nil
			}
		}
	}
	return false, nil
}
