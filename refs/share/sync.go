package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// Fetch asks a remote for its memory and moves tracking refs alone. Branches that are
// named come along where context.<remote>.branches would leave them out, and must be there.
func Fetch(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) {})
}

// Push sends branches to a remote, with the roadmap, tags and notes. It is never
// forced: where the remote has what is not here, fail.ErrStale says so. Notes alone
// are united with the remote's and sent again until they get through.
func Push(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) { ex.push, ex.first = true, true })
}

// Sync brings all local branches, the roadmap, tags and notes together with a
// remote's: it fetches, checks what came, merges what diverged, pushes, and begins
// again where somebody was faster. What it merges becomes the local branch only
// once the remote has it: a merge that lost a race is made anew from the branch's
// own tip, so that history holds no merges of merges. With nothing to do it asks
// the remote once.
//
// fail.ErrConflict: some refs have conflicts, which wait for Resolve and MergeContinue;
// all else is done. fail.ErrRefused: the remote has no memory yet, or a branch was
// deleted there, or it takes no memory; the error says which.
//
// It may be killed at any moment: nothing acknowledged is lost, and the next Sync
// goes on.
func Sync(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) { ex.merge, ex.push = true, true })
}

// DeleteRemote deletes branches on a remote, and tags, as tags/NAME. Here they stay,
// and no Sync makes them there again.
func DeleteRemote(ctx context.Context, s *store.Store, o Options) (Result, error) {
	return exchange(ctx, s, o, func(ex *exchanger) { ex.remove = true })
}

// Options are one exchange with a remote.
type Options struct {
	store.Writer
	Remote   string   // empty: context.remote, else the only one, else origin
	Branches []string // of push; empty: all
	Prefer   string   // of sync: settles every conflict, as MergeOptions.Prefer
	Progress io.Writer
}

// Result is what came and went. Refs go by their names in this repository:
// refs/context/heads/NAME, refs/context/roadmap, refs/context/tags/NAME,
// refs/notes/context.
type Result struct {
	Remote    string           `json:"remote"`
	Fetched   []string         `json:"fetched"` // moved on the remote since it was last asked
	Merged    []string         `json:"merged"`  // moved here
	Pushed    []string         `json:"pushed"`
	Conflicts []store.Conflict `json:"conflicts"`
	Attempts  int              `json:"attempts"` // pushes that it took; 0 where nothing was pushed

	Steps    int      `json:"-"` // that came
	Lost     int      `json:"-"` // pushes that somebody else's was faster than
	Gone     []string `json:"-"` // deleted on the remote since it was last asked
	Notes    []string `json:"-"` // what else was done, a sentence each
	Warnings []string `json:"-"`
}

// newResult has empty lists where nothing happened: JSON knows the difference.
func newResult(remote string) Result {
	return Result{Remote: remote, Fetched: []string{}, Merged: []string{}, Pushed: []string{}, Conflicts: []store.Conflict{}}
}

// sort puts branches first, then the roadmap, tags and notes: their names do.
func (r *Result) sort() {
	for _, list := range [][]string{r.Fetched, r.Merged, r.Pushed} {
		slices.Sort(list)
	}
	merge.SortConflicts(r.Conflicts)
}

// ExpungeFrom forgets what a remote's memory says is forgotten, and exchanges nothing
// else. With e.Yes, that may be more than Sync believes: a branch's every entry, or most
// of this repository's. With e.DryRun it fetches, and says what would go. Of e nothing
// else counts. fail.ErrNotFound: all of it is forgotten here.
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
		return expunge.Result{}, fail.New(fail.ErrNotFound, fail.NothingExpunged, fmt.Sprintf("'%s' has expunged nothing that is still here", ex.peer.Name))
	}
	return *ex.forgot, nil
}
