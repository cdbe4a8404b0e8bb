package refs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

// codeSearch finds the memory that belongs to a code commit, on one branch:
//
//  1. what its note links, see [notes.KindLink]: the newest link of the branch;
//  2. else the newest memory commit that was made on it, by its trailer;
//  3. else what 1 and 2 find for its nearest first-parent ancestor;
//  4. else the newest milestone that is not younger.
//
// Memory made on a code commit is younger than it. So both lines are walked from
// their newest ends in step, and none further than the answer stands; memory older
// than the branch is not its own.
type codeSearch struct {
	s      *Store
	branch string
	born   time.Time // of the branch
	asked  *git.Commit

	memory, code *line
	linked       map[git.ID]*lineCommit // the newest memory commit made on each code commit, as far as was read
	byTime       *lineCommit            // the newest milestone not younger than the code commit
}

// atSlop is how many memory commits are looked at beyond the point where they get
// older than a code commit: clocks of two machines differ.
const atSlop = 8

func (s *Store) atCode(ctx context.Context, now *Tip, code *git.Commit, at *At) (*Tip, error) {
	w := &codeSearch{s: s, branch: now.branch, born: createdAt(now.commit), asked: code, linked: map[git.ID]*lineCommit{},
		memory: &line{s: s, next: now.commit.ID}, code: &line{s: s, next: code.ID, notes: true}}
	id, err := w.find(ctx, at)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, notYet(now, at)
	}
	c, err := s.repo.Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.past(now.branch, c, at), nil
}

// find returns the memory commit, and says in at how it was found; "" for none.
func (w *codeSearch) find(ctx context.Context, at *At) (git.ID, error) {
	at.By = AtLink
	for {
		c, err := w.code.take(ctx)
		if err != nil {
			return "", err
		}
		if c == nil {
			break
		}
		at.Linked = &c.id
		if id, err := w.noted(ctx, c); err != nil || id != "" {
			return id, err
		}
		m, err := w.madeOn(ctx, c)
		if err != nil {
			return "", err
		}
		if m != nil {
			return m.id, nil
		}
		at.By = AtAncestor
	}
	at.By, at.Linked = AtTime, nil
	for w.byTime == nil {
		if more, err := w.remember(ctx); err != nil || !more {
			return "", err
		}
	}
	return w.byTime.id, nil
}

// noted is the memory commit that a code commit's note links to this branch. A
// link to what is not here (it was never fetched), or is no memory, counts for
// nothing: anybody may have written the note.
func (w *codeSearch) noted(ctx context.Context, c *lineCommit) (git.ID, error) {
	for _, f := range slices.Backward(notes.Parse(c.note)) {
		if f.Kind != notes.KindLink || f.Branch != w.branch {
			continue
		}
		id, err := w.s.repo.Peel(ctx, string(f.Memory)+"^{commit}")
		if errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrAmbiguous) {
			continue
		}
		if err != nil {
			return "", err
		}
		m, err := w.s.repo.Commit(ctx, id)
		if err != nil || branchOf(m) != "" {
			return id, err
		}
	}
	return "", nil
}

// madeOn is the newest memory commit that was made on a code commit.
func (w *codeSearch) madeOn(ctx context.Context, c *lineCommit) (*lineCommit, error) {
	for older := 0; w.linked[c.id] == nil && older < atSlop; {
		m, err := w.memory.peek(ctx)
		if err != nil || m == nil {
			return nil, err
		}
		if m.at < c.at {
			older++
		}
		if more, err := w.remember(ctx); err != nil || !more {
			return nil, err
		}
	}
	return w.linked[c.id], nil
}

// remember takes the next memory commit; false at the branch's beginning.
func (w *codeSearch) remember(ctx context.Context) (bool, error) {
	m, err := w.memory.take(ctx)
	if err != nil || m == nil {
		return false, err
	}
	if m.at < w.born.Unix() {
		w.memory.end()
		return false, nil
	}
	if m.code != "" && w.linked[m.code] == nil {
		w.linked[m.code] = m
	}
	if w.byTime == nil && m.milestone && m.at <= w.asked.Committer.When.Unix() {
		w.byTime = m
	}
	return true, nil
}
