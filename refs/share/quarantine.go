package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remote"
)

// A ref of the other side that cannot be fetched, or that is refused, harms only itself: it is set
// aside for this exchange, which goes on with the others and says at its end which and why.

// setAside makes both sides look alike in what is set aside, so that it is neither merged, nor
// taken, nor pushed.
func (ex *exchanger) setAside(ours, theirs *remote.RefSet) {
	for ref := range ex.aside {
		set(theirs, git.Ref{Name: ref, ID: expunge.RefID(ours, ref)})
	}
	none := func(_ string, id git.ID) bool { return id == "" }
	maps.DeleteFunc(theirs.Branches, none)
	maps.DeleteFunc(theirs.Tags, none)
	maps.DeleteFunc(theirs.Works, none)
}

// refsOf lists the refs of a side, by their names here.
func refsOf(v *remote.RefSet) []git.Ref {
	var list []git.Ref
	for _, of := range []struct {
		ids  map[string]git.ID
		name func(string) string
	}{{v.Branches, git.BranchRef}, {v.Tags, git.TagRef}, {v.Works, git.WorkRef}} {
		for _, name := range slices.Sorted(maps.Keys(of.ids)) {
			list = append(list, git.Ref{Name: of.name(name), ID: of.ids[name]})
		}
	}
	return append(list, git.Ref{Name: git.RoadmapRef, ID: v.Roadmap}, git.Ref{Name: git.NotesRef, ID: v.Notes})
}

// findRefused sets aside the refs of the other side that are refused, after err said that one is.
// It reports whether it found any; else err remains.
func (ex *exchanger) findRefused(ctx context.Context, err error) (bool, error) {
	var refusal *fail.Error
	if !ex.merge || !errors.As(err, &refusal) || refusal.Code != fail.IncomingInvalid {
		return false, err
	}
	ours, theirs, surveyErr := remote.Survey(ctx, ex.s, ex.peer)
	if surveyErr != nil {
		return false, errors.Join(err, surveyErr)
	}
	found := false
	for _, r := range refsOf(&theirs) {
		if r.ID == "" || r.ID == expunge.RefID(&ours, r.Name) || ex.aside[r.Name] != nil {
			continue
		}
		in := incoming.Refs{}
		at := []git.Ref{{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}}
		switch _, isBranch := git.BranchName(r.Name); {
		case isBranch:
			in.Branches = at
		case r.Name == git.RoadmapRef:
			in.Roadmap = at
		case r.Name == git.NotesRef:
			in.Notes = at
		case (&refAction{ref: r.Name}).isTag():
			in.Tags = at
		default: // handed over code is not memory
			continue
		}
		switch one := incoming.Check(ctx, ex.s, in); {
		case errors.As(one, &refusal) && refusal.Code == fail.IncomingInvalid:
			ex.aside[r.Name] = one
			found = true
		case one != nil:
			return false, one
		}
	}
	if !found {
		return false, err
	}
	return true, nil
}

// fetchApart fetches the refs that moved, after git refused an object of one of them: those that it
// refuses are set aside. It halves the list until it knows which.
func (ex *exchanger) fetchApart(ctx context.Context, before *remote.RefSet, get func([]string) error) error {
	list, err := ex.listMemory(ctx)
	if err != nil {
		return err
	}
	f := ex.followed(&remote.RefSet{}, before)
	var moved []git.Ref
	for _, r := range list {
		here := git.NameHere(r.Name, ex.peer.Heads)
		if name, ok := git.BranchName(here); ok && f != nil && !f.has(name) {
			continue
		}
		if expunge.RefID(before, here) != r.ID {
			moved = append(moved, r)
		}
	}
	return ex.fetchHalves(ctx, moved, get)
}

func (ex *exchanger) fetchHalves(ctx context.Context, list []git.Ref, get func([]string) error) error {
	if len(list) == 0 {
		return nil
	}
	var refspecs []string
	for _, r := range list {
		here := git.NameHere(r.Name, ex.peer.Heads)
		refspecs = append(refspecs, "+"+r.Name+":"+ex.peer.Tracking.Of(here))
	}
	err := get(refspecs)
	if !errors.Is(err, git.ErrBadObject) {
		return err
	}
	if half := len(list) / 2; half > 0 {
		if err := ex.fetchHalves(ctx, list[:half], get); err != nil {
			return err
		}
		return ex.fetchHalves(ctx, list[half:], get)
	}
	here := git.NameHere(list[0].Name, ex.peer.Heads)
	ex.aside[here] = &fail.Error{Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: err,
		Message: fmt.Sprintf("'%s' of '%s' was not fetched", displayRef(here), ex.peer.Name),
		Hints:   []string{"who has pushed it must replace it there"}}
	return nil
}
