package remake

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// noneWaits refuses to rewrite what a merge takes in that waits to be resolved: the old ids would come back with it.
func noneWaits(ctx context.Context, s *store.Store, refs []git.Ref) error {
	merges, err := waiting(ctx, s)
	if err != nil {
		return err
	}
	for name, held := range merges {
		for _, r := range refs {
			within := r.Name == git.BranchRef(name)
			if !within && held.Tip != "" {
				if within, err = s.Repo().IsAncestor(ctx, held.Tip, r.ID); err != nil && !errors.Is(err, git.ErrNotFound) {
					return err
				}
			}
			if within {
				return fail.New(fail.ErrRefused, fail.MergeWaiting,
					fmt.Sprintf("a merge waits to be resolved on branch '%s'", name),
					"git context merge --continue, or git context merge --abort")
			}
		}
	}
	return nil
}

// waiting returns the merges that wait to be resolved, by their target.
func waiting(ctx context.Context, s *store.Store) (map[string]*store.WaitingMerge, error) {
	names, err := s.BranchNames(ctx)
	if err != nil {
		return nil, err
	}
	list := map[string]*store.WaitingMerge{}
	for _, name := range names {
		held, err := s.ReadMerge(name)
		if err != nil {
			return nil, err
		}
		if held != nil {
			list[name] = held
		}
	}
	return list, nil
}

// goOn lets the merges that wait on branches go on with what their sources are now: their answers are about texts.
func (h *Holes) goOn(w *Rewriter, branches []string) error {
	for _, name := range branches {
		held, err := h.s.ReadMerge(name)
		if err != nil {
			return err
		}
		if held == nil || held.Tip == "" {
			continue
		}
		now := h.now(w, held.Tip)
		if now == held.Tip || now == "" {
			continue
		}
		held.Tip = now
		if err := h.s.WriteHeld(held); err != nil {
			return err
		}
	}
	return nil
}
