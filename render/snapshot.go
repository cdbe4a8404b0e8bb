package render

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Snapshot is CONTEXT of the project: `git context`.
type Snapshot struct {
	Branch   string         `json:"branch"` // the current one's name
	Head     git.ID         `json:"head"`
	Roadmap  Roadmap        `json:"roadmap"`
	Branches []store.Branch `json:"branches"` // the newest, the current one always among them
	Total    int            `json:"branches_total"`
	Purpose  string         `json:"purpose"` // of the current branch, as is what follows
	Progress string         `json:"progress"`
	Commits  []store.Commit `json:"commits"` // newest first
	Pending  int            `json:"pending"`
	At       *store.At      `json:"at"` // nil: now

	// The text lists active branches only and counts the others.
	active []store.Branch
	more   map[string]int // by status, how many the text does not list
	far    int            // how many moved on too far since to say what they were
}

// Roadmap is the part of main.md that a snapshot shows.
type Roadmap struct {
	Goal       string       `json:"goal"`
	Milestones []store.Item `json:"milestones"`
	Todo       []store.Item `json:"todo"`
}

// Where says what a view is of: a branch, as it stands or as it stood.
type Where struct {
	Branch string // empty: the current one
	At     string // a revision of memory or of code, see [refs.Store.At]; empty: now
}

func (w Where) tip(ctx context.Context, s *refs.Store) (*store.Tip, error) {
	return history.At(ctx, s, w.Branch, w.At)
}

// NewSnapshot reads a branch with its newest k milestones in full, the roadmap and
// the newest branches, at most limit of them.
//
// It returns fail.ErrNoMemory where there is none. Memory without a roadmap (a
// fetch of the branches alone brings it) is shown without one.
func NewSnapshot(ctx context.Context, s *refs.Store, w Where, k, limit int) (Snapshot, error) {
	v := Snapshot{Roadmap: Roadmap{Milestones: []store.Item{}, Todo: []store.Item{}}}
	// The children behind these cost a millisecond each: they run side by side.
	// Which roadmap a moment of the past had, the tip says.
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
			v.Branches, err = s.Branches(ctx, store.BranchQuery{Pending: w.shown(limit)})
			return err
		},
	}
	if w.At == "" {
		reads = append(reads, func(ctx context.Context) error { return v.readRoadmap(ctx, s, nil) })
	}
	err := together(ctx, reads...)
	if err == nil && w.At != "" {
		v.Branches, v.far, err = history.BranchesAt(ctx, s, tip, v.Branches)
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
			v.Purpose, v.Progress, err = s.PurposeProgress(ctx, tip)
			return err
		},
		func(ctx context.Context) error {
			commits, err := s.Newest(ctx, tip, k)
			v.Commits = noted(commits)
			if err != nil || v.At != nil { // of the past it is not known
				return err
			}
			return code.MarkStale(ctx, s, v.Commits)
		},
	}
	if v.At != nil {
		reads = append(reads, func(ctx context.Context) error { return v.readRoadmap(ctx, s, tip) })
	}
	return together(ctx, reads...)
}

// readRoadmap reads the roadmap as it stands, for nil, or as it stood at a tip.
func (v *Snapshot) readRoadmap(ctx context.Context, s *refs.Store, tip *store.Tip) error {
	r, _, err := s.Roadmap(ctx, tip)
	if errors.Is(err, fail.ErrNoMemory) || tip != nil && errors.Is(err, fail.ErrNotFound) {
		return nil
	}
	if err == nil {
		v.Roadmap = Roadmap{Goal: r.Goal, Milestones: some(r.Milestones), Todo: some(r.Todo)}
	}
	return err
}

// shown tells of branches, given in order, which of them list will keep.
func (w Where) shown(limit int) func(store.Branch) bool {
	all, active := 0, 0
	return func(b store.Branch) bool {
		if all++; b.Status == statusActive {
			active++
		}
		return all <= limit || b.Status == statusActive && active <= limit || b.Current || b.Name == w.Branch || w.At != ""
	}
}

// list cuts all branches down to those that are shown.
func (v *Snapshot) list(limit int) {
	all := some(v.Branches)
	v.Total, v.more = len(all)+v.far, map[string]int{}
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

// newest is the first n branches; the current one, if it is further back, takes
// the last place.
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

// statusActive is the one status whose branches a snapshot lists.
const statusActive = "active"

// some makes an empty list of none, because JSON knows the difference.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// noted makes every milestone's tags a map, for the same reason.
func noted(commits []store.Commit) []store.Commit {
	for i := range commits {
		if commits[i].Tags == nil {
			commits[i].Tags = map[string]string{}
		}
	}
	return some(commits)
}
