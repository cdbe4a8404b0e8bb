package store

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// foldWalk bounds how far back a COMMIT looks for milestones without a note. It
// is only ever far when notes were lazy for long or the notes ref was deleted.
const FoldWalk = 64

// fold writes the notes of a branch's milestones that have none yet: at once for
// a lone agent. When another process holds the notes lock it leaves them, because
// a crowd must not queue for what the trailers say already: the branch's next
// COMMIT writes them. With context.notes=lazy none does.
func (ses *Transaction) Fold(ctx context.Context, from *git.Commit) error {
	lazy, err := ses.Store.LazyNotes(ctx)
	if err != nil || lazy {
		return err
	}
	lock, ok, err := ses.Store.repo.TryLock(notes.LockName)
	if err != nil || !ok {
		return err
	}
	defer lock.Unlock()
	return ses.Swap(ctx, func(ctx context.Context) error {
		u, n, err := ses.facts(ctx, FoldWalk, from)
		if err == nil {
			_, err = u.Queue(ctx, ses.Refs, ses.Signature, "context: fold the facts of "+prose.Count(n, "commit"))
		}
		return err
	})
}

// foldAll writes the notes of all milestones below some commits that have none
// yet, whatever context.notes says, and adds those of another repository, if any.
// It waits for the notes lock.
func (ses *Transaction) FoldAll(ctx context.Context, from []*git.Commit, theirs git.ID) error {
	lock, err := ses.Store.repo.Lock(ctx, notes.LockName)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return ses.Swap(ctx, func(ctx context.Context) error {
		u, _, err := ses.facts(ctx, math.MaxInt, from...)
		if err != nil {
			return err
		}
		if theirs != "" {
			if err := u.Unite(ctx, theirs); err != nil {
				return err
			}
		}
		_, err = u.Queue(ctx, ses.Refs, ses.Signature, "context: fold and unite notes")
		return err
	})
}

// notesTip is the notes' commit, "" where there is none.
func (s *Store) NotesTip(ctx context.Context) (git.ID, error) {
	id, err := s.repo.Ref(ctx, git.NotesRef)
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// unnoted walks back from commits to the milestones that have their note, over at
// most so many commits.
func (ses *Transaction) unnoted(ctx context.Context, u *notes.Update, most int, from ...*git.Commit) ([]*git.Commit, error) {
	var todo []*git.Commit
	seen := map[git.ID]bool{}
	for queue := from; len(queue) > 0 && len(seen) < most; {
		c := queue[0]
		queue = queue[1:]
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		if c.Trailer(TrailerID) != "" {
			noted, err := u.HasKind(ctx, c.ID, notes.KindCommit)
			if err != nil {
				return nil, err
			}
			if noted {
				continue
			}
			todo = append(todo, c)
		}
		for _, p := range c.Parents {
			parent, err := ses.Store.repo.Commit(ctx, p)
			if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
				continue
			}
			if err != nil {
				return nil, err
			}
			queue = append(queue, parent)
		}
	}
	return todo, nil
}

// facts begins an update that adds the notes of all milestones below some commits
// that have none, and says how many.
func (ses *Transaction) facts(ctx context.Context, most int, from ...*git.Commit) (*notes.Update, int, error) {
	u, err := notes.Begin(ctx, ses.Store.repo)
	if err != nil {
		return nil, 0, err
	}
	todo, err := ses.unnoted(ctx, u, most, from...)
	if err != nil {
		return nil, 0, err
	}
	for _, c := range todo {
		line, err := Fact(c).Line()
		if err != nil {
			return nil, 0, err
		}
		if err := u.Add(ctx, c.ID, append(line, '\n')); err != nil {
			return nil, 0, err
		}
	}
	return u, len(todo), nil
}

// fact is the note line of a milestone: all of it stands in the trailers, so
// that writing it twice writes the same line.
func Fact(c *git.Commit) notes.Fact {
	f := notes.Fact{
		ID: c.Trailer(TrailerID), Kind: notes.KindCommit, Time: c.Committer.When, Agent: c.Trailer(TrailerAgent),
		Branch: BranchOf(c), Steps: c.Trailer(TrailerSteps), Session: c.Trailer(trailerSession),
		Model: c.Trailer(trailerModel), Code: git.ID(c.Trailer(TrailerCode)),
	}
	if n, err := strconv.ParseInt(c.Trailer(TrailerTokens), 10, 64); err == nil {
		f.Tokens = n
	}
	return f
}

// foldBranches writes every note that is missing, so that the bundle has it.
func (s *Store) FoldBranches(ctx context.Context, w Writer) error {
	list, err := s.repo.Refs(ctx, git.BranchPrefix)
	if err != nil || len(list) == 0 {
		return err
	}
	var tips []*git.Commit
	for _, r := range list {
		c, err := s.repo.Commit(ctx, r.ID)
		if err != nil {
			return err
		}
		tips = append(tips, c)
	}
	ses, err := s.Begin(ctx, w, "fold notes")
	if err != nil {
		return err
	}
	defer ses.Close()
	return ses.FoldAll(ctx, tips, "")
}
