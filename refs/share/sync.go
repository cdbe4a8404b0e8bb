// Package share exchanges memory with other repositories: fetch, push, sync, bundles, and the first
// memory of a repository (init).
//
// An exchange fetches into tracking refs, checks what came (package incoming), applies the
// other side's tombstones and filters what was expunged here (package expunge), compares every
// ref, merges what diverged (package merge), pushes, and then moves the local refs. Nothing is
// ever forced.
//
// The package reads and writes branches, the roadmap, tags, notes and tracking refs; the
// settings that init makes (fetch refspecs, notes.context.mergeStrategy,
// context.<remote>.mapping); and local state: which refs a remote shares, the state of package
// expunge for remotes, and conflicts that wait.
//
// Errors are of package fail: ErrConflict for open conflicts, ErrStale where others are faster
// or history diverged, ErrRefused where a remote, a check or a missing consent stops the
// exchange, ErrNotFound for unknown remotes, branches and tags, ErrNoMemory; git.ErrUnreachable
// for a remote that does not answer.
//
// One lock for each remote lets one exchange with it run at a time. All functions are safe
// beside other commands and other clones, and may be killed at any moment: nothing acknowledged
// is lost, and the next exchange goes on.
package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// Fetch asks a remote for its memory and moves tracking refs alone. Branches in o.Branches are
// fetched even if context.<remote>.branches leaves them out; fail.ErrNotFound if the remote
// lacks one.
func Fetch(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) {})
}

// Push sends branches to a remote, with the roadmap, tags and notes. It never forces:
// fail.ErrStale if the remote has commits that are not here. Notes alone are united with the
// remote's and sent again until they are accepted.
func Push(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) { ex.push, ex.first = true, true })
}

// Sync exchanges all local branches, the roadmap, tags and notes with a remote: it fetches,
// checks what came, merges what diverged, pushes, and starts again if another clone was faster.
// A merge becomes the local branch only once the remote has it; a merge that lost a race is
// made again from the branch's own tip, so that history contains no merges of merges. With
// nothing to do it asks the remote once.
//
// fail.ErrConflict: some refs have conflicts, which wait for Resolve and Continue; everything
// else is done. fail.ErrRefused: the remote has no memory yet, deleted a branch, or takes no
// memory; the error says which.
func Sync(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) { ex.merge, ex.push = true, true })
}

// DeleteRemote deletes branches, and tags as tags/NAME, on a remote. They stay here, and no
// Sync makes them there again.
func DeleteRemote(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) { ex.remove = true })
}

// Options describe one exchange with a remote.
type Options struct {
	store.Writer
	Remote   string   // empty: context.remote, else the only one, else origin
	Branches []string // of push; empty: all
	Prefer   string   // of sync: settles every conflict, as MergeOptions.Prefer
	Progress io.Writer

	// DryRun changes nothing, neither here nor there, and returns what a push or a sync would do.
	DryRun bool

	// NoScan pushes texts although they contain secrets.
	NoScan bool

	// Consent is asked before a remote gets its first memory, and may refuse; nil: nobody is asked. No other
	// exchange with the remote runs meanwhile, so that it must not wait for a person.
	Consent func(FirstPush) error
}

// Result is what an exchange moved. Refs have their names in this repository:
// refs/context/heads/NAME, refs/context/roadmap, refs/context/tags/NAME, refs/notes/context.
type Result struct {
	Remote    string           `json:"remote"`
	Fetched   []string         `json:"fetched"` // moved on the remote since it was last asked
	Merged    []string         `json:"merged"`  // moved here
	Pushed    []string         `json:"pushed"`
	Conflicts []store.Conflict `json:"conflicts"`
	Attempts  int              `json:"attempts"` // number of pushes; 0 if nothing was pushed
	First     *FirstPush       `json:"first,omitempty"`
	Restored  []Restored       `json:"restored,omitempty"` // what commits of the other side lost
	Split     *Split           `json:"split,omitempty"`    // of a sync: the remote has two sets of names

	Steps    int      `json:"-"` // steps that came
	Lost     int      `json:"-"` // pushes that lost a race
	Gone     []string `json:"-"` // deleted on the remote since it was last asked
	Notes    []string `json:"-"` // what else was done, a sentence each
	Warnings []string `json:"-"`
}

// Restored is what a commit lacked of its parent, and what was restored on top of it.
type Restored struct {
	Ref    string `json:"ref"`
	Commit git.ID `json:"commit"` // that lacked it
	By     string `json:"by"`     // its author, as it says
	What   string `json:"what"`   // "12 steps, 3 commits"
}

// newResult returns a result with empty lists, which JSON shows as [] and not as null.
func newResult(remote string) Result {
	return Result{Remote: remote, Fetched: []string{}, Merged: []string{}, Pushed: []string{},
		Conflicts: []store.Conflict{}}
}

// sort sorts the lists: branches first, then the roadmap, tags and notes.
func (r *Result) sort() {
	for _, list := range [][]string{r.Fetched, r.Merged, r.Pushed} {
		slices.Sort(list)
	}
	merge.SortConflicts(r.Conflicts)
}

// ExpungeFrom expunges here what a remote's tombstones name, and exchanges nothing else. Of e
// only Yes and DryRun count: with Yes it accepts more than Sync does (all entries of a branch,
// or most of the repository's); with DryRun it fetches and reports what would go.
// fail.ErrNotFound: everything is expunged here already.
func ExpungeFrom(ctx context.Context, s *store.Store, o Options, e expunge.Options) (expunge.Result, error) {
	var ex *exchanger
	_, err := exchange(ctx, s, o, func(made *exchanger) {
		ex = made
		ex.merge, ex.expunge, ex.accepted, ex.dry = true, true, e.Yes, e.DryRun
	})
	switch {
	case err != nil && !errors.Is(err, errShown):
		return expunge.Result{}, err
	case ex.forgot == nil:
		return expunge.Result{}, fail.New(fail.ErrNotFound, fail.NothingExpunged,
			fmt.Sprintf("'%s' has expunged nothing that is still here", ex.peer.Name))
	}
	return *ex.forgot, nil
}
