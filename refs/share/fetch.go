package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// mostNamed limits how many refs an exchange asks for by name: above it, asking for all is
// faster.
const mostNamed = 1000

// fetch updates tracking refs and returns their old values.
func (ex *exchanger) fetch(ctx context.Context) (*remote.RefSet, error) {
	ours, before, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return nil, err
	}
	if err := ex.noteTracked(ctx, &before); err != nil {
		return nil, err
	}
	clear(ex.raised)
	f := ex.followed(&ours, &before)
	not, err := ex.leftOut(ctx, f, &ours, &before)
	if err != nil {
		return nil, err
	}
	o := newExchanger(ex.s, ex.o, ex.peer.Other(), ex.res)
	o.merge, o.named = ex.merge, ex
	notThere, err := o.leftOutBeside(ctx, f, &ours)
	if err != nil {
		return nil, err
	}
	get := func(refspecs []string) error {
		return ex.fetchHeld(ctx, refspecs, slices.Concat(not, notThere))
	}
	if f == nil {
		err = get(append(allRefspecs(ex.peer), ex.otherRefspecs(nil)...))
	} else if err = ex.dropUnfollowed(ctx, f, &before); err == nil {
		if err = get(append(f.refspecs(ex.peer, nil), ex.otherRefspecs(f)...)); errors.Is(err, git.ErrNotFound) {
			err = ex.fetchThere(ctx, f, get)
		}
	}
	if errors.Is(err, git.ErrBadObject) && !ex.peer.Bundle {
		err = ex.fetchApart(ctx, &ours, &before, o, get)
	}
	ex.keepBeside(o)
	switch {
	case err != nil && ex.peer.Bundle && !errors.Is(err, git.ErrStale):
		err = bundleError(ex.peer.Name, err)
	case errors.Is(err, git.ErrUnreachable):
		err = unreachable(ex.peer.Name, err)
	}
	return &before, err
}

// warnOverwritten warns of fetch refspecs of the remote that write to memory.
func (ex *exchanger) warnOverwritten(ctx context.Context) error {
	if ex.peer.Bundle {
		return nil
	}
	list, err := remote.OverwritingRefspecs(ctx, ex.s, ex.peer.Name)
	for _, o := range list {
		ex.warn(o.String() + "; to mend that: git context fsck --fix")
	}
	return err
}

// listMemory asks the remote for its refs of memory, by their names there.
func (ex *exchanger) listMemory(ctx context.Context) ([]git.Ref, error) {
	return ex.s.Repo().LsRemote(ctx, remote.NameOf(ex.peer.Name), memoryPatterns(ex.peer.Heads)...)
}

// memoryPatterns match the names that memory has on a remote.
func memoryPatterns(heads bool) []string {
	var patterns []string
	for _, name := range []string{git.BranchPrefix + "*", git.TagPrefix + "*", git.WorkPrefix + "*", git.RoadmapRef, git.NotesRef} {
		patterns = append(patterns, git.NameOn(name, heads))
	}
	return patterns
}

// listBoth is listMemory for both sets of names, by the names here: one question costs as much as the other.
func (ex *exchanger) listBoth(ctx context.Context) (named, other []git.Ref, err error) {
	patterns := [][]string{memoryPatterns(ex.peer.Heads), memoryPatterns(!ex.peer.Heads)}
	list, err := ex.s.Repo().LsRemote(ctx, ex.peer.Name, slices.Concat(patterns...)...)
	for _, r := range list {
		if slices.ContainsFunc(patterns[0], func(p string) bool { return git.Matches(p, r.Name) }) {
			named = append(named, git.Ref{Name: git.NameHere(r.Name, ex.peer.Heads), ID: r.ID})
		} else {
			other = append(other, git.Ref{Name: git.NameHere(r.Name, !ex.peer.Heads), ID: r.ID})
		}
	}
	return named, other, err
}

// fetchThere fetches if a branch that was asked for by name is missing: git fetches nothing
// then. It costs one listing of the remote.
func (ex *exchanger) fetchThere(ctx context.Context, f *followed, get func([]string) error) error {
	prefix := git.NameOn(git.BranchPrefix, ex.peer.Heads)
	list, err := ex.s.Repo().LsRemote(ctx, ex.peer.Name, prefix+"*")
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, r := range list {
		there[strings.TrimPrefix(r.Name, prefix)] = true
	}
	var gone []string
	for name := range f.names {
		if !there[name] && f.tracked[name] != "" {
			gone = append(gone, name)
		}
	}
	if err := ex.dropTracking(ctx, ex.peer.Tracking, gone, f.tracked); err != nil {
		return err
	}
	if err = get(append(f.refspecs(ex.peer, there), ex.otherRefspecs(f)...)); errors.Is(err, git.ErrNotFound) {
		err = fmt.Errorf("%w: %w", git.ErrStale, err) // deleted since
	}
	return err
}

