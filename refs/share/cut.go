package share

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// CutName is an empty file of local state that exists since an exchange was refused because memory was cut. What
// `git fetch --unshallow` then brings was expunged nowhere here.
const CutName = "cut"

// mendCut makes memory that a shallow clone has in part fit to be exchanged, where anything is expunged. What lies
// beyond the edge cannot be rewritten, and on top of it old history would come back to the other side. The cases:
//
//  1. memory is whole, and was so before, or nothing is expunged: nothing;
//  2. commits at the edge are not among those that the other side has rewritten: [fail.Shallow], before anything is
//     written but the file of that name. Then memory is fetched as a whole;
//  3. they are, or memory has become whole: it is rewritten once, from its beginning.
//
// It reports whether refs may have moved.
func (ex *exchanger) mendCut(ctx context.Context, ours, theirs *remote.RefSet) (again bool, err error) {
	ex.cut = false
	cut, err := expunge.IsCut(ctx, ex.s)
	if err != nil || !ex.merge && !ex.push || ours.Empty() {
		return false, err
	}
	path := ex.s.StatePath(CutName)
	if _, err := os.Stat(path); !cut && err != nil {
		return false, orGone(err)
	}
	known, e, err := ex.bothKnown(ctx, ours, theirs)
	if err != nil || e.Empty() {
		return false, err
	}
	if cut {
		if err := ex.checkCut(ctx, e, theirs); err != nil {
			return false, err
		}
	}
	if ex.rehearsal {
		return false, nil
	}
	if ex.cut = cut; !known.Contains(e) { // the exchange expunges what is new, and comes here again
		return false, nil
	}
	op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer, Result: resultOf(doc.Expunged{})}
	if err := op.Follow(ctx, doc.Expunged{}); err != nil {
		return false, ex.orUnshallow(err)
	}
	ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
	if ex.cut, err = expunge.IsCut(ctx, ex.s); err != nil || ex.cut {
		return false, errors.Join(err, ex.stillCut())
	}
	return true, orGone(os.Remove(path))
}

// stillCut refuses to exchange memory that is cut where something is expunged, and what the other side has expunged
// is not taken over.
func (ex *exchanger) stillCut() error {
	if !ex.cut {
		return nil
	}
	return ex.orUnshallow(expunge.ErrCut())
}

func orGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// bothKnown is bothTombstones with all that both sides have, also where the other side has no roadmap.
func (ex *exchanger) bothKnown(ctx context.Context, ours, theirs *remote.RefSet) (known, all doc.Expunged, err error) {
	if theirs.Roadmap == "" || theirs.Roadmap == ours.Roadmap {
		known, err = expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
		return known, known, err
	}
	known, e, err := ex.bothTombstones(ctx, ours, theirs)
	if err == nil {
		err = ex.addComing(ctx, &known, theirs)
	}
	return known, known.Union(e), err
}

// checkCut notes a refusal, so that memory is rewritten once it is whole.
func (ex *exchanger) checkCut(ctx context.Context, e doc.Expunged, theirs *remote.RefSet) error {
	var tips []git.ID // which a rehearsal has fetched to no ref
	for _, r := range refsOf(theirs) {
		if _, work := git.WorkBranch(r.Name); r.ID != "" && r.Name != git.NotesRef && !work {
			tips = append(tips, r.ID)
		}
	}
	err := ex.orUnshallow(expunge.CheckCut(ctx, ex.s, e, tips))
	if err != nil && !ex.rehearsal {
		err = errors.Join(err, ex.s.Repo().WriteStateFile(CutName, nil))
	}
	return err
}

// orUnshallow puts this remote's name into the hint of [fail.Shallow].
func (ex *exchanger) orUnshallow(err error) error {
	var known *fail.Error
	if !errors.As(err, &known) || known.Code != fail.Shallow || ex.peer.Bundle {
		return err
	}
	name := prose.ShellWord(ex.peer.Name)
	return &fail.Error{Code: known.Code, Kind: known.Kind, Message: known.Message,
		Hints: []string{store.Deepen + " " + name, remote.SyncCommand(name)}}
}
