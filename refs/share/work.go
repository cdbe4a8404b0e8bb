package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// works decides about the uncommitted code that was handed over with the branches of a plan. A side needs
// only what the branch names that it is going to have, and only if the other side has that:
//
//  1. neither branch names any: nothing;
//  2. the remote's new branch names ours: push;
//  3. our new branch names theirs: check, and take it, or set it aside.
//
// So of two hand-overs the one in force is that of the newer COMMIT of the merged branch, on both sides. What
// nobody can take any more is not shared.
func (ex *exchanger) works(ctx context.Context, plan []*refAction, ours, theirs *remote.RefSet) ([]*refAction, error) {
	for _, b := range plan {
		mine, other := ours.Works[b.branch], theirs.Works[b.branch]
		if b.branch == "" || mine == other {
			continue
		}
		here, err := ex.workOf(ctx, cmp.Or(b.take, b.ours))
		if err != nil {
			return nil, err
		}
		there, err := ex.workOf(ctx, cmp.Or(b.push, theirs.Branches[b.branch]))
		if err != nil {
			return nil, err
		}
		if err := ex.warnUnshared(ctx, b, mine, here, theirs.Branches[b.branch]); err != nil {
			return nil, err
		}
		w := &refAction{ref: git.WorkRef(b.branch), ours: mine, theirs: other, of: b}
		if there != "" && there == mine && !ex.isDirty(w.ref) && !ex.isDirty(b.ref) {
			w.push = mine
		}
		if here != "" && here == other && ex.merge {
			var refusal *fail.Error
			switch err := incoming.CheckWork(ctx, ex.s, git.Ref{Name: ex.peer.Tracking.Of(w.ref), ID: other}); {
			case err == nil:
				w.take = other
			case errors.As(err, &refusal) && refusal.Code == fail.IncomingInvalid:
				if !ex.peer.Bundle {
					refusal.Hints = append(refusal.Hints, ex.setBackHints(git.Ref{Name: w.ref, ID: other}, "")...)
				}
				ex.aside[w.ref] = refusal
			default:
				return nil, err
			}
		}
		if w.push != "" || w.take != "" {
			plan = append(plan, w)
		}
	}
	return plan, nil
}

// warnUnshared warns of code that was handed over here and that other clones will not get: a newer commit of the branch,
// of this repository or of the other one, names another one or none.
func (ex *exchanger) warnUnshared(ctx context.Context, b *refAction, mine, named, there git.ID) error {
	if mine == "" || mine == named {
		return nil
	}
	why := "'" + ex.peer.Name + "' has a newer commit of the branch"
	if b.merged == nil {
		why = "the branch has a newer commit"
		if handed, err := ex.handsOver(ctx, b, mine, there); !handed || err != nil {
			return err
		}
	} else if own, err := ex.workOf(ctx, b.ours); own != mine || err != nil {
		return err
	}
	ex.warn(fmt.Sprintf("the uncommitted code that was handed over with '%s' is not shared, because %s; "+
		"to hand it over again: git stash apply %s, then git context handover --with-changes", b.branch, why, mine.Short()))
	return nil
}

// handsOver reports whether what is pushed of a branch has the commit that named some code: later pushes do not, so that
// the warning comes once.
func (ex *exchanger) handsOver(ctx context.Context, b *refAction, code, there git.ID) (bool, error) {
	if b.push == "" {
		return false, nil
	}
	args := []string{"log", "--max-count=1", "--format=%H", "--fixed-strings", "--grep=" + store.TrailerWork + ": " + string(code), string(b.push)}
	if there != "" {
		args = append(args, "^"+string(there))
	}
	out, err := ex.s.Repo().View(ctx, append(args, "--")...)
	return len(out) > 0, err
}

// workOf returns what the tip of a branch names.
func (ex *exchanger) workOf(ctx context.Context, tip git.ID) (git.ID, error) {
	if tip == "" {
		return "", nil
	}
	c, err := ex.s.Repo().Commit(ctx, tip)
	if err != nil {
		return "", err
	}
	return store.WorkOf(c), nil
}

func (st *refAction) isWork() bool { return strings.HasPrefix(st.ref, git.WorkPrefix) }

// sameWorks reports whether both sides have the same handed over code of the wanted branches.
func (ex *exchanger) sameWorks(ours, theirs *remote.RefSet) bool {
	for name := range ours.Branches {
		if ex.wants(name) && ours.Works[name] != theirs.Works[name] {
			return false
		}
	}
	return true
}

// adoptWork takes the code that was handed over with a branch which was made from a remote's. What is refused is a
// warning: the branch is here, and the next sync says how to mend it.
func (ex *exchanger) adoptWork(ctx context.Context, b *refAction) error {
	ours, theirs, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	plan, err := ex.works(ctx, []*refAction{b}, &ours, &theirs)
	if err != nil {
		return err
	}
	for _, w := range plan[1:] {
		t := takeover{ex: ex, step: w}
		if err := t.run(ctx); err != nil {
			return err
		}
	}
	ex.asideAsWarnings()
	return nil
}
