package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// The marks that a bisect accepts.
const (
	MarkGood = "good"
	MarkBad  = "bad"
	MarkSkip = "skip" // cannot be tested
)

// Bisection is the progress of a search for the first bad commit.
type Bisection struct {
	Branch   string        `json:"branch"` // on which it was started
	Good     []git.ID      `json:"good"`
	Bad      *git.ID       `json:"bad"` // nil while unknown
	Skipped  []git.ID      `json:"skipped"`
	Next     *store.Commit `json:"next"`      // to be tested; nil if there is nothing to test
	FirstBad *store.Commit `json:"first_bad"` // nil until found
	Suspects []git.ID      `json:"suspects"`  // if only skipped ones are left: the first bad one is among these
	Left     int           `json:"left"`      // how many may still have to be tested, Next included

	MergeBase bool     `json:"-"` // Next is a merge base of good and bad
	Warnings  []string `json:"-"`
}

// BisectEntry is one mark in the log of a bisect.
type BisectEntry struct {
	Mark    string    `json:"mark"`
	Commit  git.ID    `json:"commit"`
	Summary string    `json:"summary"`
	Time    time.Time `json:"time"`
}

// BisectStart begins a bisect of the current branch with the marks that are known already;
// bad may be empty. A branch has at most one bisect in each worktree. It returns an error
// of the kind fail.ErrExists if there is one already, and those of BisectMark.
func BisectStart(ctx context.Context, s *store.Store, bad string, good []string) (Bisection, error) {
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return Bisection{}, err
	}
	lock, err := lockBisect(ctx, s, tip.Name())
	if err != nil {
		return Bisection{}, err
	}
	defer lock.Unlock()
	if st, err := readBisect(s, tip.Name()); err != nil || st != nil {
		if err == nil {
			err = fail.New(fail.ErrExists, fail.Bisecting, fmt.Sprintf("a bisect is in progress on '%s'", tip.Name()),
				"git context bisect status", "git context bisect reset")
		}
		return Bisection{}, err
	}
	st := &BisectState{Version: BisectVersion, Branch: tip.Name(), Good: []git.ID{}, Skipped: []git.ID{},
		Log: []BisectEntry{}}
	if bad != "" {
		if err := addMarks(ctx, s, st, MarkBad, []string{bad}); err != nil {
			return Bisection{}, err
		}
	}
	if err := addMarks(ctx, s, st, MarkGood, good); err != nil {
		return Bisection{}, err
	}
	return advance(ctx, s, st)
}

// BisectMark marks memory commits in the bisect of the current branch. Without revs it
// marks the one to be tested or, before there is one, the branch's tip. Only one commit can
// be bad. It returns an error of the kind fail.ErrRefused if marks contradict each other,
// and fail.ErrNotFound without a bisect.
func BisectMark(ctx context.Context, s *store.Store, mark string, revs []string) (Bisection, error) {
	st, lock, err := openBisect(ctx, s)
	if err != nil {
		return Bisection{}, err
	}
	defer lock.Unlock()
	if len(revs) == 0 {
		rev, err := st.implied(mark)
		if err != nil {
			return Bisection{}, err
		}
		revs = []string{rev}
	}
	if err := addMarks(ctx, s, st, mark, revs); err != nil {
		return Bisection{}, err
	}
	return advance(ctx, s, st)
}

// Bisect returns the progress of the bisect of the current branch, or an error of the kind
// fail.ErrNotFound without one.
func Bisect(ctx context.Context, s *store.Store) (Bisection, error) {
	st, lock, err := openBisect(ctx, s)
	if err != nil {
		return Bisection{}, err
	}
	if err := lock.Unlock(); err != nil {
		return Bisection{}, err
	}
	return viewBisect(ctx, s, st)
}

// BisectLog returns the marks of the current branch's bisect in the order in which they
// were set.
func BisectLog(ctx context.Context, s *store.Store) ([]BisectEntry, error) {
	st, lock, err := openBisect(ctx, s)
	if err != nil {
		return nil, err
	}
	return st.Log, lock.Unlock()
}

