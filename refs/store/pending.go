package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// Pending is what a journal contains and its branch does not.
type Pending struct {
	journal string // its id; "" where there is no journal
	from    int64  // the offset after what the branch contains
	upto    int64  // the offset behind the last line
	Lines   []journal.Line
	copied  bool // see Arrived
}

// Untouched is p for a commit that drains nothing: the same steps stay pending.
func (p Pending) Untouched() Pending {
	p.upto, p.Lines = p.from, nil
	return p
}

// Arrived returns p, which is pending of the tip before, for the tip that a sync puts in its place: without the first steps that
// this one has. Another copy of this repository, of which this one is a backup for example, has committed them. Both copies count in
// a journal of that name; so this one gets a new name with the next mark.
func (s *Store) Arrived(ctx context.Context, p Pending, before, tip *Tip) (Pending, error) {
	trailer := tip.commit.Trailer(TrailerJournal)
	if t, ok := ParseJournalMark(trailer); ok && t.Journal == p.journal && trailer != before.commit.Trailer(TrailerJournal) {
		c, err := journal.Read(s.JournalPath(tip.branch))
		if err != nil {
			return p, fmt.Errorf("branch '%s': %w", tip.branch, err)
		}
		_, own := proven(c, trailer)
		p.copied = !own
	}
	if len(p.Lines) == 0 {
		return p, nil
	}
	steps, err := tip.stepsBut(ctx, before)
	if err != nil {
		return p, err
	}
	has := stepIDs(steps)
	for len(p.Lines) > 0 && has[p.Lines[0].ID] {
		p.from, p.Lines, p.copied = p.Lines[0].End, p.Lines[1:], true
	}
	return p, nil
}

// Pending reads a branch's journal and finds out which of its steps the tip does
// not hold; none where the tip is one of the past.
func (s *Store) Pending(ctx context.Context, tip *Tip) (Pending, error) {
	if tip.at != nil {
		return Pending{}, nil
	}
	c, err := journal.Read(s.JournalPath(tip.branch))
	if errors.Is(err, journal.ErrMissing) {
		return Pending{}, nil
	}
	if err != nil {
		return Pending{}, fmt.Errorf("branch '%s': %w", tip.branch, err)
	}
	from, err := s.CommittedUpTo(ctx, c, tip.commit)
	if err != nil {
		return Pending{}, err
	}
	return Pending{journal: c.Head.Journal, from: from, upto: c.Size, Lines: c.After(from)}, nil
}

// CommittedUpTo is the offset up to which a journal's steps are in a commit:
//
//  1. the commit says so itself, in its trailer, which every commit carries on, unless the newest mark says more and was set for
//     a commit of its history: a copy of an older message, as of git's own commands, carries an older trailer;
//  2. the newest mark was set for just this commit;
//  3. an older one was (the branch was set back, or an undo marked the commit before and did not
//     move the branch);
//  4. nothing follows the newest mark;
//  5. otherwise (another machine's commits are on top, or a crash came between the branch and
//     the mark): what any commit since the mark says, or a mark of it.
func (s *Store) CommittedUpTo(ctx context.Context, c *journal.Content, tip *git.Commit) (int64, error) {
	if upto, ok := proven(c, tip.Trailer(TrailerJournal)); ok {
		if upto >= c.Mark.Upto {
			return upto, nil
		}
		below, err := s.isBelow(ctx, c.Mark.Committed, tip)
		if below {
			upto = c.Mark.Upto
		}
		return upto, err
	}
	if c.Mark.Committed == string(tip.ID) {
		return c.Mark.Upto, nil
	}
	if upto, ok := c.Taken()[string(tip.ID)]; ok {
		return upto, nil
	}
	if len(c.After(c.Mark.Upto)) == 0 {
		return c.Mark.Upto, nil
	}
	upto, err := s.takenIn(ctx, c, tip, c.Mark.Committed)
	return max(upto, c.Mark.Upto), err
}

// isBelow reports whether a commit that a mark names is in the history of a tip; one that is not here is not, nor one of a history that was lost and
// made again.
func (s *Store) isBelow(ctx context.Context, marked string, tip *git.Commit) (bool, error) {
	if !s.repo.IsID(marked) {
		return false, nil
	}
	if _, err := s.repo.Commit(ctx, git.ID(marked)); err != nil {
		if errors.Is(err, git.ErrNotFound) {
			err = nil
		}
		return false, err
	}
	below, err := s.repo.IsAncestor(ctx, git.ID(marked), tip.ID)
	if git.ExitCode(err) > 0 { // a commit on the way cannot be read
		return false, nil
	}
	return below, err
}

// proven returns what a trailer says of a journal; false for a trailer of another journal, or of
// a diverged copy of this one.
func proven(c *journal.Content, trailer string) (int64, bool) {
	t, ok := ParseJournalMark(trailer)
	return t.upto, ok && t.Journal == c.Head.Journal && c.HasStep(t.upto, t.id)
}

// TakenBy is the offset up to which the commits that a tip leads to took the steps of a journal,
// as they or marks of them say. It believes no mark of another commit: those that followed on
// the tip are lost.
func (s *Store) TakenBy(ctx context.Context, c *journal.Content, tip *git.Commit) (int64, error) {
	if upto, ok := proven(c, tip.Trailer(TrailerJournal)); ok {
		return upto, nil
	}
	if upto, ok := c.Taken()[string(tip.ID)]; ok {
		return upto, nil
	}
	return s.takenIn(ctx, c, tip, "")
}

