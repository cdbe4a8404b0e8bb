package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/store"
)

// Result reports what an expunge removed, or would remove.
type Result struct {
	Entries     int      `json:"entries"`     // removed steps and commits, pending ones included
	Texts       int      `json:"texts"`       // texts that are redacted wherever they occur
	Attachments int      `json:"attachments"` // whose content is removed
	Commits     int      `json:"commits"`     // replaced memory commits
	Notes       int      `json:"notes"`       // changed notes
	IDs         []string `json:"ids"`         // of the entries
	// Remotes are those that had the old history when they were last asked.
	Remotes []DirtyRemote `json:"remotes"`

	Expunged []Entry  `json:"-"` // the removed entries, oldest first
	All      int      `json:"-"` // all steps and commits that there were
	Redacted int      `json:"-"` // steps, commits and topics that stay and lose words of their own, see Describe
	Topics   []string `json:"-"` // keys of redacted topics
	Warnings []string `json:"-"` // side effects, and what could not be cleaned
	Objects  int      `json:"-"` // deleted from the object directory
	DryRun   bool     `json:"-"`
}

// LockName is the lock that a running expunge keeps. Checks use it to tell a running expunge
// from an interrupted one.
const LockName = "expunge"

// maxRounds limits how often an expunge starts again because new refs lead to old history.
const maxRounds = 10

// Operation is one expunge. Store and Writer must be set; Run sets Rewriter.
type Operation struct {
	Store    *store.Store
	Writer   store.Writer
	intent   Intent
	Rewriter *Rewriter
	Result   Result
	Check    func(context.Context, *Operation, []git.ID) error // checks the new tips before refs move; may be nil

	// Roadmap is another repository's with the tombstones; "" for none. Where it goes on
	// from ours it is taken over as it is, so that it must have lost nothing: a hundred clones that each
	// wrote the tombstones down anew would have a hundred merges.
	Roadmap git.ID

	why      string                // for the message of the roadmap's commit
	hide     *hiding               // keeps what goes; nil: it is deleted
	unlisted bool                  // the replaced commits get no tombstones, see FollowRoadmaps
	moved    bool                  // refs have moved
	replaced map[git.ID]bool       // old commits, over all rounds
	dirty    map[string][]DirtyRef // by remote; nil once their commands are made
	kept     []pack.Kept
	finished bool // completed an interrupted run
}

// Run makes this repository forget what its own tombstones and those of add name:
//
//  1. it writes the intent, from which the next writer finishes an interrupted run, and removes
//     texts from what the hooks of agents keep of sessions;
//  2. it rewrites history without a lock, because that takes long;
//  3. with all branches and the notes locked it rewrites what was added meanwhile, drops state
//     that quotes removed text, and moves all refs, tracking refs included, in one transaction;
//     it records what the remotes have, for the commands that clean them;
//  4. it removes committed and expunged steps from journals;
//  5. it empties reflogs and deletes the objects that only old history reaches;
//  6. it lists what was asked here, see [HereName], and removes the intent once no ref leads to old history.
//
// Steps that are pending lose what is in add, and by [Operation.Follow] nothing.
//
// Run takes [LockName] and waits for a running expunge. It also completes an interrupted one.
func (op *Operation) Run(ctx context.Context, add doc.Expunged) error {
	op.intent.pending = op.intent.pending.Union(add)
	return op.Follow(ctx, add)
}