// BisectReset deletes the bisect of the current branch, even if it cannot be read, and
// reports whether there was one.
func BisectReset(ctx context.Context, s *store.Store) (branch string, was bool, err error) {
	if branch, err = s.Current(ctx); err != nil {
		return "", false, err
	}
	lock, err := lockBisect(ctx, s, branch)
	if err != nil {
		return branch, false, err
	}
	defer lock.Unlock()
	was, err = dropBisect(s, branch)
	return branch, was, err
}

// ReadCommit returns a memory commit in full. For one without an entry in commit.md it
// returns what its message contains, without an id.
func ReadCommit(ctx context.Context, s *store.Store, id git.ID) (store.Commit, error) {
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return store.Commit{}, err
	}
	return CommitOf(ctx, s, nil, c)
}

// implied returns the revision for a mark without one.
func (st *BisectState) implied(mark string) (string, error) {
	switch {
	case st.Next != "":
		return string(st.Next), nil
	case st.Bad != "" && len(st.Good) > 0:
		return "", fail.New(fail.ErrRefused, fail.BisectDone, "the bisect is finished: no commit is left to test", "git context bisect status",
			"git context bisect reset")
	case mark == MarkSkip:
		return "", fail.New(fail.ErrRefused, fail.BisectIncomplete, "there is no commit to test yet", st.missing()...)
	}
	return st.Branch, nil
}

// addMarks adds marks to a state in memory; it writes nothing.
func addMarks(ctx context.Context, s *store.Store, st *BisectState, mark string, revs []string) error {
	now, err := s.Stamp()
	if err != nil {
		return err
	}
	for _, rev := range revs {
		c, err := s.Revision(ctx, rev)
		if err != nil {
			return err
		}
		switch mark {
		case MarkBad:
			st.Bad = c.ID
		case MarkGood:
			st.Good = with(st.Good, c.ID)
		case MarkSkip:
			st.Skipped = with(st.Skipped, c.ID)
		default:
			return fail.New(fail.ErrInvalid, fail.BisectMark, fmt.Sprintf("unknown mark '%s'", prose.OneLine(mark, 60)),
				"one of good, bad, skip")
		}
		st.Log = append(st.Log, BisectEntry{mark, c.ID, prose.OneLine(c.Subject(), 200), now})
	}
	return checkConsistent(ctx, s, st)
}

func with(list []git.ID, id git.ID) []git.ID {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// advance finds the next commit to test and writes the state.
func advance(ctx context.Context, s *store.Store, st *BisectState) (Bisection, error) {
	b, err := viewBisect(ctx, s, st)
	if err != nil {
		return Bisection{}, err
	}
	st.Next = ""
	if b.Next != nil {
		st.Next = *b.Next.Hash
	}
	return b, writeBisect(s, st)
}

// viewBisect returns the progress that a state implies.
func viewBisect(ctx context.Context, s *store.Store, st *BisectState) (Bisection, error) {
	step, err := nextToTest(ctx, s, st)
	if err != nil {
		return Bisection{}, err
	}
	b := Bisection{Branch: st.Branch, Good: st.Good, Skipped: st.Skipped, Left: step.left, MergeBase: step.base,
		Suspects: step.suspects, Warnings: step.warnings}
	if st.Bad != "" {
		b.Bad = &st.Bad
	}
	for _, one := range []struct {
		id git.ID
		to **store.Commit
	}{{step.next, &b.Next}, {step.firstBad, &b.FirstBad}} {
		if one.id == "" {
			continue
		}
		c, err := ReadCommit(ctx, s, one.id)
		if err != nil {
			return Bisection{}, st.commitGone(one.id, err)
		}
		*one.to = &c
	}
	return b, nil
}

// commitGone replaces the error of an absent commit that a bisect needs.
func (st *BisectState) commitGone(id git.ID, err error) error {
	if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	return &fail.Error{Code: fail.BisectGone, Kind: fail.ErrNotFound, Err: err,
		Hints:   []string{"git context bisect reset"},
		Message: fmt.Sprintf("commit %s of this bisect is not in the repository any more", id.Short())}
}
