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
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
)

// Options are the options of Run.
type Options struct {
	store.Writer      // of the notes that gc writes
	DryRun       bool // change nothing, and return what would be dropped and packed
	Auto         bool // only 2 and 7, unless the number of loose objects has reached context.gcAuto
}

// Result is what a gc did.
type Result struct {
	Packed  int   `json:"packed"`  // objects that were loose
	Dropped int   `json:"dropped"` // deleted branches, journals, states, refs of a bundle, and files left by killed commands
	Bytes   int64 `json:"bytes"`   // freed

	Expunged []Expunged `json:"expunged,omitempty"` // what was kept of what remotes had expunged, for its time

	Drops    []Drop   `json:"-"` // in order
	Packs    int      `json:"-"` // after the gc
	Warnings []string `json:"-"` // what was not done, and files that stay for people to examine
}

// Expunged is what a remote expunged and this repository kept for its time.
type Expunged struct {
	Remote  string    `json:"remote"`
	Entries int       `json:"entries"`
	Texts   int       `json:"texts"`
	Until   time.Time `json:"until"` // when its time was over
}

// Drop is one thing that gc dropped.
type Drop struct {
	Kind DropKind
	Name string    // a branch or a file
	When time.Time // when a branch was deleted
}

// DropKind is the kind of a Drop.
type DropKind string

// The kinds of Drops.
const (
	DropBranch  DropKind = "deleted branch"
	DropWork    DropKind = "handed over code"
	DropJournal DropKind = "journal"
	DropMerge   DropKind = "merge"
	DropBisect  DropKind = "bisect"
	DropTree    DropKind = "state of a worktree"
	DropIntent  DropKind = "interrupted command"
	DropTemp    DropKind = "temporary file"
	DropBundle  DropKind = "ref of an interrupted unbundle"
)

// gcLock excludes a second gc.
const gcLock = "gc"

// The ages from which gc removes files.
const (
	tornAge = 90 * 24 * time.Hour // unreadable lines of a journal, see [journal], and files that were set aside
	tempAge = 24 * time.Hour      // a file that was not written completely
)

// Run removes what memory no longer needs in this repository. It changes no branch, no
// roadmap and nothing of the code:
//
//  1. missing notes are written, whatever context.notes is;
//  2. tracking refs of a bundle that an interrupted unbundle left, see
//     [expunge.DropBundle];
//  3. branches that were deleted longer ago than context.deletedExpire (90 days) are
//     dropped, and code that was handed over longer ago, unless the newest COMMIT of
//     its branch did so;
//  4. what remotes have expunged and this repository followed 30 days ago is deleted,
//     see [expunge.Request];
//  5. journals of branches that are gone, if memory contains all of their steps;
//     and attached files that no journal names;
//  6. merges, bisects and interrupted commands of branches and worktrees that are
//     gone, and other state of such worktrees; temporary files that are a day old;
//  7. the index of searches gets what is new, and loses texts that no branch contains any
//     more;
//  8. loose objects that memory's refs reach are packed, see [git.Repo.Pack].
//
// It does not seal segments: that would be a commit on each branch, which would have to be
// shared and could diverge, and the next COMMIT does it anyway.
//
// A second gc at the same time returns at once with a warning. A gc that is killed has lost
// nothing, and the next one continues. If one part fails, the others still run; the error
// joins all failures. It is of the kind fail.ErrNoMemory if there is no memory.
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
		g.warn("another gc is running; nothing was done")
		return g.res, nil
	}
	defer lock.Unlock()
	parts := g.parts()
	if o.Auto {
		due, err := g.due(ctx)
		if err != nil {
			return g.res, noteGC(s, o, err)
		}
		if !due {
			parts = []part{{bundlePart, g.bundle}, {indexPart, g.search}}
		}
	}
	err = g.run(ctx, parts)
	g.res.Dropped = len(g.res.Drops)
	g.res.Bytes = max(g.res.Bytes, 0) // a pack of a few objects is larger than these
	return g.res, noteGC(s, o, err)
}

// collector is one gc.
type collector struct {
	s   *store.Store
	o   Options
	now time.Time
	res Result
}

