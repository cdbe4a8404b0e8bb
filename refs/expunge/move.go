package expunge

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// move queues the moves of all refs that lead to old history.
func (x *Expunging) move(ctx context.Context, ses *store.Transaction, locked []string) error {
	v, err := MemoryRefs(ctx, x.S)
	if err != nil {
		return err
	}
	for _, r := range v.Branches {
		if name, _ := git.BranchName(r.Name); !slices.Contains(locked, name) {
			return errNewBranch
		}
	}
	now, err := x.Rw.Rewrite(ctx, v.Tips())
	if err != nil {
		return err
	}
	if err := x.Note(ctx, v, now); err != nil {
		return err
	}
	queued := 0
	for _, r := range v.own() {
		if r.Name != git.RoadmapRef && now[r.ID] != r.ID {
			ses.Tx.Update(r.Name, now[r.ID], r.ID)
			queued++
		}
	}
	n, err := x.moveRoadmap(ctx, ses, v.Roadmap, now)
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
	if err := writeExpungeIntent(x.S, &x.intent); err != nil {
		return err
	}
	if err := x.states(); err != nil {
		return err
	}
	if queued += n; queued == 0 {
		return store.ErrNothing
	}
	return nil
}

// note takes down what is replaced: the tips, for their objects are to go however this
// ends, and how many commits.
func (x *Expunging) Note(ctx context.Context, v *memoryRefs, now map[git.ID]git.ID) error {
	for _, r := range v.All() {
		if to := now[r.ID]; to != "" && to != r.ID {
			x.intent.addOld(r.ID)
		}
	}
	for _, id := range x.Rw.replaced() {
		x.replaced[id] = true
	}
	roots, err := x.Rw.rootsReplaced(ctx)
	if err != nil {
		return err
	}
	x.Res.Commits = len(x.replaced)
	return x.intent.addReplaced(roots)
}

// moveRoadmap puts a commit with the tombstones on top of the rewritten roadmap, unless
// it has them all.
func (x *Expunging) moveRoadmap(ctx context.Context, ses *store.Transaction, old git.ID, now map[git.ID]git.ID) (int, error) {
	tree, parents := x.S.Repo().Edit(""), []git.ID(nil)
	base, err := x.roadmapBase(ctx, now[old])
	if err != nil {
		return 0, err
	}
	if base != "" {
		c, err := x.S.Repo().Commit(ctx, base)
		if err != nil {
			return 0, err
		}
		tree, parents = x.S.Repo().Edit(c.Tree), []git.ID{base}
	} else if err := ses.Put(ctx, tree, doc.RoadmapFile, doc.ParseRoadmap(nil).Bytes()); err != nil {
		return 0, err
	}
	have, err := TombstonesIn(ctx, x.S, tree)
	if err != nil {
		return 0, err
	}
	if have.Holds(x.intent.expunged) {
		if base == old {
			return 0, nil
		}
		ses.Tx.Update(git.RoadmapRef, base, old)
		return 1, nil
	}
	if err := PutTombstones(ctx, ses, tree, x.intent.expunged.Union(have)); err != nil {
		return 0, err
	}
	n := len(x.intent.expunged.Entries()) - len(have.Entries())
	tip, err := ses.RoadmapCommit(ctx, tree, parents, "Expunge "+Forgotten(n))
	if err != nil {
		return 0, err
	}
	ses.Tx.Update(git.RoadmapRef, tip.ID, old)
	return 1, nil
}

// roadmapBase is what the tombstones are put on: the roadmap as it is now, or the other
// repository's where that goes on from there.
func (x *Expunging) roadmapBase(ctx context.Context, now git.ID) (git.ID, error) {
	if x.Roadmap == "" || now == "" {
		return now, nil
	}
	theirs, err := x.Rw.Rewrite(ctx, []git.ID{x.Roadmap})
	if err != nil {
		return "", err
	}
	ahead, err := x.S.Repo().IsAncestor(ctx, now, theirs[x.Roadmap])
	if err != nil || !ahead {
		return now, err
	}
	return theirs[x.Roadmap], nil
}

// moveNotes makes the notes forget.
func (x *Expunging) moveNotes(ctx context.Context, ses *store.Transaction) (int, error) {
	changed, old, err := forgetNotes(ctx, ses, x.Rw)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	x.Res.Notes = max(x.Res.Notes, changed)
	x.intent.addOld(old[len(old)-1])
	return 1, nil
}

// moveTracking puts the tracking refs of remotes that lead to old history, or to old
// notes, to what they are without it, and deletes others. What the remotes have is
// written down first.
func (x *Expunging) moveTracking(ctx context.Context, ses *store.Transaction, v *memoryRefs, now map[git.ID]git.ID) (int, error) {
	to, err := x.rememberHeld(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	move := func(r git.Ref) {
		if n++; to[r.Name] == "" {
			ses.Tx.Delete(r.Name, r.ID)
		} else {
			ses.Tx.Update(r.Name, to[r.Name], r.ID)
		}
	}
	for _, r := range v.tracking {
		if now[r.ID] != r.ID {
			move(r)
		}
	}
	for _, r := range v.TrackingNotes {
		dirty, err := x.Rw.dirtyNotes(ctx, r.ID)
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

// putTombstones writes them into a tree of the roadmap.
func PutTombstones(ctx context.Context, ses *store.Transaction, tree *git.Edit, e doc.Expunged) error {
	data := e.Bytes()
	if len(data) > doc.MaxExpunged {
		return fail.New(fail.ErrRefused, fail.ExpungedFull, fmt.Sprintf("%s would have %d bytes; at most %d are allowed", doc.ExpungedFile, len(data), doc.MaxExpunged))
	}
	return ses.Put(ctx, tree, doc.ExpungedFile, data)
}
