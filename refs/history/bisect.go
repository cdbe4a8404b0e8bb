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

// The marks that a bisect is told.
const (
	MarkGood = "good"
	MarkBad  = "bad"
	MarkSkip = "skip" // cannot be tested
)

// Bisect is where a search for the milestone that turned bad stands.
type Bisection struct {
	Branch   string        `json:"branch"` // that it was started on
	Good     []git.ID      `json:"good"`
	Bad      *git.ID       `json:"bad"` // nil while none is known
	Skipped  []git.ID      `json:"skipped"`
	Next     *store.Commit `json:"next"`      // to be tested; nil while there is nothing to test
	FirstBad *store.Commit `json:"first_bad"` // nil until it is found
	Suspects []git.ID      `json:"suspects"`  // where only skipped ones are left: one of these is it
	Left     int           `json:"left"`      // how many may still have to be tested, Next among them

	MergeBase bool     `json:"-"` // Next is what good and bad both come from
	Warnings  []string `json:"-"`
}

// BisectEntry is one thing that a bisect was told.
type BisectEntry struct {
	Mark    string    `json:"mark"`
	Commit  git.ID    `json:"commit"`
	Summary string    `json:"summary"`
	Time    time.Time `json:"time"`
}

// BisectStart begins a search on the current branch, with what is known already:
// bad may be empty. There is one for each branch and worktree; fail.ErrExists says that
// it is under way.
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
			err = fail.New(fail.ErrExists, fail.Bisecting, fmt.Sprintf("a bisect is under way on '%s'", tip.Name()),
				"git context bisect status", "git context bisect reset")
		}
		return Bisection{}, err
	}
	st := &BisectState{Version: BisectVersion, Branch: tip.Name(), Good: []git.ID{}, Skipped: []git.ID{}, Log: []BisectEntry{}}
	if bad != "" {
		if err := judge(ctx, s, st, MarkBad, []string{bad}); err != nil {
			return Bisection{}, err
		}
	}
	if err := judge(ctx, s, st, MarkGood, good); err != nil {
		return Bisection{}, err
	}
	return advance(ctx, s, st)
}

// BisectMark tells the bisect of the current branch about memory commits; none
// means the one that is to be tested, and the branch's tip before there is one.
// Several cannot be bad. fail.ErrRefused: the marks contradict each other.
func BisectMark(ctx context.Context, s *store.Store, mark string, revs []string) (Bisection, error) {
	st, lock, err := openBisect(ctx, s)
	if err != nil {
		return Bisection{}, err
	}
	defer lock.Unlock()
	if len(revs) == 0 {
		rev, err := st.meant(mark)
		if err != nil {
			return Bisection{}, err
		}
		revs = []string{rev}
	}
	if err := judge(ctx, s, st, mark, revs); err != nil {
		return Bisection{}, err
	}
	return advance(ctx, s, st)
}

// Bisect is where the bisect of the current branch stands; fail.ErrNotFound without one.
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

// BisectLog is what the bisect of the current branch was told, in that order.
func BisectLog(ctx context.Context, s *store.Store) ([]BisectEntry, error) {
	st, lock, err := openBisect(ctx, s)
	if err != nil {
		return nil, err
	}
	return st.Log, lock.Unlock()
}

// BisectReset forgets the bisect of the current branch, even one that cannot be
// read, and reports whether there was one.
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

// MemoryCommit is a milestone in full, or of another memory commit what its message
// says: without an id.
func MemoryCommit(ctx context.Context, s *store.Store, id git.ID) (store.Commit, error) {
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return store.Commit{}, err
	}
	return CommitOf(ctx, s, nil, c)
}

// meant is what a mark without a name is about.
func (st *BisectState) meant(mark string) (string, error) {
	switch {
	case st.Next != "":
		return string(st.Next), nil
	case st.Bad != "" && len(st.Good) > 0:
		return "", fail.New(fail.ErrRefused, fail.BisectDone, "nothing is left to be tested", "git context bisect status", "git context bisect reset")
	case mark == MarkSkip:
		return "", fail.New(fail.ErrRefused, fail.BisectIncomplete, "nothing is to be tested yet", st.missing()...)
	}
	return st.Branch, nil
}

// judge notes what commits are. Nothing of it is kept yet.
func judge(ctx context.Context, s *store.Store, st *BisectState, mark string, revs []string) error {
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
			return fail.New(fail.ErrInvalid, fail.BisectMark, fmt.Sprintf("unknown mark '%s'", prose.OneLine(mark, 60)), "a mark is good, bad or skip")
		}
		st.Log = append(st.Log, BisectEntry{mark, c.ID, prose.OneLine(c.Subject(), 200), now})
	}
	return consistent(ctx, s, st)
}

func with(list []git.ID, id git.ID) []git.ID {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// advance sees where new marks lead, and keeps them.
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

// viewBisect puts a state into words.
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
		c, err := MemoryCommit(ctx, s, one.id)
		if err != nil {
			return Bisection{}, st.gone(one.id, err)
		}
		*one.to = &c
	}
	return b, nil
}

// gone says of a commit that a bisect needs that it is not there any more.
func (st *BisectState) gone(id git.ID, err error) error {
	if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	return &fail.Error{Code: fail.BisectGone, Kind: fail.ErrNotFound, Err: err, Hints: []string{"git context bisect reset"},
		Message: fmt.Sprintf("commit %s of this bisect is not in the repository any more", id.Short())}
}