func (gc *collector) warn(format string, args ...any) {
	gc.res.Warnings = append(gc.res.Warnings, fmt.Sprintf(format, args...))
}

// remove removes a file, unless this is a dry run.
func (gc *collector) remove(path string) error {
	if gc.o.DryRun {
		return nil
	}
	return os.Remove(path)
}

// drop records a Drop and how many bytes it freed.
func (gc *collector) drop(d Drop, bytes int64) {
	gc.res.Drops = append(gc.res.Drops, d)
	gc.res.Bytes += bytes
}

// part is a part of a gc, and what a failure of it is called.
type part struct {
	name string
	run  func(context.Context) error
}

const (
	indexPart  = "cannot update the index of searches"
	bundlePart = "cannot drop what an unbundle left"
)

func (gc *collector) parts() []part {
	return []part{
		{"cannot write the notes that are missing", gc.fold},
		{bundlePart, gc.bundle},
		{"cannot drop deleted branches", gc.deleted},
		{"cannot delete what was expunged elsewhere", gc.followed},
		{"cannot drop journals", gc.journals},
		{"cannot drop what interrupted commands left", gc.states},
		{"cannot drop attached files", gc.attached},
		{indexPart, gc.search},
		{"cannot pack", gc.pack},
	}
}

// run runs parts, whether or not others fail.
func (gc *collector) run(ctx context.Context, parts []part) error {
	var errs []error
	for _, part := range parts {
		if err := part.run(ctx); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			errs = append(errs, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	return errors.Join(errs...)
}

// attached drops the copies of attached files that no journal names, and what killed merges left. It runs after the journals.
func (gc *collector) attached(ctx context.Context) error {
	if !gc.o.DryRun {
		if err := gc.s.Repo().DropMerges(); err != nil {
			return err
		}
	}
	files, bytes, err := gc.s.SweepAttached(ctx, "", gc.o.DryRun)
	for range files {
		gc.drop(Drop{Kind: DropTemp}, 0)
	}
	gc.res.Bytes += bytes
	return err
}

func (gc *collector) fold(ctx context.Context) error {
	if gc.o.DryRun {
		return nil
	}
	return gc.s.FoldBranches(ctx, gc.o.Writer)
}

// search brings the index of searches up to date, unless that is turned off for a gc in the
// background, and makes it smaller.
func (gc *collector) search(ctx context.Context) error {
	if gc.o.DryRun {
		return nil
	}
	cfg, err := gc.s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	if !gc.o.Auto || store.SearchBehind(cfg) {
		if err := search.Update(ctx, gc.s); err != nil {
			return err
		}
	}
	freed, err := search.Shrink(ctx, gc.s)
	gc.res.Bytes += freed
	return err
}

// tips returns the objects that all refs of memory name.
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

// due reports whether there are enough loose objects for a gc in the background.
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
	n, err := pack.CountLoose(ctx, gc.s.Repo(), tips)
	return n >= least, err
}

// pack packs, unless the repository forbids to delete objects.
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
	if gc.o.DryRun {
		gc.res.Packed, err = pack.CountLoose(ctx, gc.s.Repo(), tips)
		return err
	}
	res, err := pack.Run(ctx, gc.s.Repo(), pack.Options{Tips: tips, Whole: !gc.o.Auto,
		Kin: map[string]func([]byte) string{doc.LogFile: doc.SegmentName, doc.CommitFile: doc.SegmentName}})
	gc.res.Packed, gc.res.Packs = res.Objects, res.Packs
	gc.res.Bytes += res.Bytes
	if res.Busy {
		gc.warn("no object was packed: an expunge is running")
	}
	if err != nil {
		return err
	}
	n, freed, err := gc.s.Repo().ClearTemp(gc.now.Add(-tempAge))
	for range n {
		gc.drop(Drop{Kind: DropTemp}, 0)
	}
	gc.res.Bytes += freed
	return err
}

// noteGC records the failure of a gc in the background, and removes the record after a gc
// that succeeded.
func noteGC(s *store.Store, o Options, err error) error {
	switch {
	case o.DryRun:
		return err
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
