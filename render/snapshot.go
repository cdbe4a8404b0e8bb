package render

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Snapshot is CONTEXT of the project: `git context`.
type Snapshot struct {
	Branch   string         `json:"branch"` // name of the current branch
	Head     git.ID         `json:"head"`
	Roadmap  Roadmap        `json:"roadmap"`
	Branches []store.Branch `json:"branches"` // the newest branches; the current one is always included
	Total    int            `json:"branches_total"`
	Purpose  string         `json:"purpose"` // of the current branch, like the fields that follow
	Progress string         `json:"progress"`
	Commits  []store.Commit `json:"commits"` // newest first
	Pending  int            `json:"pending"`
	At       *store.At      `json:"at"` // nil: the present

	// The text lists only active branches and counts the others.
	active  []store.Branch
	more    map[string]int // by status: the number of branches that the text does not list
	unknown int            // number of branches that changed too much since to determine their past state
}

// Roadmap is the part of main.md that a snapshot shows.
type Roadmap struct {
	Goal       string       `json:"goal"`
	Milestones []store.Item `json:"milestones"`
	Todo       []store.Item `json:"todo"`
}

// Where is the subject of a view: a branch, now or at a moment of the past.
type Where struct {
	Branch string // empty: the current branch
	At     string // a revision of memory or of code, see [refs.Store.At]; empty: now
}

func (w Where) tip(ctx context.Context, s *refs.Store) (*store.Tip, error) {
	return history.At(ctx, s, w.Branch, w.At)
}

// NewSnapshot reads a branch with its newest k commits in full, the roadmap, and at most
// limit of the newest branches.
//
// It returns fail.ErrNoMemory if there is none. Memory without a roadmap, which a fetch of
// only the branches gives, is shown without one.
func NewSnapshot(ctx context.Context, s *refs.Store, w Where, k, limit int) (Snapshot, error) {
	v := Snapshot{Roadmap: Roadmap{Milestones: []store.Item{}, Todo: []store.Item{}}}
	// The git processes of these reads cost a millisecond each, so they run concurrently.
	// The roadmap of a moment of the past depends on the tip.
	var tip *store.Tip
	reads := []func(context.Context) error{
		func(ctx context.Context) error {
			var err error
			if tip, err = w.tip(ctx, s); err != nil {
				return err
			}
			return v.readTip(ctx, s, tip, k)
		},
		func(ctx context.Context) error {
			var err error
			v.Branches, err = s.Branches(ctx, store.BranchQuery{Pending: w.keeps(limit)})
			return err
		},
	}
	if w.At == "" {
		reads = append(reads, func(ctx context.Context) error { return v.readRoadmap(ctx, s, nil) })
	}
	err := concurrently(ctx, reads...)
	if err == nil && w.At != "" {
		v.Branches, v.unknown, err = history.BranchesAt(ctx, s, tip, v.Branches)
	}
	if err != nil {
		return Snapshot{}, err
	}
	v.list(limit)
	return v, nil
}

func (v *Snapshot) readTip(ctx context.Context, s *refs.Store, tip *store.Tip, k int) error {
	v.Branch, v.Head, v.At = tip.Name(), tip.Commit().ID, tip.At()
	reads := []func(context.Context) error{
		func(ctx context.Context) error {
			var err error
			v.Purpose, v.Progress, err = history.PurposeProgress(ctx, s, tip)
			return err
		},
		func(ctx context.Context) error {
			commits, err := history.Newest(ctx, s, tip, k)
			v.Commits = withTags(commits)
			if err != nil || v.At != nil { // unknown for the past
				return err
			}
			return code.MarkStale(ctx, s, v.Commits)
		},
	}
	if v.At != nil {
		reads = append(reads, func(ctx context.Context) error { return v.readRoadmap(ctx, s, tip) })
	}
	return concurrently(ctx, reads...)
}

// readRoadmap reads the roadmap: the current one if tip is nil, otherwise that of the tip's
// moment.
func (v *Snapshot) readRoadmap(ctx context.Context, s *refs.Store, tip *store.Tip) error {
	r, _, err := s.Roadmap(ctx, tip)
	if errors.Is(err, fail.ErrNoMemory) || tip != nil && errors.Is(err, fail.ErrNotFound) {
		return nil
	}
	if err == nil {
		v.Roadmap = Roadmap{Goal: r.Goal, Milestones: orEmpty(r.Milestones), Todo: orEmpty(r.Todo)}
	}
	return err
}

// keeps returns a function that reports, for branches in order, which of them list will
// keep.
func (w Where) keeps(limit int) func(store.Branch) bool {
	all, active := 0, 0
	return func(b store.Branch) bool {
		if all++; b.Status == statusActive {
			active++
		}
		return all <= limit || b.Status == statusActive && active <= limit || b.Current || b.Name == w.Branch || w.At != ""
	}
}

// list reduces all branches to those that are shown.
func (v *Snapshot) list(limit int) {
	all := orEmpty(v.Branches)
	v.Total, v.more = len(all)+v.unknown, map[string]int{}
	var active []store.Branch
	for _, b := range all {
		if b.Name == v.Branch {
			v.Pending = b.Pending
		}
		if b.Status == statusActive || b.Name == v.Branch {
			active = append(active, b)
		} else {
			v.more[b.Status]++
		}
	}
	v.active, v.Branches = newest(active, limit, v.Branch), newest(all, limit, v.Branch)
	v.more[statusActive] = len(active) - len(v.active)
}

// newest returns the first n branches. If the current one is not among them, it takes the
// last place.
func newest(list []store.Branch, n int, current string) []store.Branch {
	if len(list) <= n || n <= 0 {
		return list[:min(len(list), max(n, 0))]
	}
	for _, b := range list[n:] {
		if b.Name == current {
			return append(append([]store.Branch{}, list[:n-1]...), b)
		}
	}
	return list[:n]
}

// statusActive is the only status whose branches a snapshot lists.
const statusActive = "active"

// orEmpty returns an empty list for nil, because JSON distinguishes them.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// withTags makes the tags of every commit a map, for the same reason.
func withTags(commits []store.Commit) []store.Commit {
	for i := range commits {
		if commits[i].Tags == nil {
			commits[i].Tags = map[string]string{}
		}
	}
	return orEmpty(commits)
}

// concurrently runs independent reads concurrently and waits for all of them. The first failure
// cancels the others. Of several errors it returns that of the first read in order, so that
// the result is deterministic; errors that the cancellation caused do not count.
func concurrently(ctx context.Context, reads ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(reads))
	var broke atomic.Pointer[any]
	var all sync.WaitGroup
	for i, read := range reads {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broke.Store(&p)
					cancel()
				}
			}()
			if errs[i] = read(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	if p := broke.Load(); p != nil {
		panic(*p) // in the goroutine of the caller, who may recover
	}
	var ended error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if ended == nil {
			ended = err
		}
	}
	return ended
}
