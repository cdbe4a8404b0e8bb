package refs

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
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
//     one walk over what was committed since. The walk is bounded: far counts the
//     branches that it did not get to, which are left out.
//
// Nothing is pending. A branch that was deleted since is not listed.
func (s *Store) BranchesAt(ctx context.Context, t *Tip, now []Branch) (then []Branch, far int, err error) {
	own := branchAt(t.branch, t.commit)
	then = []Branch{}
	var moved []Branch
	for _, b := range now {
		switch {
		case b.Name == t.branch:
			own.Current = b.Current
		case b.CreatedAt != nil && b.CreatedAt.After(t.at.Time):
		case b.UpdatedAt.After(t.at.Time):
			moved = append(moved, b)
		default:
			b.Pending = 0
			then = append(then, b)
		}
	}
	then = append(then, own)
	if len(moved) > 0 {
		var found []Branch
		if found, far, err = s.wound(ctx, t, moved); err != nil {
			return nil, 0, err
		}
		then = append(then, found...)
	}
	slices.SortStableFunc(then, func(a, b Branch) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return then, far, nil
}

// wound winds branches back that have moved since a past tip.
func (s *Store) wound(ctx context.Context, t *Tip, moved []Branch) (then []Branch, far int, err error) {
	parents, whole, err := s.parentsSince(ctx, t, moved)
	if err != nil {
		return nil, 0, err
	}
	for _, b := range moved {
		id, younger := b.Tip, true
		for younger && id != "" {
			var parent git.ID
			if parent, younger = parents[id]; younger {
				id = parent
			}
		}
		if id == "" { // as old as its first commit: it was not there
			continue
		}
		c, err := s.repo.Commit(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		if c.Committer.When.After(t.at.Time) {
			if !whole {
				far++
			}
			continue
		}
		was := branchAt(b.Name, c)
		was.Current = b.Current
		then = append(then, was)
	}
	return then, far, nil
}

// parentsSince is the first parent of each commit on the lines of branches that is
// younger than a past tip, "" for a first commit. whole is false where there were
// too many.
func (s *Store) parentsSince(ctx context.Context, t *Tip, moved []Branch) (parents map[git.ID]git.ID, whole bool, err error) {
	args := []string{"log", "--first-parent", "--max-count=" + strconv.Itoa(maxSince), "--format=%H %P",
		"--max-age=" + strconv.FormatInt(t.at.Time.Unix()+1, 10), "--end-of-options"}
	for _, b := range moved {
		args = append(args, string(b.Tip))
	}
	out, err := s.repo.View(ctx, args...)
	if err != nil {
		return nil, false, err
	}
	parents = map[git.ID]git.ID{}
	for line := range strings.Lines(string(out)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, _, _ := strings.Cut(rest, " ")
		parents[git.ID(id)] = git.ID(first)
	}
	return parents, len(parents) < maxSince, nil
}