// takenIn is the offset up to which the commits that a tip leads to took the steps of a journal,
// as they or their marks say. Commits that since leads to are left out, if it is here.
func (s *Store) takenIn(ctx context.Context, c *journal.Content, tip *git.Commit, since string) (int64, error) {
	args := []string{"log", "--format=%H %(trailers:key=" + TrailerJournal + ",valueonly,separator=)", EndOfOptions, string(tip.ID)}
	if since != "" {
		switch _, err := s.repo.Commit(ctx, git.ID(since)); {
		case err == nil:
			args = append(args, "^"+since)
		case !errors.Is(err, git.ErrNotFound):
			return 0, err
		}
	}
	out, err := s.repo.View(ctx, args...)
	if err != nil {
		return 0, err
	}
	upto, taken := c.First().Upto, c.Taken()
	for line := range bytes.Lines(out) {
		id, value, _ := strings.Cut(string(bytes.TrimSpace(line)), " ")
		if u, ok := proven(c, value); ok {
			upto = max(upto, u)
		}
		upto = max(upto, taken[id])
	}
	return upto, nil
}

// steps reads the pending lines as steps of the branch.
func (p Pending) steps(branch, agent string) ([]doc.Step, error) {
	steps := make([]doc.Step, len(p.Lines))
	for i, line := range p.Lines {
		var l EntryLine
		if err := json.Unmarshal(line.Raw, &l); err != nil {
			return nil, fmt.Errorf("journal of branch '%s', step %d: %w", branch, line.Step, err)
		}
		steps[i] = l.AsStep(branch, agent)
	}
	return steps, nil
}

// took says what a commit that drains p takes.
func (p Pending) took() journalMark {
	if len(p.Lines) == 0 {
		return journalMark{}
	}
	last := p.Lines[len(p.Lines)-1]
	return journalMark{Journal: p.journal, upto: last.End, id: last.ID}
}

// Mark notes in the journal that a commit is the branch's tip and what it took, or
// replaces the journal when it has grown, or is that of a copy, too. Every memory commit is marked, so that
// no reader has to look for what commits since the last mark say. The mark of a commit that this
// transaction made says what the commit says, too. The branch has moved already: a crash before
// this is found out by the commit's trailer.
func (tx *Transaction) Mark(ctx context.Context, branch string, p Pending, commit git.ID, step int, id string) error {
	if p.journal == "" {
		return nil
	}
	j, err := journal.Open(ctx, tx.Store.JournalPath(branch), tx.Store.JournalOptions())
	if err != nil {
		return err
	}
	defer j.Close()
	// Replacing a journal pays only for what it drops; and one that a rename which
	// was killed left with two names must stay one file.
	m := journal.Mark{Committed: string(commit), Upto: p.upto, Said: tx.said(commit), Step: step, ID: id}
	if p.upto <= journal.CompactAt && !p.copied || j.Linked() {
		if err := j.Mark(m); err != nil || !slices.ContainsFunc(p.Lines, hasAttachments) {
			return err
		}
	} else if name, err := tx.Store.NewID(""); err != nil {
		return err
	} else if err := j.Compact(name, m); err != nil {
		return err
	}
	if err := j.Close(); err != nil { // whoever attaches locks the files before the journal
		return err
	}
	if _, _, err := tx.Store.SweepAttached(ctx, branch, false); err != nil {
		return fmt.Errorf("attached files: %w", err)
	}
	return nil
}

// PendingOf is Pending for views of several branches: a journal that cannot be read does not hide what the others
// have. It is a warning then, and counts as empty.
func (s *Store) PendingOf(ctx context.Context, tip *Tip) (Pending, error) {
	p, err := s.Pending(ctx, tip)
	if err == nil || ctx.Err() != nil {
		return p, err
	}
	s.Warn(err.Error() + "; its pending steps are left out: git context fsck")
	return Pending{}, nil
}

// pendingCount counts a branch's pending steps without parsing them.
func (s *Store) pendingCount(ctx context.Context, branch string, tip *git.Commit) (int, error) {
	p, err := s.Pending(ctx, &Tip{branch: branch, commit: tip})
	return len(p.Lines), err
}

// JournalLock returns the name of the lock of the branch that a journal file belongs to.
func JournalLock(file string) string { return "branch-" + file }

// BranchLock returns the name of a branch's lock. Every change of the branch, its journal's
// marks and its waiting merge takes it.
func BranchLock(branch string) string { return JournalLock(journal.FileName(branch)) }

// WaitingSteps reads pending steps, each with the agent that COMMIT would give it.
func (s *Store) WaitingSteps(ctx context.Context, branch string, p Pending) ([]doc.Step, error) {
	if len(p.Lines) == 0 {
		return nil, nil
	}
	ident, err := s.repo.Committer(ctx)
	if err != nil {
		// A view needs no identity: only a COMMIT writes one down, and says then
		// what is wrong with it.
		ident = git.Identity{}
	}
	return p.steps(branch, committerAgent(ident))
}