// followed are the branches of a remote that one fetch asks for.
type followed struct {
	names    map[string]bool
	patterns []string // each with a "*"
	tracked  map[string]git.ID
}

// followed chooses the branches to fetch; nil for all. Without context.<remote>.branches, and
// for an expunge, these are all; else those that the setting names, those that were asked for,
// and those that both sides had. A branch that is only here is not asked for: if the remote has
// one of its name, the push is late, and then it is.
func (ex *exchanger) followed(ours, before *remote.RefSet) *followed {
	if ex.peer.Follows == nil || ex.expunge {
		return nil
	}
	f := &followed{names: map[string]bool{}, tracked: before.Branches}
	for name := range ours.Branches {
		if before.Branches[name] != "" || ex.shared[git.BranchRef(name)] || ex.beaten[name] {
			f.names[name] = true
		}
	}
	for _, name := range ex.o.Branches {
		if (ours.Branches[name] == "" || !ex.push) && git.CheckBranchName(name) == nil {
			f.names[name] = true
		}
	}
	for _, p := range ex.peer.Follows {
		if strings.Contains(p, "*") {
			f.patterns = append(f.patterns, p)
		} else if p != "" {
			f.names[p] = true
		}
	}
	if len(f.names) > mostNamed {
		return nil
	}
	return f
}

// refspecs returns the refspecs of the branches. there is what the remote has, if known: git
// wants every name to exist.
func (f *followed) refspecs(p remote.Remote, there map[string]bool) []string {
	from, to := git.NameOn(git.BranchPrefix, p.Heads), p.Tracking.Branches()
	ask := slices.Clone(f.patterns)
	for _, name := range slices.Sorted(maps.Keys(f.names)) {
		if there == nil || there[name] {
			ask = append(ask, name)
		}
	}
	works := git.WorkRefspecs(p.Tracking, p.Heads, ask...)
	for i, name := range ask {
		ask[i] = "+" + from + name + ":" + to + name
	}
	return slices.Concat(ask, git.SideRefspecs(p.Tracking, p.Heads), works)
}

// allRefspecs are the refspecs of all branches.
func allRefspecs(p remote.Remote) []string {
	return append(git.MemoryRefspecs(p.Tracking, p.Heads), git.WorkRefspecs(p.Tracking, p.Heads, "*")...)
}

// has reports whether a branch is among them.
func (f *followed) has(name string) bool {
	return f.names[name] || slices.ContainsFunc(f.patterns, func(p string) bool { return git.Matches(p, name) })
}

// dropUnfollowed deletes tracking refs that no fetch updates any more: expunged text would stay
// in them, and they could block a branch whose name begins with theirs.
func (ex *exchanger) dropUnfollowed(ctx context.Context, f *followed, before *remote.RefSet) error {
	var gone []string
	for name := range before.Branches {
		if !f.has(name) {
			gone = append(gone, name)
		}
	}
	err := ex.dropTracking(ctx, ex.peer.Tracking, gone, before.Branches)
	for _, name := range gone {
		delete(before.Branches, name) // dropped here, not deleted there
	}
	if err != nil || ex.peer.Bundle {
		return err
	}
	other := ex.peer.Other()
	there, err := remote.Tracked(ctx, ex.s, other)
	if err != nil {
		return err
	}
	gone = slices.DeleteFunc(slices.Sorted(maps.Keys(there.Branches)), f.has)
	return ex.dropTracking(ctx, other.Tracking, gone, there.Branches)
}

// dropTracking deletes the tracking refs of branches as git fetch --prune does, so that it
// needs no identity to commit as.
func (ex *exchanger) dropTracking(ctx context.Context, t git.Tracking, names []string, at map[string]git.ID) (err error) {
	if len(names) == 0 {
		return nil
	}
	tx, err := ex.s.Repo().Begin(ctx, git.TxOptions{Message: "context fetch: " + prose.OneLine(ex.peer.Name, 100)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Close()) }()
	for _, name := range names {
		tx.Delete(t.Branches()+name, at[name])
	}
	return tx.Commit(ctx)
}

// checkArrived checks that the branches that were asked for by name exist.
func (ex *exchanger) checkArrived(theirs *remote.RefSet) error {
	for _, name := range ex.o.Branches {
		if ex.aside[git.BranchRef(name)] != nil {
			continue // it exists, and outcome says what it is
		}
		if _, err := refNamed(theirs, name, ex.peer.Name); err != nil {
			return err
		}
	}
	return nil
}

func unreachable(remote string, err error) error {
	var gitErr *git.Error
	if errors.As(err, &gitErr) {
		err = gitErr // the error below has our own words
	}
	return &fail.Error{Code: fail.RemoteUnreachable, Kind: git.ErrUnreachable, Err: err,
		Message: fmt.Sprintf("cannot reach remote '%s'", prose.OneLine(remote, 100)), Hints: []string{"git remote -v"}}
}
