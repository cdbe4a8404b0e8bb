package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// Alone is what of a branch no other branch contains, here or at a remote when it was last asked.
type Alone struct {
	Tip            git.ID
	Commits, Steps int // committed
	Pending        int
	Subjects       []string // of the commits, newest first, each behind its short hash
	All            int      // steps and commits of all branches, pending ones included
}

// Entries is the number of steps and commits that are nowhere else.
func (a Alone) Entries() int { return a.Commits + a.Steps + a.Pending }

// Alone returns what would be lost with a branch. fail.ErrRefused for a branch that is current in a
// worktree, which is not deleted. It reads the trailers of all commits once.
func (s *Store) Alone(ctx context.Context, name string) (Alone, error) {
	if err := CheckBranchName(name); err != nil {
		return Alone{}, err
	}
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return Alone{}, err
	}
	if err := s.checkNotCurrent(ctx, name); err != nil {
		return Alone{}, err
	}
	a, err := s.entriesOf(ctx, append([]string{string(tip.commit.ID)}, notElsewhere(name)...)...)
	if err != nil {
		return a, err
	}
	a.Tip = tip.commit.ID
	if a.Pending, err = s.pendingCount(ctx, name, tip.commit); err != nil || a.Entries() == 0 {
		return a, err
	}
	all, err := s.entriesOf(ctx, "--glob="+git.BranchPrefix+"*")
	a.All = all.Commits + all.Steps + a.Pending
	return a, err
}

// CountEntries counts the commits that revisions reach and that have an entry, and their steps. It reads
// trailers alone.
func (s *Store) CountEntries(ctx context.Context, revisions ...string) (commits, steps int, err error) {
	if len(revisions) == 0 {
		return 0, 0, nil
	}
	a, err := s.entriesOf(ctx, revisions...)
	return a.Commits, a.Steps, err
}

// notElsewhere are the arguments of rev-list that leave out what other branches contain.
func notElsewhere(name string) []string {
	return []string{"--not", "--exclude=" + git.BranchRef(name), "--glob=" + git.BranchPrefix + "*", "--glob=" + git.RemotePrefix + "*"}
}

// entriesOf counts the commits of some revisions that have an entry, and their steps.
func (s *Store) entriesOf(ctx context.Context, revisions ...string) (Alone, error) {
	var a Alone
	out, err := s.repo.View(ctx, append([]string{"rev-list", "--no-commit-header", "--format=%h %(trailers:key=" + TrailerID +
		",valueonly,separator=)%x09%(trailers:key=" + TrailerSteps + ",valueonly,separator=)%x09%s"}, revisions...)...)
	if err != nil {
		return a, err
	}
	for row := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(row, "\n"), "\t", 3)
		hash, id, _ := strings.Cut(f[0], " ")
		if id == "" || len(f) < 3 {
			continue
		}
		a.Commits++
		a.Steps += parseSteps(f[1])
		a.Subjects = append(a.Subjects, hash+" "+f[2])
	}
	return a, nil
}

// parseSteps returns how many steps a value of Context-Steps means; 0 for another shape.
func parseSteps(value string) int {
	span, count, counted := strings.Cut(value, " (")
	if counted {
		span = "1-" + strings.TrimSuffix(count, ")")
	}
	first, last, _ := strings.Cut(span, "-")
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || to < from {
		return 0
	}
	return to - from + 1
}
