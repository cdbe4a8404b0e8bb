package expunge

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Tombstones returns the tombstones of the current roadmap; none without a roadmap.
func Tombstones(ctx context.Context, s *store.Store) (doc.Expunged, error) {
	tip, err := s.RoadmapTip(ctx)
	if err != nil || tip == "" {
		return doc.Expunged{}, err
	}
	c, err := s.Repo().Commit(ctx, tip)
	if err != nil {
		return doc.Expunged{}, err
	}
	return TombstonesIn(ctx, s, s.Repo().Edit(c.Tree))
}

// TombstonesAt returns the tombstones of a commit of the roadmap; none for "".
func TombstonesAt(ctx context.Context, s *store.Store, roadmap git.ID) (doc.Expunged, error) {
	if roadmap == "" {
		return doc.Expunged{}, nil
	}
	c, err := s.Repo().Commit(ctx, roadmap)
	if err != nil {
		return doc.Expunged{}, fmt.Errorf("read the roadmap: %w", err)
	}
	return TombstonesIn(ctx, s, s.Repo().Edit(c.Tree))
}

// TombstonesIn returns the tombstones in a tree of the roadmap.
func TombstonesIn(ctx context.Context, s *store.Store, tree *git.Edit) (doc.Expunged, error) {
	e, ok, err := tree.Entry(ctx, doc.ExpungedFile)
	if err != nil || !ok {
		return doc.Expunged{}, err
	}
	data, err := s.Repo().Blob(ctx, e.ID)
	if err != nil {
		return doc.Expunged{}, err
	}
	parsed, err := doc.ParseExpunged(data)
	if err != nil {
		return doc.Expunged{}, fmt.Errorf("%s: %w", doc.ExpungedFile, err)
	}
	return parsed, nil
}

// PutTombstones writes tombstones into a tree of the roadmap. fail.ErrRefused: they exceed
// doc.MaxExpunged, or their words doc.MaxWords.
func PutTombstones(ctx context.Context, ses *store.Transaction, tree *git.Edit, e doc.Expunged) error {
	data := e.Bytes()
	if len(data) > doc.MaxExpunged {
		return fail.New(fail.ErrRefused, fail.ExpungedFull,
			fmt.Sprintf("%s would have %d bytes; at most %d are allowed", doc.ExpungedFile, len(data), doc.MaxExpunged))
	}
	if !e.WordsFit(1) {
		return tooManyWords()
	}
	return ses.Put(ctx, tree, doc.ExpungedFile, data)
}

// CheckForeign checks a commit that no ref of this repository leads to yet: its documents must
// be valid and have the signatures that context.<remote>.verify demands, and it must contain
// nothing expunged. hint is the command that the refusal
// suggests.
func CheckForeign(ctx context.Context, s *store.Store, at git.Ref, hint string) error {
	if err := incoming.Check(ctx, s, incoming.Refs{Branches: []git.Ref{at}}); err != nil {
		return err
	}
	if err := refuseUnverified(ctx, s, at); err != nil {
		return err
	}
	return RefuseExpunged(ctx, s, at.ID, "'"+at.Name+"'", hint)
}

// refuseUnverified refuses a revision that brings a commit which no known signer has signed, or
// warns of it, as context.<remote>.verify says.
func refuseUnverified(ctx context.Context, s *store.Store, at git.Ref) error {
	demand, err := remote.VerifyFor(ctx, s, at.Name)
	if err != nil || demand == remote.VerifyOff {
		return err
	}
	return incoming.CheckSigned(ctx, s, at.ID, "'"+at.Name+"'", demand == remote.VerifyWarn, "")
}

// RefuseExpunged returns fail.ErrRefused if a commit leads to history that was expunged here.
// what names it in the message; hint is a command to suggest.
func RefuseExpunged(ctx context.Context, s *store.Store, id git.ID, what, hint string) error {
	e, err := Tombstones(ctx, s)
	if err != nil || e.Empty() {
		return err
	}
	now, err := NewRewriter(s, e).RewriteNew(ctx, []git.ID{id})
	if err != nil || now[id] == id {
		return err
	}
	return fail.New(fail.ErrRefused, fail.ExpungedOnRemote, what+" contains what was expunged", hint)
}
