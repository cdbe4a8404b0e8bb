package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// Told is a memory commit as the journal of its branch tells of it.
type Told struct {
	Commit *git.Commit
	Entry  *doc.Commit // nil for a commit without one
	Note   []byte      // the lines of its note that were written with it

	upto int64 // the offset after the lines that it took
}

// IsCommit reports whether the lines of the journal and the entry are all that the commit
// changed: it was a COMMIT. What another commit changed, only its tree says.
func (t *Told) IsCommit() bool {
	return t.Entry != nil && t.Entry.Kind == "" && len(t.Commit.Parents) == 1
}

// ToldSince lists the commits from a base to a tip, oldest first, as a journal tells of them.
// whole is false where it does not tell of all: only of the newest.
func ToldSince(c *journal.Content, base, tip git.ID) (list []Told, whole bool) {
	marks := map[git.ID]journal.Mark{}
	for _, m := range c.Marks() {
		if m.Said == (journal.Said{}) { // a later mark of the same commit: the offset counts
			m.Said = marks[git.ID(m.Committed)].Said
		}
		marks[git.ID(m.Committed)] = m
	}
	for id := tip; id != base; {
		t, ok := toldBy(marks[id])
		delete(marks, id) // a damaged journal may lead in a circle
		if !ok {
			slices.Reverse(list)
			return list, false
		}
		list, id = append(list, t), t.Commit.Parents[0]
	}
	slices.Reverse(list)
	return list, true
}

// ToldCommits returns the commits of which a journal tells.
func ToldCommits(c *journal.Content) map[git.ID]*git.Commit {
	told := map[git.ID]*git.Commit{}
	for _, m := range c.Marks() {
		if commit, err := git.ParseCommit(git.ID(m.Committed), []byte(m.Commit)); err == nil { // else the mark tells of none
			told[commit.ID] = commit
		}
	}
	return told
}

// toldBy reads what a mark says; false if that is no commit with a parent.
func toldBy(m journal.Mark) (t Told, ok bool) {
	c, err := git.ParseCommit(git.ID(m.Committed), []byte(m.Commit))
	if err != nil || len(c.Parents) == 0 {
		return t, false
	}
	t = Told{Commit: c, Note: []byte(m.Note), upto: m.Upto}
	if list, err := doc.ParseCommits([]byte(m.Entry)); err == nil && len(list) == 1 {
		t.Entry = &list[0]
	}
	return t, true
}

// Again makes commits again whose objects are lost, on a base, from the journal that tells of
// them, and leaves out what allow refuses and what the base contains. It returns the commit that
// each one is now, without those that it could not make: see [Told.IsCommit]. The caller moves
// the ref to the last and calls [Transaction.MarkAgain].
//
// A commit gets its old hash if nothing before it is missing.
func (tx *Transaction) Again(ctx context.Context, base *Tip, c *journal.Content, lost []Told,
	allow func(id string, texts ...string) bool) (map[git.ID]*git.Commit, error) {
	from, err := tx.Store.TakenBy(ctx, c, base.commit)
	if err != nil {
		return nil, err
	}
	made := map[git.ID]*git.Commit{}
	for _, t := range lost {
		p, ok, err := base.pendingAgain(ctx, c, from, t, allow)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		again, err := tx.again(ctx, base, p, t)
		if err != nil {
			return nil, err
		}
		made[t.Commit.ID], from, base = again, p.upto, tx.Store.TipOf(base.branch, again)
	}
	return made, nil
}

// TreeAgain writes the tree of one of the commits that Again makes; "" if it makes none.
func (tx *Transaction) TreeAgain(ctx context.Context, base *Tip, c *journal.Content, t Told,
	allow func(id string, texts ...string) bool) (git.ID, error) {
	from, err := tx.Store.TakenBy(ctx, c, base.commit)
	if err != nil {
		return "", err
	}
	p, ok, err := base.pendingAgain(ctx, c, from, t, allow)
	if !ok || err != nil {
		return "", err
	}
	defer tx.as(t)()
	draft, err := tx.draftAgain(ctx, base, p, t)
	if err != nil {
		return "", err
	}
	return tx.WriteTree(ctx, draft)
}

// pendingAgain returns the steps that a commit took, from an offset; false if the commit cannot be made, is refused, or is there.
func (t *Tip) pendingAgain(ctx context.Context, c *journal.Content, from int64, lost Told,
	allow func(id string, texts ...string) bool) (p Pending, ok bool, err error) {
	e := lost.Entry
	if !lost.IsCommit() || !allow(e.ID, e.Summary, e.Contribution, e.Progress, e.Goal, e.Purpose) {
		return p, false, nil
	}
	if held, err := t.ContainsEntry(ctx, CommitEntries, e.ID); held || err != nil {
		return p, false, err
	}
	p = Pending{journal: c.Head.Journal, from: from, upto: max(from, lost.upto)}
	p.Lines, err = t.lacking(ctx, c.After(from), p.upto, allow)
	return p, err == nil, err
}

