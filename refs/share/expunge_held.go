package share

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// recall reads what the peer held when it was last asked, and finishes what was to be
// deleted of it.
func (y *syncing) recall(ctx context.Context) (err error) {
	if y.old, err = expunge.ReadHeldState(y.s, y.peer); err != nil || len(y.old.Purge) == 0 {
		return err
	}
	_, err = y.deleteOld(ctx) // what is still in tracking refs is found again
	return err
}

// stillHeld asks the peer for its refs where it held old history, and forgets of
// which it does not any more. It returns refspecs that leave out the others.
func (y *syncing) stillHeld(ctx context.Context, tracked *store.Survey) ([]string, error) {
	before := len(y.old.Refs)
	for ref, h := range y.old.Refs {
		if expunge.At(tracked, ref) != h.Now { // fetched by plain git, or dropped, since
			delete(y.old.Refs, ref)
		}
	}
	if len(y.old.Refs) == 0 || y.peer.Bundle {
		return nil, y.saveHeld(before)
	}
	var names []string
	for ref := range y.old.Refs {
		names = append(names, git.NameOn(ref, y.peer.Heads))
	}
	list, err := y.s.Repo().LsRemote(ctx, y.peer.Name, names...)
	if errors.Is(err, git.ErrUnreachable) {
		err = unreachable(y.peer.Name, err)
	}
	if err != nil {
		return nil, err
	}
	there := map[string]git.ID{}
	for _, r := range list {
		there[git.NameHere(r.Name, y.peer.Heads)] = r.ID
	}
	var not []string
	for _, h := range y.old.List() {
		if there[h.Ref] != h.Old {
			delete(y.old.Refs, h.Ref)
			continue
		}
		not = append(not, "^"+git.NameOn(h.Ref, y.peer.Heads))
	}
	return not, y.saveHeld(before)
}

// saveHeld writes the state where refs went from it.
func (y *syncing) saveHeld(before int) error {
	if len(y.old.Refs) == before {
		return nil
	}
	return expunge.WriteHeldState(y.s, y.peer, y.old)
}

// replaceTracking puts tracking refs to what they are without what was forgotten, and
// deletes what they held: a kill in between is made up for by recall.
func (y *syncing) replaceTracking(ctx context.Context, held []expunge.HeldRef, theirs *store.Survey) error {
	for _, h := range held {
		y.old.Refs[h.Ref] = h
		y.old.Purge = append(y.old.Purge, h.Old)
	}
	if err := expunge.WriteHeldState(y.s, y.peer, y.old); err != nil {
		return err
	}
	ses, err := y.s.Begin(ctx, y.o.Writer, "expunge: "+prose.OneLine(y.peer.Name, 100))
	if err != nil {
		return err
	}
	defer ses.Close()
	mapped, err := y.mapped(ctx)
	if err != nil {
		return err
	}
	for _, r := range mapped { // the next `git fetch` makes them anew
		if slices.ContainsFunc(held, func(h expunge.HeldRef) bool { return h.Old == r.ID }) {
			ses.Tx.Delete(r.Name, r.ID)
		}
	}
	for _, h := range held {
		if h.Now == "" { // of notes nothing may be left
			ses.Tx.Delete(y.peer.Tracking.Of(h.Ref), h.Old)
		} else {
			ses.Tx.Update(y.peer.Tracking.Of(h.Ref), h.Now, h.Old)
		}
		set(theirs, git.Ref{Name: h.Ref, ID: h.Now})
	}
	if err := ses.Tx.Commit(ctx); err != nil {
		return err
	}
	fault.Point("held-replaced")
	kept, err := y.deleteOld(ctx)
	for _, k := range kept {
		y.warn(fmt.Sprintf("%s of what '%s' still holds cannot be deleted here: %s", prose.Count(len(k.Objects), "object"), y.peer.Name, expunge.KeptBy(k)))
	}
	return err
}

// deleteOld deletes the objects of old history that were fetched, and says what could
// not be.
func (y *syncing) deleteOld(ctx context.Context) ([]pack.Kept, error) {
	var logs []string
	for ref := range y.old.Refs {
		logs = append(logs, y.peer.Tracking.Of(ref))
	}
	mapped, err := y.mapped(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range mapped {
		logs = append(logs, r.Name)
	}
	if err := y.s.Repo().DropReflogs(ctx, logs); err != nil {
		return nil, err
	}
	res, err := pack.Purge(ctx, y.s.Repo(), y.old.Purge)
	if err != nil {
		return nil, err
	}
	y.old.Purge = nil
	return res.Kept, expunge.WriteHeldState(y.s, y.peer, y.old)
}

// mapped are the refs in which git itself keeps the memory of a peer that has it among
// its branches.
func (y *syncing) mapped(ctx context.Context) ([]git.Ref, error) {
	if !y.peer.Heads || y.peer.Bundle {
		return nil, nil
	}
	return y.s.Repo().Refs(ctx, git.MappedTracking(y.peer.Name))
}
