package maintain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// GCOptions are one gc.
type Options struct {
	store.Writer      // who folds notes
	Auto         bool // only if there are as many loose objects as context.gcAuto says
}

// GCResult is what a gc did.
type Result struct {
	Packed  int   `json:"packed"`  // objects that were loose before
	Dropped int   `json:"dropped"` // deleted branches, journals, states and files left by killed commands
	Bytes   int64 `json:"bytes"`   // that are free now

	Drops    []GCDrop `json:"-"` // what was dropped, in order
	Packs    int      `json:"-"` // that gc keeps now
	Warnings []string `json:"-"` // what was not done, and what stays that people may look at
}

// GCDrop is one thing that was dropped.
type GCDrop struct {
	Kind GCKind
	Name string    // as people know it: a branch, a file
	When time.Time // of a deleted branch: when it was deleted
}

// GCKind says what kind of thing gc dropped.
type GCKind string

// What gc drops.
const (
	GCBranch  GCKind = "deleted branch"
	GCJournal GCKind = "journal"
	GCMerge   GCKind = "merge"
	GCBisect  GCKind = "bisect"
	GCIntent  GCKind = "interrupted command"
	GCTemp    GCKind = "temporary file"
)

// gcLock keeps two of them apart.
const gcLock = "gc"

// The ages, besides that of a deleted branch, at which gc takes things away.
const (
	tornAge = 90 * 24 * time.Hour // lines that nobody could read, see [journal]
	tempAge = 24 * time.Hour      // a file that nobody finished writing
)

// GC takes care of what memory leaves behind in this repository. It changes no branch,
// no roadmap and nothing of the code's:
//
//  1. notes that are missing are folded, whatever context.notes says;
//  2. branches that were deleted longer ago than context.deletedExpire (90 days) go;
//  3. journals of branches that are gone, if all of their steps stand in memory;
//  4. waiting merges, bisects and interrupted commands of branches and worktrees that
//     are gone; temporary files that are a day old;
//  5. what the index of searches holds of texts that no branch has any more;
//  6. loose objects that memory's refs reach are packed, see [git.Repo.Pack].
//
// It seals nothing: that would be a commit of its own on each branch, which would have to
// be shared and could diverge, to save what the next COMMIT saves anyway.
//
// A second gc leaves at once and says so. Killed anywhere it has lost nothing, and the
// next one finishes. What one part cannot do stops no other; the error then tells all of
// them. fail.ErrNoMemory: there is nothing to take care of.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	g := &collector{s: s, o: o, now: s.Clock()}
	names, err := s.BranchNames(ctx)
	if err != nil {
		return g.res, err
	}
	if len(names) == 0 {
		return g.res, s.NoSuchBranch(ctx, "")
	}
	lock, free, err := s.Repo().TryLock(gcLock)
	if err != nil {
		return g.res, err
	}
	if !free {
		g.warn("another gc is at work; nothing was done")
		return g.res, nil
	}
	defer lock.Unlock()
	if o.Auto {
		if due, err := g.due(ctx); err != nil || !due {
			return g.res, noteGC(s, o, err)
		}
	}
	err = g.run(ctx)
	g.res.Dropped = len(g.res.Drops)
	g.res.Bytes = max(g.res.Bytes, 0) // a pack of a few objects is larger than they were
	return g.res, noteGC(s, o, err)
}

// collector is one gc under way.
type collector struct {
	s   *store.Store
	o   Options
	now time.Time
	res Result
}

func (gc *collector) warn(format string, args ...any) {
	gc.res.Warnings = append(gc.res.Warnings, fmt.Sprintf(format, args...))
}

// drop notes that something went, and how many bytes with it.
func (gc *collector) drop(d GCDrop, bytes int64) {
	gc.res.Drops = append(gc.res.Drops, d)
	gc.res.Bytes += bytes
}

// run does all of it.
func (gc *collector) run(ctx context.Context) error {
	var errs []error
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"cannot write the notes that are missing", gc.fold},
		{"cannot drop deleted branches", gc.deleted},
		{"cannot drop journals", gc.journals},
		{"cannot drop what interrupted commands left", gc.states},
		{"cannot clean the index of searches", gc.search},
		{"cannot pack", gc.pack},
	} {
		if err := part.run(ctx); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			errs = append(errs, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	return errors.Join(errs...)
}

func (gc *collector) fold(ctx context.Context) error {
	return gc.s.FoldBranches(ctx, gc.o.Writer)
}

// tips are what all refs of memory name.
func (gc *collector) tips(ctx context.Context) ([]git.ID, error) {
	v, err := expunge.ListRefs(ctx, gc.s)
	if err != nil {
		return nil, err
	}
	list := slices.Concat(v.All(), v.TrackingNotes)
	if v.Notes != "" {
		list = append(list, git.Ref{Name: git.NotesRef, ID: v.Notes})
	}
	return expunge.UniqueIDs(list), nil
}

// due reports whether there are as many loose objects as start a gc.
func (gc *collector) due(ctx context.Context) (bool, error) {
	cfg, err := gc.s.Repo().Config(ctx)
	if err != nil {
		return false, err
	}
	least, err := store.GCThreshold(cfg)
	if err != nil || least == 0 {
		return false, err
	}
	tips, err := gc.tips(ctx)
	if err != nil {
		return false, err
	}
	n, err := gc.s.Repo().CountLoose(ctx, tips)
	return n >= least, err
}

// pack packs, unless objects may not be deleted.
func (gc *collector) pack(ctx context.Context) error {
	cfg, err := gc.s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	precious, err := cfg.PreciousObjects()
	if err != nil {
		return err
	}
	if precious {
		gc.warn("no object was packed: none may be deleted here, because extensions.preciousObjects is set")
		return nil
	}
	tips, err := gc.tips(ctx)
	if err != nil {
		return err
	}
	res, err := gc.s.Repo().Pack(ctx, git.PackOptions{Tips: tips, Whole: !gc.o.Auto,
		Kin: map[string]func([]byte) string{doc.LogFile: doc.SegmentName, doc.CommitFile: doc.SegmentName}})
	gc.res.Packed, gc.res.Packs = res.Objects, res.Packs
	gc.res.Bytes += res.Bytes
	if res.Busy {
		gc.warn("no object was packed: an expunge is at work")
	}
	if err != nil {
		return err
	}
	n, freed, err := gc.s.Repo().ClearTemp(gc.now.Add(-tempAge))
	for range n {
		gc.drop(GCDrop{Kind: GCTemp}, 0)
	}
	gc.res.Bytes += freed
	return err
}

// noteGC keeps what a gc in the background failed at, and forgets it after one that did
// not.
func noteGC(s *store.Store, o Options, err error) error {
	switch {
	case err == nil:
		err = os.Remove(s.StatePath(store.GCLog))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	case o.Auto:
		return errors.Join(err, s.LogGC(err))
	}
	return err
}
