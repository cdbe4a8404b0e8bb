package refs

import (
	"context"
	"errors"
	"strconv"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

// foldWalk bounds how far back a COMMIT looks for milestones without a note. It
// is only ever far when notes were lazy for long or the notes ref was deleted.
const foldWalk = 64

// fold writes the notes of a branch's milestones that have none yet: at once for
// a lone agent. When another process holds the notes lock it leaves them, because
// a crowd must not queue for what the trailers say already: the branch's next
// COMMIT writes them. With context.notes=lazy none does.
func (ses *session) fold(ctx context.Context, from *git.Commit) error {
	lazy, err := ses.s.lazyNotes(ctx)
	if err != nil || lazy {
		return err
	}
	lock, ok, err := ses.s.repo.TryLock(notes.LockName)
	if err != nil || !ok {
		return err
	}
	defer lock.Unlock()
	return ses.swap(ctx, func(ctx context.Context) error {
		u, err := notes.Begin(ctx, ses.s.repo)
		if err != nil {
			return err
		}
		todo, err := ses.unnoted(ctx, u, from)
		if err != nil {
			return err
		}
		return ses.addFacts(ctx, u, todo)
	})
}

// unnoted walks back from a commit to the milestones that have their note.
func (ses *session) unnoted(ctx context.Context, u *notes.Update, from *git.Commit) ([]*git.Commit, error) {
	var todo []*git.Commit
	seen := map[git.ID]bool{}
	for queue := []*git.Commit{from}; len(queue) > 0 && len(seen) < foldWalk; {
		c := queue[0]
		queue = queue[1:]
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		if c.Trailer(trailerID) != "" {
			noted, err := u.Holds(ctx, c.ID, notes.KindCommit)
			if err != nil {
				return nil, err
			}
			if noted {
				continue
			}
			todo = append(todo, c)
		}
		for _, p := range c.Parents {
			parent, err := ses.s.repo.Commit(ctx, p)
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

// addFacts queues one notes commit for all of the milestones.
func (ses *session) addFacts(ctx context.Context, u *notes.Update, milestones []*git.Commit) error {
	for _, c := range milestones {
		line, err := fact(c).Line()
		if err != nil {
			return err
		}
		if err := u.Add(ctx, c.ID, append(line, '\n')); err != nil {
			return err
		}
	}
	_, err := u.Queue(ctx, ses.tx, ses.by, "context: fold the facts of "+strconv.Itoa(len(milestones))+" milestones")
	return err
}

// fact is the note line of a milestone: all of it stands in the trailers, so
// that writing it twice writes the same line.
func fact(c *git.Commit) notes.Fact {
	f := notes.Fact{
		ID: c.Trailer(trailerID), Kind: notes.KindCommit, Time: c.Committer.When, Agent: c.Trailer(trailerAgent),
		Branch: c.Trailer(trailerBranch), Steps: c.Trailer(trailerSteps), Session: c.Trailer(trailerSession),
		Model: c.Trailer(trailerModel), Code: git.ID(c.Trailer(trailerCode)),
	}
	if n, err := strconv.ParseInt(c.Trailer(trailerTokens), 10, 64); err == nil {
		f.Tokens = n
	}
	return f
}
