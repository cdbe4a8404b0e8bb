package expunge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// HereName is the file of local state with the tombstones of what was expunged here, in the form of
// [doc.Expunged]. The roadmap has them, too, but a forced fetch may set that back before anybody else has them.
const HereName = "expunged.txt"

// Missing returns the tombstones of what was expunged here that the roadmap lacks, whose tombstones are
// known. fail.ErrInvalid: the file cannot be read.
func Missing(s *store.Store, known doc.Expunged) (doc.Expunged, error) {
	here, err := Here(s)
	if err != nil || known.Contains(here) {
		return doc.Expunged{}, err
	}
	return here.Since(known), nil
}

// Here returns the tombstones of what was expunged here. fail.ErrInvalid: the file cannot be read.
func Here(s *store.Store) (doc.Expunged, error) {
	path := s.StatePath(HereName)
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return doc.Expunged{}, nil
	}
	if err != nil {
		return doc.Expunged{}, err
	}
	e, err := doc.ParseExpunged(data)
	if err != nil {
		return e, &fail.Error{Code: fail.ExpungeIntent, Kind: fail.ErrInvalid, Err: err, Hints: []string{"rm " + prose.ShellQuoted(path)},
			Message: fmt.Sprintf("'%s', the list of what was expunged here, cannot be read", path)}
	}
	return e, nil
}

// RefreshHere takes over what the roadmap says of the tombstones in the list, after some were refused: what was refused is
// not missing should the roadmap be set back.
func RefreshHere(ctx context.Context, s *store.Store) (err error) {
	lock, err := s.Repo().Lock(ctx, LockName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return keepHere(ctx, s, doc.Expunged{})
}

// keepHere lists what was asked for here, and the commits that this replaced.
func (op *Operation) keepHere(ctx context.Context) error {
	add := op.intent.pending.Union(doc.Expunged{})
	if !add.Empty() {
		for _, hash := range op.intent.expunged.Commits() {
			if err := add.AddCommit(hash); err != nil {
				return err
			}
		}
	}
	return keepHere(ctx, op.Store, add)
}

// keepHere adds some tombstones to the list, and to those in it the numbers that the roadmap says. The caller has
// LockName.
func keepHere(ctx context.Context, s *store.Store, add doc.Expunged) error {
	before, err := Here(s)
	if err != nil {
		return err
	}
	now := before.Union(add)
	if now.Empty() {
		return nil
	}
	known, err := Tombstones(ctx, s)
	if err != nil {
		return err
	}
	if now = now.Union(known.Of(now)); before.Contains(now) {
		return nil
	}
	return s.Repo().WriteStateFile(HereName, now.Bytes())
}
