package share

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// uniteTombstones puts the tombstones of some commits of the roadmap into a tree. Both sides'
// tombstones apply, so that they never conflict.
func uniteTombstones(ctx context.Context, ses *store.Transaction, tree *git.Edit, sides ...git.ID) error {
	var all doc.Expunged
	for _, side := range sides {
		e, err := tombstonesAt(ctx, ses.Store, side)
		if err != nil {
			return err
		}
		all = all.Union(e)
	}
	if all.Empty() {
		return nil
	}
	return expunge.PutTombstones(ctx, ses, tree, all)
}

// tombstonesAt returns the tombstones of a commit of the roadmap; none for "".
func tombstonesAt(ctx context.Context, s *store.Store, roadmap git.ID) (doc.Expunged, error) {
	if roadmap == "" {
		return doc.Expunged{}, nil
	}
	c, err := s.Repo().Commit(ctx, roadmap)
	if err != nil {
		return doc.Expunged{}, fmt.Errorf("read the roadmap: %w", err)
	}
	return expunge.TombstonesIn(ctx, s, s.Repo().Edit(c.Tree))
}

// acceptTombstones expunges here what the other side has expunged, before anything of it is
// merged. It reports whether this repository was rewritten, so that its refs have moved. The
// cases:
//
//  1. everything is expunged here already: nothing. Replaced commits alone are no reason either,
//     they come with the roadmap;
//  2. there is no memory here yet: nothing; the roadmap is taken over as it is;
//  3. the other side is only asked, or gets our branches: a hint at sync;
//  4. otherwise this repository expunges it too, unless that removes too much, see checkPlausible; in a
//     rehearsal it only says so.
func (ex *exchanger) acceptTombstones(ctx context.Context, ours, theirs *remote.RefSet) (bool, error) {
	if ex.remove || ours.Empty() || theirs.Roadmap == "" || theirs.Roadmap == ours.Roadmap {
		return false, nil
	}
	e, err := ex.theirTombstones(ctx, theirs)
	if err != nil {
		return false, err
	}
	known, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return false, err
	}
	for _, hash := range e.Commits() {
		if err := known.AddCommit(hash); err != nil {
			return false, err
		}
	}
	ids := slices.DeleteFunc(e.Entries(), known.HasEntry)
	n := len(ids)
	switch {
	case known.Contains(e):
		return false, nil
	case ex.merge && !ex.rehearsal:
		return true, ex.applyTombstones(ctx, e, ids, theirs.Roadmap)
	}
	command, most, err := ex.remedy(ctx, e)
	switch {
	case err != nil:
		return false, err
	case ex.push && !ex.merge:
		return false, fail.New(fail.ErrRefused, fail.ExpungedElsewhere,
			fmt.Sprintf("'%s' has expunged %s that this repository still has", ex.peer.Name,
				expunge.EntriesText(n)), command)
	case most:
		ex.warn(fmt.Sprintf("'%s' has expunged %s, more than sync removes without consent; see %s", ex.peer.Name,
			expunge.EntriesText(n), command))
	default:
		ex.warn(fmt.Sprintf("'%s' has expunged %s; %s removes %s here too", ex.peer.Name, expunge.EntriesText(n),
			command, itOrThem(n)))
	}
	return ex.rehearsal, nil // what else a sync would do depends on that
}

// remedy returns the command that expunges what the other side has expunged, and whether that
// is more than a sync accepts.
func (ex *exchanger) remedy(ctx context.Context, e doc.Expunged) (command string, most bool, err error) {
	name := prose.ShellWord(ex.peer.Name)
	switch err := expunge.Try(ctx, ex.s, e, func(op *expunge.Operation) error {
		return ex.checkPlausible(ctx, op, nil)
	}); {
	case implausible(err):
		return "git context expunge --from " + name + " --dry-run", true, nil
	default:
		return "git context sync " + name, false, err
	}
}

func itOrThem(entries int) string {
	if entries == 1 {
		return "it"
	}
	return "them"
}

// theirTombstones returns the tombstones of the other side's roadmap after checking it.
func (ex *exchanger) theirTombstones(ctx context.Context, theirs *remote.RefSet) (doc.Expunged, error) {
	ref := git.Ref{Name: ex.peer.Tracking.Roadmap(), ID: theirs.Roadmap}
	if err := incoming.Check(ctx, ex.s, incoming.Refs{Roadmap: []git.Ref{ref}}); err != nil {
		return doc.Expunged{}, err
	}
	return tombstonesAt(ctx, ex.s, theirs.Roadmap)
}

// errShown ends an exchange that only previews an expunge.
var errShown = errors.New("only shown")

// applyTombstones expunges here what the other side has expunged; ids are the entries that go.
func (ex *exchanger) applyTombstones(ctx context.Context, e doc.Expunged, ids []string, roadmap git.ID) error {
	op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer, Roadmap: roadmap,
		Result: expunge.Result{Entries: len(ids), IDs: ids, Remotes: []expunge.DirtyRemote{}}}
	if ex.expunge {
		if err := expunge.Describe(ctx, ex.s, e, &op.Result); err != nil {
			return err
		}
	}
	ex.forgot = &op.Result
	if ex.dry {
		return ex.previewTombstones(ctx, e, &op.Result)
	}
	if !ex.accepted {
		op.Check = ex.checkPlausible
	}
	dropped, err := expunge.DropUnsoundTracking(ctx, ex.s, ex.o.Writer)
	if err != nil {
		return err
	}
	op.Result.Warnings = append(op.Result.Warnings, dropped...)
	if err := op.Run(ctx, e); err != nil {
		return err
	}
	ex.note(fmt.Sprintf("'%s' has expunged %s; this repository does the same", ex.peer.Name, expunge.EntriesText(len(ids))))
	ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
	return nil
}

// previewTombstones reports what else would change. A refusal by sync is only a warning here.
func (ex *exchanger) previewTombstones(ctx context.Context, e doc.Expunged, res *expunge.Result) error {
	res.DryRun = true
	err := expunge.Preview(ctx, ex.s, e, func(ctx context.Context, op *expunge.Operation, tips []git.ID) error {
		err := ex.checkPlausible(ctx, op, tips)
		var refusal *fail.Error
		if implausible(err) && errors.As(err, &refusal) {
			res.Warnings = append(res.Warnings, refusal.Message)
			return nil
		}
		return err
	}, res)
	if err != nil {
		return err
	}
	return errShown
}

// relation compares a ref of ours with theirs. A roadmap that descends from ours but lacks
// tombstones was made by a writer that dropped them: it is merged, not taken over.
func (ex *exchanger) relation(ctx context.Context, ref string, ours, theirs git.ID) (relation, []git.ID, error) {
	how, bases, err := compare(ctx, ex.s, ours, theirs)
	if err != nil || how != behind || ref != git.RoadmapRef {
		return how, bases, err
	}
	known, err := tombstonesAt(ctx, ex.s, ours)
	if err != nil {
		return how, nil, err
	}
	e, err := tombstonesAt(ctx, ex.s, theirs)
	if err == nil && !e.Contains(known) {
		how = diverged
	}
	return how, bases, err
}

// note adds a sentence about what was done besides the request.
func (ex *exchanger) note(text string) {
	if !slices.Contains(ex.res.Notes, text) {
		ex.res.Notes = append(ex.res.Notes, text)
	}
}