// Follow is Run because a remote asks for it, and nobody here.
func (op *Operation) Follow(ctx context.Context, add doc.Expunged) (err error) {
	lock, err := op.Store.Repo().Lock(ctx, LockName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return op.runLocked(ctx, add)
}

func (op *Operation) runLocked(ctx context.Context, add doc.Expunged) error {
	left, err := ReadIntent(op.Store)
	if err != nil {
		return err
	}
	known, err := Tombstones(ctx, op.Store)
	if err != nil {
		return err
	}
	op.finished = left != nil
	op.intent.join(left)
	op.intent.added = op.intent.added.Union(add)
	op.intent.expunged = op.intent.expunged.Union(add).Union(known)
	op.replaced = map[git.ID]bool{}
	op.Rewriter = NewRewriter(op.Store, op.intent.expunged)
	old, err := op.hasOldRefs(ctx)
	if err != nil {
		return err
	}
	kept, err := op.concernsKept(ctx)
	if err != nil {
		return err
	}
	if left == nil && !old && !kept && known.Contains(op.intent.expunged) && len(op.intent.old) == 0 {
		return errors.Join(op.captures(ctx), op.keepHere(ctx)) // an agent may say an expunged text again
	}
	if err := op.Rewriter.refuseCut(); err != nil {
		return err
	}
	if err := op.checkDeletable(ctx); err != nil {
		return err
	}
	if left == nil {
		if err := checkSize(op.intent.expunged); err != nil {
			return err
		}
		if err := errors.Join(op.checkObjects(ctx), CheckFallen(ctx, op.Store)); err != nil {
			return err
		}
		if err := op.checkState(ctx); err != nil {
			return fmt.Errorf("%w; nothing was expunged", err)
		}
	}
	if err := op.verify(ctx); err != nil {
		return err
	}
	if op.dirty, err = op.Rewriter.dirtyRemotes(ctx, nil); err != nil {
		return err
	}
	if err := writeIntent(op.Store, &op.intent); err != nil {
		return err
	}
	fault.Point("expunge-intent")
	if err := op.captures(ctx); err != nil {
		return err
	}
	for range maxRounds {
		again, err := op.round(ctx)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		if err := op.keepHere(ctx); err != nil {
			return err
		}
		return dropIntent(op.Store)
	}
	return errBusy()
}

func errBusy() error {
	return fail.New(fail.ErrStale, fail.Busy, "other processes keep creating refs to the expunged history",
		"run the command again")
}

// checkDeletable refuses a repository that forbids deleting objects, before anything changes.
func (op *Operation) checkDeletable(ctx context.Context) error {
	cfg, err := op.Store.Repo().Config(ctx)
	if err != nil {
		return err
	}
	precious, err := cfg.PreciousObjects()
	if err == nil && precious {
		err = fail.New(fail.ErrRefused, fail.ObjectsPrecious,
			"extensions.preciousObjects forbids git to delete objects of this repository",
			"git config --unset extensions.preciousObjects")
	}
	return err
}

// checkObjects refuses a repository in which any object is missing, code included: git could
// not delete objects there after the refs had moved.
func (op *Operation) checkObjects(ctx context.Context) error {
	err := pack.CheckPurge(ctx, op.Store.Repo())
	var child *git.Error
	if !errors.As(err, &child) || child.Code <= 0 {
		return err
	}
	return &fail.Error{Code: fail.ObjectsMissing, Kind: fail.ErrRefused, Err: err,
		Hints:   []string{"git fsck --connectivity-only"},
		Message: "an object is missing in this repository, and git deletes no objects then; nothing was changed"}
}

// verify runs Check on the new history before any lock is taken.
func (op *Operation) verify(ctx context.Context) error {
	if op.Check == nil {
		return nil
	}
	v, err := ListRefs(ctx, op.Store)
	if err != nil {
		return err
	}
	now, err := op.Rewriter.Rewrite(ctx, v.Tips())
	if err != nil {
		return err
	}
	return op.Check(ctx, op, newTips(now))
}

// round moves the refs and deletes old objects once. It reports whether refs that appeared
// meanwhile lead to old history.
func (op *Operation) round(ctx context.Context) (again bool, err error) {
	names, err := op.Store.BranchNames(ctx)
	if err != nil {
		return false, err
	}
	ses, err := op.Store.BeginLocked(ctx, op.Writer, "expunge", slices.Clone(names)...)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, ses.Close()) }()
	lock, err := op.Store.Repo().Lock(ctx, notes.LockName)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := ses.Swap(ctx, func(ctx context.Context) error { return op.move(ctx, ses, names) }); err != nil {
		return errors.Is(err, errNewBranch), orNewBranch(err)
	}
	op.moved = true
	fault.Point("expunge-refs")
	if op.dirty != nil { // the comparison needs the old notes
		if op.Result.Remotes, err = op.Rewriter.cleaningAll(ctx, op.dirty); err != nil {
			return false, err
		}
		op.dirty = nil
	}
	if err := op.journals(ctx, names); err != nil {
		return false, err
	}
	if err := op.attached(); err != nil {
		return false, err
	}
	fault.Point("expunge-journals")
	if err := op.purge(ctx); err != nil {
		return false, err
	}
	fault.Point("expunge-purged")
	return op.hasOldRefs(ctx)
}

// errNewBranch ends a round because a branch appeared that the round has not locked.
var errNewBranch = errors.New("a branch was made meanwhile")

func orNewBranch(err error) error {
	if errors.Is(err, errNewBranch) {
		return nil
	}
	return err
}

// hasOldRefs reports whether a ref leads to old history.
func (op *Operation) hasOldRefs(ctx context.Context) (bool, error) {
	v, err := ListRefs(ctx, op.Store)
	if err != nil {
		return false, err
	}
	now, err := op.Rewriter.Rewrite(ctx, v.Tips())
	if err != nil {
		return false, err
	}
	for _, r := range v.All() {
		if to := now[r.ID]; to != "" && to != r.ID {
			return true, nil
		}
	}
	return slices.ContainsFunc(v.Works, func(r git.Ref) bool { return op.Rewriter.ForgetsWork(r.ID) }), nil
}

// warn adds a warning to the result, once.
func (op *Operation) warn(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	if !slices.Contains(op.Result.Warnings, text) {
		op.Result.Warnings = append(op.Result.Warnings, text)
	}
}
