package history

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// maxSince bounds how many commits, of all branches together, BranchesAt looks
// back over.
const maxSince = 4096

// BranchesAt turns a list of branches as they stand now into what they were at the
// moment of a past tip, newest first:
//
//  1. the tip's own branch is that tip;
//  2. a branch that was made later is left out;
//  3. one that has not moved since is as it is;
//  4. of one that has, the newest commit not younger than the tip says it, found by
//     a walk over what was committed since. The walk is bounded: far counts the
//     branches that it did not get to, which are left out.
//
// Nothing is pending. A branch that was deleted since is not listed. For a tip of
// the present the list stays as it is.
func BranchesAt(ctx context.Context, s *store.Store, t *store.Tip, now []store.Branch) (then []store.Branch, far int, err error) {
	if t.At() == nil {
		return now, 0, nil
	}
	own := store.BranchAt(t.Name(), t.Commit())
	then = []store.Branch{}
	var moved []store.Branch
	for _, b := range now {
		switch {
		case b.Name == t.Name():
			own.Current = b.Current
		case b.CreatedAt != nil && b.CreatedAt.After(t.At().Time):
		case b.UpdatedAt.After(t.At().Time):
			moved = append(moved, b)
		default:
			b.Pending = 0
			then = append(then, b)
		}
	}
	then = append(then, own)
	if len(moved) > 0 {
		var found []store.Branch
		if found, far, err = wound(ctx, s, t, moved); err != nil {
			return nil, 0, err
		}
		then = append(then, found...)
	}
	slices.SortStableFunc(then, func(a, b store.Branch) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return then, far, nil
}

// wound winds branches back that have moved since a past tip.
func wound(ctx context.Context, s *store.Store, t *store.Tip, moved []store.Branch) (then []store.Branch, far int, err error) {
	w := &winding{s: s, at: t.At().Time, near: max(nearSince/len(moved), 2)}
	if err := w.all(ctx, moved); err != nil {
		return nil, 0, err
	}
	if moved, w.left = w.left, nil; len(moved) > 0 {
		if err := w.readParents(ctx, moved); err != nil {
			return nil, 0, err
		}
		if err := w.all(ctx, moved); err != nil {
			return nil, 0, err
		}
	}
	return w.then, len(w.left), nil
}

// nearSince is how many commits are read one by one, 20 µs each, before git is
// started to list them: of each branch its share, so that a busy one does not keep
// the others from being found.
const nearSince = 128

// winding is the way back to a moment of several branches.
type winding struct {
	s       *store.Store
	at      time.Time
	near    int               // commits of each branch that may be read to find the way
	parents map[git.ID]git.ID // the first parents of younger commits, "" for a first commit

	then []store.Branch
	left []store.Branch // not found yet
}

func (w *winding) all(ctx context.Context, moved []store.Branch) error {
	for _, b := range moved {
		if err := w.back(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// back goes back from a branch's tip to its newest commit not younger than the
// moment. A branch whose first commit is younger was not there.
func (w *winding) back(ctx context.Context, b store.Branch) error {
	near := w.near
	for id := b.Tip; id != ""; {
		if parent, younger := w.parents[id]; younger {
			id = parent
			continue
		}
		c, err := w.s.Repo().Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
			return nil
		}
		if err != nil {
			return err
		}
		if !c.Committer.When.After(w.at) {
			was := store.BranchAt(b.Name, c)
			was.Current = b.Current
			w.then = append(w.then, was)
			return nil
		}
		if near--; near < 0 {
			w.left = append(w.left, b)
			return nil
		}
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	return nil
}

// readParents lists what is younger on the lines of branches, the newest first, as
// far as the bound allows.
func (w *winding) readParents(ctx context.Context, moved []store.Branch) error {
	args := []string{"log", "--first-parent", "--max-count=" + strconv.Itoa(maxSince), "--format=%H %P",
		"--max-age=" + strconv.FormatInt(w.at.Unix()+1, 10), "--end-of-options"}
	for _, b := range moved {
		args = append(args, string(b.Tip))
	}
	out, err := w.s.Repo().View(ctx, args...)
	if err != nil {
		return err
	}
	w.parents = map[git.ID]git.ID{}
	for line := range strings.Lines(string(out)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, _, _ := strings.Cut(rest, " ")
		w.parents[git.ID(id)] = git.ID(first)
	}
	return nil
}
