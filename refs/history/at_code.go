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

// codeSearch finds the memory commit that belongs to a code commit, on one branch:
//
//  1. the newest that its note links to this branch, see [notes.KindLink];
//  2. else the newest memory commit that was made on it, by its trailer;
//  3. else what 1 and 2 find for its nearest first-parent ancestor;
//  4. else the newest commit with an entry that is not younger.
//
// Memory made on a code commit is younger than that. Therefore both lines are read from
// their newest ends, and each only as far as the answer requires. Memory older than the
// branch is not the branch's own, and code older than all the code that the branch was made
// on has no memory there.
type codeSearch struct {
	s      *store.Store
	branch string
	born   time.Time // when the branch was created
	asked  *git.Commit

	memory, code *line
	seen         map[git.ID]bool        // the memory commits that were read
	linked       map[git.ID]*lineCommit // the newest of them made on each code commit
	byTime       *lineCommit            // the newest of them with an entry that is not younger than the code commit
	last         [atSlop]int64          // the times of the last of them
	ended        bool                   // all of the branch's were read

	oldest int64 // the time of the oldest memory commit
	aged   bool  // oldest includes the code that they were made on
	passed int   // code commits older than oldest that were read
}

// atSlop is how many commits are read after the first one that is older than the wanted
// one: the clocks of two machines differ.
const atSlop = 8

func atCode(ctx context.Context, s *store.Store, now *store.Tip, code *git.Commit, at *store.At) (*store.Tip, error) {
	w := &codeSearch{s: s, branch: now.Name(), born: createdAt(now.Commit()), asked: code,
		seen: map[git.ID]bool{}, linked: map[git.ID]*lineCommit{}, last: [atSlop]int64{atSlop - 1: math.MaxInt64},
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

// find returns the memory commit, or "", and sets in at how it was found.
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
		if more, err := w.nextMemory(ctx); err != nil || !more {
			return "", err
		}
	}
	return w.byTime.id, nil
}

// noted returns the memory commit that a code commit's note links to this branch, by its
// present name or an earlier one. A link to a commit that is absent, or is not memory, is
// ignored: a note may come from anywhere. So is one that is no hash: git evaluates any other
// revision, and "HEAD^{/x}" searches the whole history of the code.
func (w *codeSearch) noted(ctx context.Context, c *lineCommit) (git.ID, error) {
	for _, f := range slices.Backward(notes.Parse(c.note)) {
		if f.Kind != notes.KindLink || !git.IsID(string(f.Memory)) {
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
		err = w.back(ctx, m.Committer.When.Unix(), func() bool { return w.seen[id] })
		if err != nil || w.seen[id] {
			return id, err
		}
	}
	return "", nil
}

// madeOn returns the newest memory commit that was made on a code commit.
func (w *codeSearch) madeOn(ctx context.Context, c *lineCommit) (*lineCommit, error) {
	err := w.back(ctx, c.at, func() bool { return w.linked[c.id] != nil })
	return w.linked[c.id], err
}

// back reads memory commits until found returns true, or the last ones are all older than a
// time.
func (w *codeSearch) back(ctx context.Context, to int64, found func() bool) error {
	for !found() && slices.Max(w.last[:]) >= to {
		if more, err := w.nextMemory(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// nextMemory reads the next memory commit; it returns false at the branch's beginning.
func (w *codeSearch) nextMemory(ctx context.Context) (bool, error) {
	m, err := w.memory.take(ctx)
	if err != nil {
		return false, err
	}
	if m == nil || m.at < w.born.Unix() {
		w.memory.end()
		w.ended = true
		return false, nil
	}
	w.last[len(w.seen)%atSlop] = m.at
	w.seen[m.id] = true
	w.oldest = min(w.oldest, m.at)
	if m.code != "" && w.linked[m.code] == nil {
		w.linked[m.code] = m
	}
	if w.byTime == nil && m.isEntry && m.at <= w.asked.Committer.When.Unix() {
		w.byTime = m
	}
	return true, nil
}

// beyond reports whether neither a code commit nor its ancestors can have memory: all
// memory was read, and they are older than the branch and than all code that its memory was
// made on. Otherwise an old release would be followed to the first commit of the code.
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

// age extends oldest to the code that memory was made on. A commit that is absent cannot be
// reached either.
func (w *codeSearch) age(ctx context.Context) error {
	var ids bytes.Buffer
	for id := range w.linked {
		if git.IsID(string(id)) { // a trailer of another program may contain any text
			fmt.Fprintln(&ids, id)
		}
	}
	w.aged = true
	if ids.Len() == 0 {
		return nil
	}
	out, err := w.s.Repo().RunInput(ctx, ids.Bytes(), "rev-list", "--no-walk=unsorted", "--ignore-missing",
		"--timestamp", "--stdin")
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
