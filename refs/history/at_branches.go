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

// maxSince limits how many commits, of all branches together, BranchesAt lists.
const maxSince = 4096

// BranchesAt returns a list of present branches as they were at the time of a past tip,
// newest first:
//
//  1. the tip's own branch is that tip;
//  2. a branch that was created later is omitted;
//  3. a branch that has not moved since is unchanged;
//  4. a branch that has moved since is at its newest commit that is not younger than
//     the tip. far counts the branches for which maxSince was too few commits to find
//     it; they are omitted.
//
// Nothing is pending, and branches that were deleted since are absent. For a tip of the
// present, the list is unchanged.
func BranchesAt(ctx context.Context, s *store.Store, t *store.Tip, now []store.Branch) (then []store.Branch,
	far int, err error) {
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
		if found, far, err = rewind(ctx, s, t, moved); err != nil {
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

// rewind finds the commits of branches that have moved since a past tip.
func rewind(ctx context.Context, s *store.Store, t *store.Tip, moved []store.Branch) (then []store.Branch,
	far int, err error) {
	w := &rewinder{s: s, at: t.At().Time, near: max(nearSince/len(moved), 2)}
	if err := w.all(ctx, moved); err != nil {
		return nil, 0, err
	}
	if moved, w.unfound = w.unfound, nil; len(moved) > 0 {
		if err := w.readParents(ctx, moved); err != nil {
			return nil, 0, err
		}
		if err := w.all(ctx, moved); err != nil {
			return nil, 0, err
		}
	}
	return w.then, len(w.unfound), nil
}

// nearSince is how many commits, of all branches together, are read one by one, at 20 µs
// each, before git lists them. Each branch has an equal share, so that one with many
// commits does not use it up.
const nearSince = 128

// rewinder finds the commits of several branches at a time.
type rewinder struct {
	s       *store.Store
	at      time.Time
	near    int               // commits of each branch that may be read one by one
	parents map[git.ID]git.ID // the first parent of each younger commit, "" for a first commit

	then    []store.Branch
	unfound []store.Branch // branches whose commit is not found yet
}

func (w *rewinder) all(ctx context.Context, moved []store.Branch) error {
	for _, b := range moved {
		if err := w.back(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// back walks from a branch's tip to its newest commit that is not younger than the time. A
// branch whose first commit is younger did not exist.
func (w *rewinder) back(ctx context.Context, b store.Branch) error {
	near := w.near
	for id := b.Tip; id != ""; {
		if parent, younger := w.parents[id]; younger {
			id = parent
			continue
		}
		c, err := w.s.Repo().Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) { // the boundary of a shallow clone
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
			w.unfound = append(w.unfound, b)
			return nil
		}
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	return nil
}

// readParents lists the younger commits of branches, the newest first, up to maxSince.
func (w *rewinder) readParents(ctx context.Context, moved []store.Branch) error {
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
