package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// tried calls f with an act of forgetting what tombstones say, that writes objects which
// nobody sees and moves no ref.
func Tried(ctx context.Context, s *store.Store, e doc.Expunged, f func(*Expunging) error) (err error) {
	repo, remove, err := s.Repo().Quarantine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	q := s.Over(repo)
	known, err := Tombstones(ctx, q)
	if err != nil {
		return err
	}
	return f(&Expunging{S: q, Rw: NewRewriter(q, known.Union(e))})
}

// preview finds out what forgetting would change. Like the real run it checks first what
// history would be.
func Preview(ctx context.Context, s *store.Store, e doc.Expunged, check func(context.Context, *Expunging, []git.ID) error, res *Result) error {
	return Tried(ctx, s, e, func(x *Expunging) error {
		v, err := MemoryRefs(ctx, x.S)
		if err != nil {
			return err
		}
		now, err := x.Rw.Rewrite(ctx, v.Tips())
		if err != nil {
			return err
		}
		if err := check(ctx, x, tipsNow(now)); err != nil {
			return err
		}
		res.Commits = len(x.Rw.replaced())
		if v.Notes != "" {
			if _, res.Notes, err = x.Rw.notesTree(ctx, v.Notes); err != nil {
				return err
			}
		}
		if err := x.quoting(func(string) error { return nil }); err != nil {
			return err
		}
		res.Warnings = append(res.Warnings, x.Res.Warnings...)
		return x.wouldHold(ctx, res)
	})
}

// wouldHold says which remotes hold it. Commands for them are made when refs have moved.
func (x *Expunging) wouldHold(ctx context.Context, res *Result) error {
	held, err := x.Rw.holdings(ctx)
	if err != nil {
		return err
	}
	for name, refs := range held {
		h := RemoteHolding{Remote: name, Refs: []string{}, Commands: []string{}}
		for _, r := range refs {
			h.Refs = append(h.Refs, r.Ref)
		}
		res.Remotes = append(res.Remotes, h)
	}
	slices.SortFunc(res.Remotes, func(a, b RemoteHolding) int { return strings.Compare(a.Remote, b.Remote) })
	return nil
}

func Forgotten(entries int) string {
	switch entries {
	case 0:
		return "texts"
	case 1:
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", entries)
}
