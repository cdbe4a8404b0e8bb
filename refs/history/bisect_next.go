package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// bisectStep is what follows from the marks of a bisect.
type bisectStep struct {
	next     git.ID // to be tested
	base     bool   // next is a merge base of good and bad
	firstBad git.ID
	suspects []git.ID // never nil
	left     int
	warnings []string
}

// nextToTest decides what comes next:
//
//  1. good or bad is not known yet: nothing;
//  2. a merge base of good and bad is not known to be good: that base;
//  3. commits between them are untested: the one nearest to the middle;
//  4. all of those are skipped: they and the bad one are suspects;
//  5. there is none between them: the bad one is the first.
func nextToTest(ctx context.Context, s *store.Store, st *BisectState) (bisectStep, error) {
	step := bisectStep{suspects: []git.ID{}}
	if err := checkPresent(ctx, s, st); err != nil || st.Bad == "" || len(st.Good) == 0 {
		return step, err
	}
	if done, err := testBase(ctx, s, st, &step); done || err != nil {
		return step, err
	}
	between, err := untested(ctx, s, st)
	if err != nil {
		return step, err
	}
	var open, skipped []git.ID
	for _, id := range between {
		if slices.Contains(st.Skipped, id) {
			skipped = append(skipped, id)
		} else {
			open = append(open, id)
		}
	}
	step.left = len(open)
	switch {
	case len(open) > 0:
		step.next, err = middle(ctx, s, st, open)
	case len(skipped) > 0:
		step.suspects = append(skipped, st.Bad)
	default:
		step.firstBad = st.Bad
	}
	return step, err
}

// checkPresent checks that the marked commits still exist: their branch may have been
// deleted and its commits collected.
func checkPresent(ctx context.Context, s *store.Store, st *BisectState) error {
	for _, id := range append([]git.ID{st.Bad}, st.Good...) {
		if id == "" {
			continue
		}
		if _, err := s.Repo().Commit(ctx, id); err != nil {
			return st.commitGone(id, err)
		}
	}
	return nil
}

// testBase asks to test the merge base of good and bad first, as git does. If that were
// bad, good would have been fixed, and the search would look in the wrong place.
func testBase(ctx context.Context, s *store.Store, st *BisectState, step *bisectStep) (bool, error) {
	bases, err := s.Repo().MergeBases(ctx, st.Bad, st.Good...)
	if err != nil {
		return false, err
	}
	for _, id := range bases {
		switch {
		case slices.Contains(st.Good, id):
		case slices.Contains(st.Skipped, id):
			step.warnings = append(step.warnings, fmt.Sprintf("%s, the merge base of good and bad, was skipped: "+
				"the first bad commit may be older", id.Short()))
		default:
			step.next, step.base = id, true
			return true, nil
		}
	}
	return false, nil
}

// checkConsistent refuses a good commit that is the bad one or descends from it.
func checkConsistent(ctx context.Context, s *store.Store, st *BisectState) error {
	if st.Bad == "" || len(st.Good) == 0 {
		return nil
	}
	hint := "git context bisect log"
	if !st.kept { // the bisect is not started yet and has no log
		hint = "git context log --oneline"
	}
	if slices.Contains(st.Good, st.Bad) {
		return fail.New(fail.ErrRefused, fail.BisectContradiction,
			fmt.Sprintf("%s cannot be good and bad", st.Bad.Short()), hint)
	}
	out, err := s.Repo().Run(ctx, append([]string{"rev-list", "--max-count=1"}, st.revisions()...)...)
	if err != nil || len(out) > 0 { // bad is an ancestor of no good one: one child for all of them
		return err
	}
	for _, good := range st.Good {
		before, err := s.Repo().IsAncestor(ctx, st.Bad, good)
		if err != nil {
			return err
		}
		if before {
			return fail.New(fail.ErrRefused, fail.BisectContradiction,
				fmt.Sprintf("%s is bad, and %s, which follows it, is good: a commit between them fixed it", st.Bad.Short(),
					good.Short()),
				hint, "to find what fixed it, start again and mark fixed commits as bad")
		}
	}
	return nil
}

// revisions are the arguments for the commits that bad reaches and no good one does.
func (st *BisectState) revisions() []string {
	revs := []string{"--end-of-options", string(st.Bad)}
	for _, id := range st.Good {
		revs = append(revs, "^"+string(id))
	}
	return append(revs, "--")
}

// untested returns the commits with an entry that may be the first bad one, except the one
// that is known to be bad.
func untested(ctx context.Context, s *store.Store, st *BisectState) ([]git.ID, error) {
	var ids []git.ID
	err := s.LogIDs(ctx, st.revisions(), func(f [][]byte) error {
		if hash := git.ID(f[0]); len(f[1]) > 0 && hash != st.Bad {
			ids = append(ids, hash)
		}
		return nil
	})
	return ids, err
}

// middle returns the commit that git itself would test next, among commits that change
// commit.md. With all memory commits, edits of topics would move the middle far from that
// of the entries.
func middle(ctx context.Context, s *store.Store, st *BisectState, open []git.ID) (git.ID, error) {
	args := append([]string{"rev-list", "--bisect-all", "--full-history"}, st.revisions()...)
	out, err := s.Repo().View(ctx, append(args, doc.CommitFile)...)
	if err != nil {
		return "", err
	}
	left := make(map[git.ID]bool, len(open))
	for _, id := range open {
		left[id] = true
	}
	for line := range strings.Lines(string(out)) { // the best first: "<hash> (…dist=N)"
		hash, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if left[git.ID(hash)] {
			return git.ID(hash), nil
		}
	}
	return open[0], nil // written by another tool that left commit.md unchanged
}
