package remake

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// amendReason is what a reflog says of an amendment. A commit may have that summary, so that the parents of commits count first.
const amendReason = "context commit: amend"

// Line returns the values of a ref that are on the way to its newest one by its reflog, the oldest first: not what was undone,
// amended or moved away from. told returns a commit that is not here, or nil.
func Line(ctx context.Context, r *git.Repo, moves []git.RefMove, told func(git.ID) *git.Commit) ([]git.ID, error) {
	known := map[git.ID][]git.ID{}
	parents := func(id git.ID) ([]git.ID, error) {
		if list, is := known[id]; is {
			return list, nil
		}
		c, err := r.Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) {
			c, err = told(id), nil
		}
		if c != nil {
			known[id] = c.Parents
		}
		return known[id], err
	}
	var line []git.ID
	for _, m := range moves {
		if m.New.IsZero() {
			line = nil
			continue
		}
		if len(line) == 0 && !m.Old.IsZero() {
			line = append(line, m.Old)
		}
		if at := slices.Index(line, m.New); at >= 0 {
			line = line[:at+1]
			continue
		}
		if n := len(line); n > 0 {
			now, err := parents(m.New)
			if err != nil {
				return nil, err
			}
			before, err := parents(line[n-1])
			if err != nil {
				return nil, err
			}
			line = line[:n-leaves(line, m, now, before)]
		}
		line = append(line, m.New)
	}
	return line, nil
}

// leaves returns how many of the newest values a move leaves behind, given the parents of what it goes to and of the newest
// value; nil for unknown.
func leaves(line []git.ID, m git.RefMove, now, before []git.ID) int {
	n := len(line)
	switch {
	case slices.Contains(before, m.New): // it was undone, and the reflog begins with it
		return 1
	case now == nil && m.Reason == amendReason:
		return 1
	case slices.Contains(now, line[n-1]):
		return 0
	case len(now) > 0 && slices.Equal(now, before):
		return 1
	}
	for _, p := range now {
		if at := slices.Index(line, p); at >= 0 {
			return n - at - 1
		}
	}
	return 0 // it has been moved ahead by more than one commit
}
