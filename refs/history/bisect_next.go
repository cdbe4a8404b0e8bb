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

// bisectStep is what follows from what a bisect knows.
type bisectStep struct {
	next     git.ID // to be tested
	base     bool   // next is what good and bad both come from
	firstBad git.ID
	suspects []git.ID // never nil
	left     int
	warnings []string
}

// nextToTest decides what comes next:
//
//  1. good or bad is not known yet: nothing;
//  2. good is not before bad, and what both come from is not known to be good: that;
//  3. milestones are left between them: the one nearest to the middle;
//  4. all that are left cannot be tested: one of them, or the bad one, is the first;
//  5. nothing is left: the bad one is the first.
func nextToTest(ctx context.Context, s *store.Store, st *BisectState) (bisectStep, error) {
	step := bisectStep{suspects: []git.ID{}}
	if err := present(ctx, s, st); err != nil || st.Bad == "" || len(st.Good) == 0 {
		return step, err
	}
	if done, err := testBase(ctx, s, st, &step); done || err != nil {
		return step, err
	}
	between, err := between(ctx, s, st)
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

// present holds that what is known is still there: a branch may have been deleted
// and its commits collected meanwhile.
func present(ctx context.Context, s *store.Store, st *BisectState) error {
	for _, id := range append([]git.ID{st.Bad}, st.Good...) {
		if id == "" {
			continue
		}
		if _, err := s.Repo().Commit(ctx, id); err != nil {
			return st.gone(id, err)
		}
	}
	return nil
}

// testBase wants what good and bad both come from to be tested, where good is not
// before bad, as git does: were it bad, then good was mended, and the search would
// look in the wrong place.
func testBase(ctx context.Context, s *store.Store, st *BisectState, step *bisectStep) (bool, error) {
	bases, err := s.Repo().MergeBases(ctx, st.Bad, st.Good...)
	if err != nil {
		return false, err
	}
	for _, id := range bases {
		switch {
		case slices.Contains(st.Good, id):
		case slices.Contains(st.Skipped, id):
			step.warnings = append(step.warnings, fmt.Sprintf("%s, which good and bad both come from, was skipped: what turned bad may lie before it", id.Short()))
		default:
			step.next, step.base = id, true
			return true, nil
		}
	}
	return false, nil
}

// consistent refuses a good one that is the bad one or stands on it.
func consistent(ctx context.Context, s *store.Store, st *BisectState) error {
	if st.Bad == "" || len(st.Good) == 0 {
		return nil
	}
	said := "git context bisect log"
	if !st.kept { // it was to be started
		said = "git context log --oneline"
	}
	if slices.Contains(st.Good, st.Bad) {
		return fail.New(fail.ErrRefused, fail.BisectContradiction, fmt.Sprintf("%s cannot be good and bad", st.Bad.Short()), said)
	}
	out, err := s.Repo().Run(ctx, append([]string{"rev-list", "--max-count=1"}, st.revisions()...)...)
	if err != nil || len(out) > 0 { // bad is in no good one: one child for all of them
		return err
	}
	for _, good := range st.Good {
		before, err := s.Repo().IsAncestor(ctx, st.Bad, good)
		if err != nil {
			return err
		}
		if before {
			return fail.New(fail.ErrRefused, fail.BisectContradiction,
				fmt.Sprintf("%s is bad, and %s, which follows it, is good: a commit between them mended it", st.Bad.Short(), good.Short()),
				said, "to look for what mended it, begin anew and call what is mended bad")
		}
	}
	return nil
}

// revisions is what is in bad and in no good one.
func (st *BisectState) revisions() []string {
	revs := []string{"--end-of-options", string(st.Bad)}
	for _, id := range st.Good {
		revs = append(revs, "^"+string(id))
	}
	return append(revs, "--")
}

// between is the milestones that may be the first bad one, without the one that is
// known to be bad.
func between(ctx context.Context, s *store.Store, st *BisectState) ([]git.ID, error) {
	var ids []git.ID
	err := s.LogIDs(ctx, st.revisions(), func(f [][]byte) error {
		if hash := git.ID(f[0]); len(f[1]) > 0 && hash != st.Bad {
			ids = append(ids, hash)
		}
		return nil
	})
	return ids, err
}

// middle is the milestone whose test tells most: git's own choice, among commits
// that change commit.md. Every milestone does, and hardly anything else: were
// topics and closing commits counted, the middle of the commits could lie far from
// that of the milestones.
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
	return open[0], nil // another tool's, that left commit.md as it was
}
