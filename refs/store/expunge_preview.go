package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// tried calls f with an act of forgetting what tombstones say, that writes objects which
// nobody sees and moves no ref.
func (s *Store) Tried(ctx context.Context, e doc.Expunged, f func(*Expunging) error) (err error) {
	repo, remove, err := s.repo.Quarantine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	q := &Store{repo: repo, Clock: s.Clock, Branch: s.Branch, known: map[string]*sources{}}
	known, err := q.Tombstones(ctx)
	if err != nil {
		return err
	}
	return f(&Expunging{S: q, Rw: q.NewRewriter(known.Union(e))})
}

// preview finds out what forgetting would change. Like the real run it checks first what
// history would be.
func (s *Store) Preview(ctx context.Context, e doc.Expunged, check func(context.Context, *Expunging, []git.ID) error, res *ExpungeResult) error {
	return s.Tried(ctx, e, func(x *Expunging) error {
		v, err := x.S.MemoryRefs(ctx)
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
func (x *Expunging) wouldHold(ctx context.Context, res *ExpungeResult) error {
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
