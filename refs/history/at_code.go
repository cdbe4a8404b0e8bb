package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
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
// than the branch is not its own, and code older than all that the branch was made on
// has none of it.
type codeSearch struct {
	s      *store.Store
	branch string
	born   time.Time // of the branch
	asked  *git.Commit

	memory, code *line
	taken        map[git.ID]bool        // the memory commits that were read
	linked       map[git.ID]*lineCommit // the newest of them made on each code commit
	byTime       *lineCommit            // the newest milestone among them not younger than the code commit
	last         [atSlop]int64          // when the last of them were made
	ended        bool                   // they are all

	oldest int64 // when the oldest of them was made
	aged   bool  // or of the code that they were made on
	passed int   // how many code commits older than that were read
}

// atSlop is how many commits are looked at beyond the point where they get older than
// what is looked for: clocks of two machines differ.
const atSlop = 8

func atCode(ctx context.Context, s *store.Store, now *store.Tip, code *git.Commit, at *store.At) (*store.Tip, error) {
	w := &codeSearch{s: s, branch: now.Name(), born: createdAt(now.Commit()), asked: code,
		taken: map[git.ID]bool{}, linked: map[git.ID]*lineCommit{}, last: [atSlop]int64{atSlop - 1: math.MaxInt64},
		oldest: now.Commit().Committer.When.Unix(),
		memory: &line{s: s, next: now.Commit().ID}, code: &line{s: s, next: code.ID, notes: true}}
	id, err := w.find(ctx, at)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, notYet(now, at)
	}
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	return past(s, now.Name(), c, at), nil
}

// find returns the memory commit, and says in at how it was found; "" for none.
func (w *codeSearch) find(ctx context.Context, at *store.At) (git.ID, error) {
	at.By = AtLink
	for {
		c, err := w.code.take(ctx)
		if err != nil {
			return "", err
		}
		far := c == nil
		if !far {
			if far, err = w.beyond(ctx, c); err != nil {
				return "", err
			}
		}
		if far {
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

// noted is the memory commit that a code commit's note links to this branch, by the
// name that it has or one that it had. A link to what is not here (it was never
// fetched), or is no memory, counts for nothing: anybody may have written the note.
func (w *codeSearch) noted(ctx context.Context, c *lineCommit) (git.ID, error) {
	for _, f := range slices.Backward(notes.Parse(c.note)) {
		if f.Kind != notes.KindLink {
			continue
		}
		id, err := w.s.Repo().Peel(ctx, string(f.Memory)+"^{commit}")
		if errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrAmbiguous) {
			continue
		}
		if err != nil {
			return "", err
		}
		m, err := w.s.Repo().Commit(ctx, id)
		if err != nil {
			return "", err
		}
		switch made := store.BranchOf(m); {
		case made == "":
			continue
		case f.Branch == w.branch:
			return id, nil
		case f.Branch != made:
			continue
		}
		err = w.back(ctx, m.Committer.When.Unix(), func() bool { return w.taken[id] })
		if err != nil || w.taken[id] {
			return id, err
		}
	}
	return "", nil
}

// madeOn is the newest memory commit that was made on a code commit.
func (w *codeSearch) madeOn(ctx context.Context, c *lineCommit) (*lineCommit, error) {
	err := w.back(ctx, c.at, func() bool { return w.linked[c.id] != nil })
	return w.linked[c.id], err
}

// back reads memory commits until what is looked for is found, or the last ones are
// all older than a time.
func (w *codeSearch) back(ctx context.Context, to int64, found func() bool) error {
	for !found() && slices.Max(w.last[:]) >= to {
		if more, err := w.remember(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// remember takes the next memory commit; false at the branch's beginning.
func (w *codeSearch) remember(ctx context.Context) (bool, error) {
	m, err := w.memory.take(ctx)
	if err != nil {
		return false, err
	}
	if m == nil || m.at < w.born.Unix() {
		w.memory.end()
		w.ended = true
		return false, nil
	}
	w.last[len(w.taken)%atSlop] = m.at
	w.taken[m.id] = true
	w.oldest = min(w.oldest, m.at)
	if m.code != "" && w.linked[m.code] == nil {
		w.linked[m.code] = m
	}
	if w.byTime == nil && m.milestone && m.at <= w.asked.Committer.When.Unix() {
		w.byTime = m
	}
	return true, nil
}

// beyond reports whether neither a code commit nor those behind it can have memory: all
// memory was read, and they are older than the branch, in whose time links are noted,
// and than all code that its memory was made on. Without it a release of long before
// would be looked for down to the first commit of the code.
func (w *codeSearch) beyond(ctx context.Context, c *lineCommit) (bool, error) {
	if !w.ended {
		return false, nil
	}
	if !w.aged {
		if err := w.age(ctx); err != nil {
			return false, err
		}
	}
	if c.at < w.oldest {
		w.passed++
	}
	return w.passed > atSlop, nil
}

// age finds out how old the code is that memory was made on. What is not here any more
// cannot be met.
func (w *codeSearch) age(ctx context.Context) error {
	var ids bytes.Buffer
	for id := range w.linked {
		if git.IsID(string(id)) { // a trailer of others may say anything
			fmt.Fprintln(&ids, id)
		}
	}
	w.aged = true
	if ids.Len() == 0 {
		return nil
	}
	out, err := w.s.Repo().RunInput(ctx, ids.Bytes(), "rev-list", "--no-walk=unsorted", "--ignore-missing", "--timestamp", "--stdin")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		stamp, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		at, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			return fmt.Errorf("git rev-list: no date for '%s'", prose.OneLine(id, 80))
		}
		w.oldest = min(w.oldest, at)
	}
	return nil
}