// lacking returns the lines up to an offset that a branch lacks and allow does not refuse.
func (t *Tip) lacking(ctx context.Context, lines []journal.Line, upto int64,
	allow func(id string, texts ...string) bool) (list []journal.Line, err error) {
	for _, l := range lines {
		if l.End > upto {
			break
		}
		held, err := t.ContainsEntry(ctx, LogEntries, l.ID)
		if err != nil {
			return nil, err
		}
		var e EntryLine
		if err := json.Unmarshal(l.Raw, &e); err != nil {
			return nil, fmt.Errorf("journal of branch '%s', step %d: %w", t.branch, l.Step, err)
		}
		if !held && allow(l.ID, e.Observation, e.Thought, e.Action, e.Session, e.Model, e.Source) {
			list = append(list, l)
		}
	}
	return list, nil
}

// again makes one commit.
func (tx *Transaction) again(ctx context.Context, base *Tip, p Pending, t Told) (*git.Commit, error) {
	defer tx.as(t)()
	c, err := tx.draftAgain(ctx, base, p, t)
	if err != nil {
		return nil, err
	}
	again, err := tx.WriteObjects(ctx, c)
	if err != nil || again.Tree != t.Commit.Tree || !slices.Equal(again.Parents, t.Commit.Parents) {
		return again, err
	}
	id, err := tx.Store.repo.WriteCommit(ctx, t.Commit) // with its signature
	if err != nil || id != t.Commit.ID {
		return again, err
	}
	tx.tell(t.Commit, t.Entry)
	return t.Commit, nil
}

// as lets the transaction write as a commit was written. The result sets that back.
func (tx *Transaction) as(t Told) (restore func()) {
	signature, by, code := tx.Signature, tx.Writer, tx.Code
	m := t.Entry
	tx.Signature, tx.Code = t.Commit.Committer, git.ID(t.Commit.Trailer(TrailerLink))
	tx.Writer = Writer{Agent: m.Agent, Session: m.Session, Model: m.Model, Tokens: m.Tokens, Sign: by.Sign}
	return func() { tx.Signature, tx.Writer, tx.Code = signature, by, code }
}

// draftAgain makes the draft of one commit.
func (tx *Transaction) draftAgain(ctx context.Context, base *Tip, p Pending, t Told) (*Draft, error) {
	m := *t.Entry
	c, err := tx.Follow(ctx, base, t.Commit.Subject())
	if err != nil {
		return nil, err
	}
	c.Code, c.Work, c.Written = git.ID(t.Commit.Trailer(TrailerCode)), WorkOf(t.Commit), t.Commit.Author.When
	if err := tx.sameRoadmap(ctx, c, t.Commit); err != nil {
		return nil, err
	}
	_, data, err := base.LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := tx.drain(ctx, c, base, p, nil); err != nil {
		return nil, err
	}
	if mark, ok := ParseJournalMark(t.Commit.Trailer(TrailerJournal)); ok {
		c.took = mark
	}
	if err := tx.putEntry(ctx, c, data, &m); err != nil {
		return nil, err
	}
	return c, tx.Store.RefreshDetected(ctx, c, base.commit)
}

// sameRoadmap lets a draft refer to the roadmap of a commit, if that is here.
func (tx *Transaction) sameRoadmap(ctx context.Context, c *Draft, of *git.Commit) error {
	id, age := ParseRoadmap(of.Trailer(TrailerRoadmap))
	if id == "" {
		return nil
	}
	switch _, err := tx.Store.repo.Commit(ctx, id); {
	case errors.Is(err, git.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	c.Roadmap, c.RoadmapAge = id, age
	return nil
}

// MarkAgain notes in a branch's journal that its tip is one of the commits that [Again] made, or
// their base if it made none. The journal is not replaced: the next COMMIT does that.
func (tx *Transaction) MarkAgain(ctx context.Context, base *Tip, lost []Told, made map[git.ID]*git.Commit) error {
	j, err := journal.Open(ctx, tx.Store.JournalPath(base.branch), tx.Store.JournalOptions())
	if err != nil {
		return err
	}
	defer j.Close()
	c, err := j.Since(0)
	if err != nil {
		return err
	}
	upto, err := tx.Store.TakenBy(ctx, c, base.commit)
	if err != nil {
		return err
	}
	if err := j.Mark(journal.Mark{Committed: string(base.commit.ID), Upto: upto}); err != nil {
		return err
	}
	for _, t := range lost {
		again := made[t.Commit.ID]
		if again == nil {
			continue
		}
		upto = max(upto, t.upto)
		tx.tellNote(again.ID, t.Note)
		if err := j.Mark(journal.Mark{Committed: string(again.ID), Upto: upto, Said: tx.said(again.ID)}); err != nil {
			return err
		}
	}
	return nil
}
