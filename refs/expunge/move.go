package expunge

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// move queues the moves of all refs that lead to old history.
func (op *Operation) move(ctx context.Context, ses *store.Transaction, locked []string) error {
	v, err := ListRefs(ctx, op.Store)
	if err != nil {
		return err
	}
	for _, r := range v.Branches {
		if name, _ := git.BranchName(r.Name); !slices.Contains(locked, name) {
			return errNewBranch
		}
	}
	now, err := op.Rewriter.Rewrite(ctx, append(v.Tips(), op.hide.tips()...))
	if err != nil {
		return err
	}
	if err := op.Store.ForgetSources(op.Rewriter.sources); err != nil {
		return err
	}
	if err := op.Rewriter.keepRoadmaps(); err != nil {
		return err
	}
	if err := op.listHidden(ctx, v, now); err != nil {
		return err
	}
	if err := op.listTagged(v, now); err != nil {
		return err
	}
	if op.hide == nil {
		if err := op.recordReplaced(ctx, v, now); err != nil {
			return err
		}
	}
	op.hide.reset()
	queued := 0
	for _, r := range v.Own() {
		if now[r.ID] != r.ID {
			op.hide.add(r)
		}
		if r.Name != git.RoadmapRef && now[r.ID] != r.ID {
			ses.Refs.Update(r.Name, now[r.ID], r.ID)
			queued++
		}
	}
	n, err := op.moveRoadmap(ctx, ses, v.Roadmap, now)
	if err != nil {
		return err
	}
	queued += n
	if n, err = op.moveNotes(ctx, ses); err != nil {
		return err
	}
	queued += n
	if n, err = op.moveTracking(ctx, ses, v, now); err != nil {
		return err
	}
	queued += n + op.dropWorks(ses, v)
	if n, err = op.moveKept(ctx, ses, v); err != nil {
		return err
	}
	queued += n
	if op.hide == nil {
		if err := writeIntent(op.Store, &op.intent); err != nil {
			return err
		}
	}
	if err := op.dropStates(); err != nil {
		return err
	}
	if queued == 0 {
		return store.ErrNothing
	}
	return ses.Adopt(ctx, op.Rewriter.commits)
}

// recordReplaced adds the replaced tips to the intent, so that their objects are deleted
// however the run ends, and counts the replaced commits.
func (op *Operation) recordReplaced(ctx context.Context, v *Refs, now map[git.ID]git.ID) error {
	for _, r := range v.All() {
		if to := now[r.ID]; to != "" && to != r.ID {
			op.intent.addOld(r.ID)
		}
	}
	for _, id := range op.Rewriter.replaced() {
		op.replaced[id] = true
	}
	op.Result.Commits = len(op.replaced)
	if op.unlisted {
		return nil
	}
	roots, err := op.Rewriter.rootsReplaced(ctx)
	if err != nil {
		return err
	}
	return op.intent.addReplaced(roots)
}

// moveRoadmap puts a commit with the tombstones on top of the rewritten roadmap, unless that
// contains all of them.
func (op *Operation) moveRoadmap(ctx context.Context, ses *store.Transaction, old git.ID,
	now map[git.ID]git.ID) (int, error) {
	tree, parents := op.Store.Repo().Edit(""), []git.ID(nil)
	base, err := op.roadmapBase(ctx, now[old])
	if err != nil {
		return 0, err
	}
	if base != "" {
		c, err := op.Store.Repo().Commit(ctx, base)
		if err != nil {
			return 0, err
		}
		tree, parents = op.Store.Repo().Edit(c.Tree), []git.ID{base}
	} else if err := ses.Put(ctx, tree, doc.RoadmapFile, doc.ParseRoadmap(nil).Bytes()); err != nil {
		return 0, err
	}
	have, err := TombstonesIn(ctx, op.Store, tree)
	if err != nil {
		return 0, err
	}
	if have.Contains(op.intent.expunged) {
		if base == old {
			return 0, nil
		}
		ses.Refs.Update(git.RoadmapRef, base, old)
		return 1, nil
	}
	if err := PutTombstones(ctx, ses, tree, op.intent.expunged.Union(have)); err != nil {
		return 0, err
	}
	n := len(op.intent.expunged.Entries()) - len(have.Entries())
	// The commit says who expunges. If that is expunged, too, the next round would rewrite the commit, and so on.
	for _, name := range []*string{&ses.Writer.Agent, &ses.Writer.Session, &ses.Writer.Model} {
		*name = op.Rewriter.e.RedactText(*name)
	}
	tip, err := ses.RoadmapCommit(ctx, tree, parents, store.RoadmapRecord{Reason: "Expunge " + EntriesText(n), Body: op.why})
	if err != nil {
		return 0, err
	}
	ses.Refs.Update(git.RoadmapRef, tip.ID, old)
	return 1, nil
}

// roadmapBase returns the commit that gets the tombstones: our rewritten roadmap, or the other
// repository's if it descends from ours or there is none here.
func (op *Operation) roadmapBase(ctx context.Context, now git.ID) (git.ID, error) {
	if op.Roadmap == "" {
		return now, nil
	}
	theirs, err := op.Rewriter.Rewrite(ctx, []git.ID{op.Roadmap})
	if err != nil {
		return "", err
	}
	if now == "" {
		return theirs[op.Roadmap], nil
	}
	ahead, err := op.Store.Repo().IsAncestor(ctx, now, theirs[op.Roadmap])
	if err != nil || !ahead {
		return now, err
	}
	return theirs[op.Roadmap], nil
}

// moveNotes queues the notes without what is expunged.
func (op *Operation) moveNotes(ctx context.Context, ses *store.Transaction) (int, error) {
	changed, old, err := forgetNotes(ctx, ses, op.Rewriter)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	op.Result.Notes = max(op.Result.Notes, changed)
	op.hide.add(git.Ref{Name: git.NotesRef, ID: old[len(old)-1]})
	op.intent.addOld(old[len(old)-1])
	return 1, nil
}

// moveTracking moves tracking refs that lead to old history or old notes to their clean
// commits, and deletes those without one; so it does with what fetches have replaced. It first records what the remotes have.
func (op *Operation) moveTracking(ctx context.Context, ses *store.Transaction, v *Refs,
	now map[git.ID]git.ID) (int, error) {
	to, err := op.rememberDirty(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	move := func(r git.Ref) {
		if n++; to[r.Name] == "" {
			ses.Refs.Delete(r.Name, r.ID)
		} else {
			ses.Refs.Update(r.Name, to[r.Name], r.ID)
		}
	}
	op.hide.addFetched(now)
	for _, r := range v.tracking {
		if now[r.ID] == r.ID {
			continue
		}
		if strings.HasPrefix(r.Name, git.SeenPrefix) { // no remote has it any more
			to[r.Name] = now[r.ID]
		}
		op.hide.addTracked(r)
		move(r)
	}
	for _, r := range v.TrackingNotes {
		dirty, err := op.Rewriter.dirtyNotes(ctx, r.ID)
		if err != nil {
			return n, err
		}
		if dirty {
			op.intent.addOld(r.ID)
			move(r)
		}
	}
	return n, nil
}
