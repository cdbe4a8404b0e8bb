package refs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// ExpungeResult is what was forgotten, or would be.
type ExpungeResult struct {
	Entries int      `json:"entries"` // steps and milestones that are removed, pending ones included
	Texts   int      `json:"texts"`   // pieces of text that are redacted wherever they stand
	Commits int      `json:"commits"` // that others stand in the place of
	Notes   int      `json:"notes"`   // that changed
	IDs     []string `json:"ids"`     // of the entries
	// Remotes are those that had the old history when they were last asked.
	Remotes []RemoteHolding `json:"remotes"`

	Expunged []ExpungedEntry `json:"-"` // what is known of the entries, oldest first
	Topics   []string        `json:"-"` // keys of the topics that are redacted
	Warnings []string        `json:"-"` // what went with it, and what could not be cleaned
	Objects  int             `json:"-"` // deleted from the object directory
	DryRun   bool            `json:"-"`
}

// expungeLock keeps two that forget apart, and everybody from half of it.
const expungeLock = "expunge"

// expungeRounds is how often refs may appear meanwhile that lead to what is forgotten.
const expungeRounds = 10

// expunging is one act of forgetting.
type expunging struct {
	s      *Store
	w      Writer
	intent expungeIntent
	rw     *rewriter
	res    ExpungeResult
	check  func(context.Context, *expunging, []git.ID) error // of the new tips, before refs move; nil for none

	// roadmap is another repository's with the tombstones; "" for none. Where it goes on
	// from ours it is taken over: a hundred clones that each wrote them down anew would
	// have a hundred merges.
	roadmap git.ID

	replaced map[git.ID]bool      // old commits, over all rounds
	held     map[string][]heldRef // by remote; nil once the commands for them are made
	kept     []git.Kept
	finished bool // what a killed one left
}

// expungeAll makes this repository forget what the tombstones say that its roadmap
// holds, and those of add:
//
//  1. the intent is written down: whoever writes next finishes what a crash leaves;
//  2. history is rewritten, without a lock, for that takes long;
//  3. with all branches and the notes locked: what came meanwhile is rewritten too,
//     state that quotes is dropped, and all refs move in one transaction, tracking refs
//     too; what the remotes really have is remembered, for the commands that clean them;
//  4. journals lose what is committed, and steps that are forgotten;
//  5. reflogs are emptied, and the objects that only old history holds are deleted;
//  6. the intent is removed, when no ref leads to old history any more.
//
// It changes nothing where nothing of that is to be done. With the same tombstones it
// may be called again at any time; killed anywhere, it is finished by that.
func (s *Store) expungeAll(ctx context.Context, w Writer, add doc.Expunged) (ExpungeResult, error) {
	x := &expunging{s: s, w: w}
	err := x.begin(ctx, add)
	return x.res, err
}

