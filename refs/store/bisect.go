package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// The marks that a bisect is told.
const (
	MarkGood = "good"
	MarkBad  = "bad"
	MarkSkip = "skip" // cannot be tested
)

// Bisect is where a search for the milestone that turned bad stands.
type Bisect struct {
	Branch   string   `json:"branch"` // that it was started on
	Good     []git.ID `json:"good"`
	Bad      *git.ID  `json:"bad"` // nil while none is known
	Skipped  []git.ID `json:"skipped"`
	Next     *Commit  `json:"next"`      // to be tested; nil while there is nothing to test
	FirstBad *Commit  `json:"first_bad"` // nil until it is found
	Suspects []git.ID `json:"suspects"`  // where only skipped ones are left: one of these is it
	Left     int      `json:"left"`      // how many may still have to be tested, Next among them

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
func (s *Store) BisectStart(ctx context.Context, bad string, good []string) (Bisect, error) {
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return Bisect{}, err
	}
	lock, err := s.lockBisect(ctx, tip.branch)
	if err != nil {
		return Bisect{}, err
	}
	defer lock.Unlock()
	if st, err := s.readBisect(tip.branch); err != nil || st != nil {
		if err == nil {
			err = fail.New(fail.ErrExists, fail.Bisecting, fmt.Sprintf("a bisect is under way on '%s'", tip.branch),
				"git context bisect status", "git context bisect reset")
		}
		return Bisect{}, err
	}
	st := &BisectState{Version: BisectVersion, Branch: tip.branch, Good: []git.ID{}, Skipped: []git.ID{}, Log: []BisectEntry{}}
	if bad != "" {
		if err := s.mark(ctx, st, MarkBad, []string{bad}); err != nil {
			return Bisect{}, err
		}
	}
	if err := s.mark(ctx, st, MarkGood, good); err != nil {
		return Bisect{}, err
	}
	return s.advance(ctx, st)
}

// BisectMark tells the bisect of the current branch about memory commits; none
// means the one that is to be tested, and the branch's tip before there is one.
// Several cannot be bad. fail.ErrRefused: the marks contradict each other.
func (s *Store) BisectMark(ctx context.Context, mark string, revs []string) (Bisect, error) {
	st, lock, err := s.openBisect(ctx)
	if err != nil {
		return Bisect{}, err
	}
	defer lock.Unlock()
	if len(revs) == 0 {
		rev, err := st.meant(mark)
		if err != nil {
			return Bisect{}, err
		}
		revs = []string{rev}
	}
	if err := s.mark(ctx, st, mark, revs); err != nil {
		return Bisect{}, err
	}
	return s.advance(ctx, st)
}

// Bisect is where the bisect of the current branch stands; fail.ErrNotFound without one.
func (s *Store) Bisect(ctx context.Context) (Bisect, error) {
	st, lock, err := s.openBisect(ctx)
	if err != nil {
		return Bisect{}, err
	}
	if err := lock.Unlock(); err != nil {
		return Bisect{}, err
	}
	return s.viewBisect(ctx, st)
}

// BisectLog is what the bisect of the current branch was told, in that order.
func (s *Store) BisectLog(ctx context.Context) ([]BisectEntry, error) {
	st, lock, err := s.openBisect(ctx)
	if err != nil {
		return nil, err
	}
	return st.Log, lock.Unlock()
}

// BisectReset forgets the bisect of the current branch, even one that cannot be
// read, and reports whether there was one.
func (s *Store) BisectReset(ctx context.Context) (branch string, was bool, err error) {
	if branch, err = s.Current(ctx); err != nil {
		return "", false, err
	}
	lock, err := s.lockBisect(ctx, branch)
	if err != nil {
		return branch, false, err
	}
	defer lock.Unlock()
	was, err = s.dropBisect(branch)
	return branch, was, err
}

// MemoryCommit is a milestone in full, or of another memory commit what its message
// says: without an id.
func (s *Store) MemoryCommit(ctx context.Context, id git.ID) (Commit, error) {
	c, err := s.repo.Commit(ctx, id)
	if err != nil {
		return Commit{}, err
	}
	return s.commitOf(ctx, nil, c)
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

// mark notes what commits are. Nothing of it is kept yet.
func (s *Store) mark(ctx context.Context, st *BisectState, mark string, revs []string) error {
	now, err := s.time()
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
	return s.consistent(ctx, st)
}

func with(list []git.ID, id git.ID) []git.ID {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// advance sees where new marks lead, and keeps them.
func (s *Store) advance(ctx context.Context, st *BisectState) (Bisect, error) {
	b, err := s.viewBisect(ctx, st)
	if err != nil {
		return Bisect{}, err
	}
	st.Next = ""
	if b.Next != nil {
		st.Next = *b.Next.Hash
	}
	return b, s.writeBisect(st)
}

// viewBisect puts a state into words.
func (s *Store) viewBisect(ctx context.Context, st *BisectState) (Bisect, error) {
	step, err := s.nextToTest(ctx, st)
	if err != nil {
		return Bisect{}, err
	}
	b := Bisect{Branch: st.Branch, Good: st.Good, Skipped: st.Skipped, Left: step.left, MergeBase: step.base,
		Suspects: step.suspects, Warnings: step.warnings}
	if st.Bad != "" {
		b.Bad = &st.Bad
	}
	for _, one := range []struct {
		id git.ID
		to **Commit
	}{{step.next, &b.Next}, {step.firstBad, &b.FirstBad}} {
		if one.id == "" {
			continue
		}
		c, err := s.MemoryCommit(ctx, one.id)
		if err != nil {
			return Bisect{}, st.gone(one.id, err)
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
