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
	"github.com/git-context/git-context/refs/remote"
)

// readHeld reads what the peer held when it was last asked, and finishes what was to be
// deleted of it.
func (ex *exchanger) readHeld(ctx context.Context) (err error) {
	if ex.old, err = expunge.ReadHeldState(ex.s, ex.peer); err != nil || len(ex.old.Purge) == 0 {
		return err
	}
	_, err = ex.deleteOld(ctx) // what is still in tracking refs is found again
	return err
}

// stillHeld asks the peer for its refs where it held old history, and forgets of
// which it does not any more. It returns refspecs that leave out the others.
func (ex *exchanger) stillHeld(ctx context.Context, tracked *remote.RefSet) ([]string, error) {
	before := len(ex.old.Refs)
	for ref, h := range ex.old.Refs {
		if expunge.At(tracked, ref) != h.Now { // fetched by plain git, or dropped, since
			delete(ex.old.Refs, ref)
		}
	}
	if len(ex.old.Refs) == 0 || ex.peer.Bundle {
		return nil, ex.saveHeld(before)
	}
	var names []string
	for ref := range ex.old.Refs {
		names = append(names, git.NameOn(ref, ex.peer.Heads))
	}
	list, err := ex.s.Repo().LsRemote(ctx, ex.peer.Name, names...)
	if errors.Is(err, git.ErrUnreachable) {
		err = unreachable(ex.peer.Name, err)
	}
	if err != nil {
		return nil, err
	}
	there := map[string]git.ID{}
	for _, r := range list {
		there[git.NameHere(r.Name, ex.peer.Heads)] = r.ID
	}
	var not []string
	for _, h := range ex.old.List() {
		if there[h.Ref] != h.Old {
			delete(ex.old.Refs, h.Ref)
			continue
		}
		not = append(not, "^"+git.NameOn(h.Ref, ex.peer.Heads))
	}
	return not, ex.saveHeld(before)
}

// saveHeld writes the state where refs went from it.
func (ex *exchanger) saveHeld(before int) error {
	if len(ex.old.Refs) == before {
		return nil
	}
	return expunge.WriteHeldState(ex.s, ex.peer, ex.old)
}

// replaceTracking puts tracking refs to what they are without what was forgotten, and
// deletes what they held: a kill in between is made up for by recall.
func (ex *exchanger) replaceTracking(ctx context.Context, held []expunge.HeldRef, theirs *remote.RefSet) error {
	for _, h := range held {
		ex.old.Refs[h.Ref] = h
		ex.old.Purge = append(ex.old.Purge, h.Old)
	}
	if err := expunge.WriteHeldState(ex.s, ex.peer, ex.old); err != nil {
		return err
	}
	ses, err := ex.s.Begin(ctx, ex.o.Writer, "expunge: "+prose.OneLine(ex.peer.Name, 100))
	if err != nil {
		return err
	}
	defer ses.Close()
	mapped, err := ex.mapped(ctx)
	if err != nil {
		return err
	}
	for _, r := range mapped { // the next `git fetch` makes them anew
		if slices.ContainsFunc(held, func(h expunge.HeldRef) bool { return h.Old == r.ID }) {
			ses.Refs.Delete(r.Name, r.ID)
		}
	}
	for _, h := range held {
		if h.Now == "" { // of notes nothing may be left
			ses.Refs.Delete(ex.peer.Tracking.Of(h.Ref), h.Old)
		} else {
			ses.Refs.Update(ex.peer.Tracking.Of(h.Ref), h.Now, h.Old)
		}
		set(theirs, git.Ref{Name: h.Ref, ID: h.Now})
	}
	if err := ses.Refs.Commit(ctx); err != nil {
		return err
	}
	fault.Point("held-replaced")
	kept, err := ex.deleteOld(ctx)
	for _, k := range kept {
		ex.warn(fmt.Sprintf("%s of what '%s' still holds cannot be deleted here: %s", prose.Count(len(k.Objects), "object"), ex.peer.Name, expunge.KeptBy(k)))
	}
	return err
}

// deleteOld deletes the objects of old history that were fetched, and says what could
// not be.
func (ex *exchanger) deleteOld(ctx context.Context) ([]pack.Kept, error) {
	var logs []string
	for ref := range ex.old.Refs {
		logs = append(logs, ex.peer.Tracking.Of(ref))
	}
	mapped, err := ex.mapped(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range mapped {
		logs = append(logs, r.Name)
	}
	if err := ex.s.Repo().DropReflogs(ctx, logs); err != nil {
		return nil, err
	}
	res, err := pack.Purge(ctx, ex.s.Repo(), ex.old.Purge)
	if err != nil {
		return nil, err
	}
	ex.old.Purge = nil
	return res.Kept, expunge.WriteHeldState(ex.s, ex.peer, ex.old)
}

// mapped are the refs in which git itself keeps the memory of a peer that has it among
// its branches.
func (ex *exchanger) mapped(ctx context.Context) ([]git.Ref, error) {
	if !ex.peer.Heads || ex.peer.Bundle {
		return nil, nil
	}
	return ex.s.Repo().Refs(ctx, git.MappedTracking(ex.peer.Name))
}