// begin takes the lock, and joins what a killed one left to what is to be done.
func (x *expunging) begin(ctx context.Context, add doc.Expunged) (err error) {
	lock, err := x.s.repo.Lock(ctx, expungeLock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return x.run(ctx, add)
}

func (x *expunging) run(ctx context.Context, add doc.Expunged) error {
	left, err := x.s.readExpungeIntent()
	if err != nil {
		return err
	}
	known, err := x.s.tombstones(ctx)
	if err != nil {
		return err
	}
	x.finished = left != nil
	x.intent.join(left)
	x.intent.expunged = x.intent.expunged.Union(add).Union(known)
	x.replaced = map[git.ID]bool{}
	x.rw = x.s.newRewriter(x.intent.expunged)
	old, err := x.appeared(ctx)
	if err != nil || left == nil && !old && known.Holds(x.intent.expunged) && len(x.intent.old) == 0 {
		return err
	}
	if err := x.mayDelete(ctx); err != nil {
		return err
	}
	if left == nil {
		if err := orTooMany(x.intent.expunged); err != nil {
			return err
		}
	}
	if err := x.verify(ctx); err != nil {
		return err
	}
	if x.held, err = x.rw.holdings(ctx); err != nil {
		return err
	}
	if err := x.s.writeExpungeIntent(&x.intent); err != nil {
		return err
	}
	fault("expunge-intent")
	for range expungeRounds {
		again, err := x.round(ctx)
		if err != nil {
			return err
		}
		if !again {
			return x.s.dropExpungeIntent()
		}
	}
	return fail(ErrStale, "busy", "refs that lead to what is forgotten keep appearing", "run the command again")
}

// mayDelete refuses where objects may not be deleted, before anything is done.
func (x *expunging) mayDelete(ctx context.Context) error {
	cfg, err := x.s.repo.Config(ctx)
	if err != nil {
		return err
	}
	precious, err := cfg.Bool("extensions.preciousobjects", false)
	if err == nil && precious {
		err = fail(ErrRefused, "objects-precious", "this repository's objects are never deleted: extensions.preciousObjects is set",
			"git config --unset extensions.preciousObjects")
	}
	return err
}

// verify checks what history will be, before anything is locked.
func (x *expunging) verify(ctx context.Context) error {
	if x.check == nil {
		return nil
	}
	v, err := x.s.memoryRefs(ctx)
	if err != nil {
		return err
	}
	now, err := x.rw.rewrite(ctx, v.tips())
	if err != nil {
		return err
	}
	return x.check(ctx, x, tipsNow(now))
}

// round does all of it once, and reports whether refs appeared meanwhile that lead to
// old history.
func (x *expunging) round(ctx context.Context) (again bool, err error) {
	names, err := x.s.branchNames(ctx)
	if err != nil {
		return false, err
	}
	ses, err := x.s.beginLocked(ctx, x.w, "expunge", slices.Clone(names)...)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, ses.close()) }()
	lock, err := x.s.repo.Lock(ctx, notes.LockName)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := ses.swap(ctx, func(ctx context.Context) error { return x.move(ctx, ses, names) }); err != nil {
		return errors.Is(err, errNewBranch), orNewBranch(err)
	}
	fault("expunge-refs")
	if x.held != nil { // while the old notes are there to be compared with
		if x.res.Remotes, err = x.rw.remotesHolding(ctx, x.held); err != nil {
			return false, err
		}
		x.held = nil
	}
	if err := x.journals(ctx, names); err != nil {
		return false, err
	}
	fault("expunge-journals")
	if err := x.purge(ctx); err != nil {
		return false, err
	}
	fault("expunge-purged")
	return x.appeared(ctx)
}

// errNewBranch ends a round whose locks do not cover all branches.
var errNewBranch = errors.New("a branch was made meanwhile")

func orNewBranch(err error) error {
	if errors.Is(err, errNewBranch) {
		return nil
	}
	return err
}

// move queues the moves of all refs that lead to old history.
func (x *expunging) move(ctx context.Context, ses *session, locked []string) error {
	v, err := x.s.memoryRefs(ctx)
	if err != nil {
		return err
	}
	for _, r := range v.branches {
		if name, _ := git.BranchName(r.Name); !slices.Contains(locked, name) {
			return errNewBranch
		}
	}
	now, err := x.rw.rewrite(ctx, v.tips())
	if err != nil {
		return err
	}
	if err := x.note(ctx, v, now); err != nil {
		return err
	}
	queued := 0
	for _, r := range v.own() {
		if r.Name != git.RoadmapRef && now[r.ID] != r.ID {
			ses.tx.Update(r.Name, now[r.ID], r.ID)
			queued++
		}
	}
	n, err := x.moveRoadmap(ctx, ses, v.roadmap, now)
	if err != nil {
		return err
	}
	queued += n
	if n, err = x.moveNotes(ctx, ses); err != nil {
		return err
	}
	queued += n
	if n, err = x.moveTracking(ctx, ses, v, now); err != nil {
		return err
	}
	if err := x.s.writeExpungeIntent(&x.intent); err != nil {
		return err
	}
	if err := x.states(); err != nil {
		return err
	}
	if queued += n; queued == 0 {
		return errNothing
	}
	return nil
}

// note takes down what is replaced: the tips, for their objects are to go however this
// ends, and how many commits.
func (x *expunging) note(ctx context.Context, v *memoryRefs, now map[git.ID]git.ID) error {
	for _, r := range v.all() {
		if to := now[r.ID]; to != "" && to != r.ID {
			x.intent.addOld(r.ID)
		}
	}
	for _, id := range x.rw.replaced() {
		x.replaced[id] = true
	}
	roots, err := x.rw.rootsReplaced(ctx)
	if err != nil {
		return err
	}
	x.res.Commits = len(x.replaced)
	return x.intent.addReplaced(roots)
}

// moveRoadmap puts a commit with the tombstones on top of the rewritten roadmap, unless
// it has them all.
func (x *expunging) moveRoadmap(ctx context.Context, ses *session, old git.ID, now map[git.ID]git.ID) (int, error) {
	tree, parents := x.s.repo.Edit(""), []git.ID(nil)
	base, err := x.roadmapBase(ctx, now[old])
	if err != nil {
		return 0, err
	}
	if base != "" {
		c, err := x.s.repo.Commit(ctx, base)
		if err != nil {
			return 0, err
		}
		tree, parents = x.s.repo.Edit(c.Tree), []git.ID{base}
	} else if err := ses.put(ctx, tree, doc.RoadmapFile, doc.ParseRoadmap(nil).Bytes()); err != nil {
		return 0, err
	}
	have, err := x.s.tombstonesIn(ctx, tree)
	if err != nil {
		return 0, err
	}
	if have.Holds(x.intent.expunged) {
		if base == old {
			return 0, nil
		}
		ses.tx.Update(git.RoadmapRef, base, old)
		return 1, nil
	}
	data := x.intent.expunged.Union(have).Bytes()
	if len(data) > doc.MaxExpunged {
		return 0, fail(ErrRefused, "expunged-full", fmt.Sprintf("%s would have %d bytes; at most %d are allowed",
			doc.ExpungedFile, len(data), doc.MaxExpunged))
	}
	if err := ses.put(ctx, tree, doc.ExpungedFile, data); err != nil {
		return 0, err
	}
	n := len(x.intent.expunged.Entries()) - len(have.Entries())
	tip, err := ses.roadmapCommit(ctx, tree, parents, expungeSubject(n))
	if err != nil {
		return 0, err
	}
	ses.tx.Update(git.RoadmapRef, tip.ID, old)
	return 1, nil
}

// roadmapBase is what the tombstones are put on: the roadmap as it is now, or the other
// repository's where that goes on from there.
func (x *expunging) roadmapBase(ctx context.Context, now git.ID) (git.ID, error) {
	if x.roadmap == "" || now == "" {
		return now, nil
	}
	theirs, err := x.rw.rewrite(ctx, []git.ID{x.roadmap})
	if err != nil {
		return "", err
	}
	ahead, err := x.s.repo.IsAncestor(ctx, now, theirs[x.roadmap])
	if err != nil || !ahead {
		return now, err
	}
	return theirs[x.roadmap], nil
}

func expungeSubject(entries int) string {
	switch entries {
	case 0:
		return "Expunge texts"
	case 1:
		return "Expunge 1 entry"
	}
	return fmt.Sprintf("Expunge %d entries", entries)
}

// moveNotes makes the notes forget.
func (x *expunging) moveNotes(ctx context.Context, ses *session) (int, error) {
	changed, old, err := ses.forgetNotes(ctx, x.rw)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	x.res.Notes = max(x.res.Notes, changed)
	x.intent.addOld(old[len(old)-1])
	return 1, nil
}

// moveTracking puts the tracking refs of remotes that lead to old history, or to old
// notes, to what they are without it, and deletes others. What the remotes have is
// written down first.
func (x *expunging) moveTracking(ctx context.Context, ses *session, v *memoryRefs, now map[git.ID]git.ID) (int, error) {
	to, err := x.rememberHeld(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	move := func(r git.Ref) {
		if n++; to[r.Name] == "" {
			ses.tx.Delete(r.Name, r.ID)
		} else {
			ses.tx.Update(r.Name, to[r.Name], r.ID)
		}
	}
	for _, r := range v.tracking {
		if now[r.ID] != r.ID {
			move(r)
		}
	}
	for _, r := range v.trackingNotes {
		dirty, err := x.rw.dirtyNotes(ctx, r.ID)
		if err != nil {
			return n, err
		}
		if dirty {
			x.intent.addOld(r.ID)
			move(r)
		}
	}
	return n, nil
}

// appeared reports whether there are refs that lead to old history.
func (x *expunging) appeared(ctx context.Context) (bool, error) {
	v, err := x.s.memoryRefs(ctx)
	if err != nil {
		return false, err
	}
	now, err := x.rw.rewrite(ctx, v.tips())
	if err != nil {
		return false, err
	}
	for _, r := range v.all() {
		if to := now[r.ID]; to != "" && to != r.ID {
			return true, nil
		}
	}
	return false, nil
}

// warn says once what the caller is to know.
func (x *expunging) warn(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	if !slices.Contains(x.res.Warnings, text) {
		x.res.Warnings = append(x.res.Warnings, text)
	}
}
