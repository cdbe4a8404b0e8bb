package fsck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// readContent reads the journal of a branch; nil where there is none that can be read.
func (c *checker) readContent(branch string) (*journal.Content, error) {
	content, err := journal.Read(c.s.JournalPath(branch))
	if errors.Is(err, journal.ErrMissing) || errors.Is(err, git.ErrBroken) { // checkJournals reports it
		return nil, nil
	}
	return content, err
}

// toldSince is what the journal of a branch tells of commits that are lost.
type toldSince struct {
	content *journal.Content // nil where there is none
	list    []store.Told     // oldest first
	whole   bool             // no commit is missing in the list
	hollow  bool             // some files of the newest one are here
}

func (c *checker) toldSince(ctx context.Context, branch string, base, tip git.ID) (toldSince, error) {
	content, err := c.readContent(branch)
	if content == nil || err != nil {
		return toldSince{}, err
	}
	t := toldSince{content: content}
	t.list, t.whole = store.ToldSince(content, base, tip)
	if newest := git.ID(content.Mark.Committed); len(t.list) == 0 && !t.whole && newest != tip && c.s.Repo().IsID(string(newest)) {
		// The tip has no mark: a crash came between. The one before it may be lost, too.
		infos, err := c.s.Repo().Infos(ctx, []git.ID{newest})
		if err != nil {
			return t, err
		}
		if infos[0].Type == "" {
			t.list, _ = store.ToldSince(content, base, newest)
		}
	}
	return t, nil
}

// maxNamed limits how many lost changes a message names.
const maxNamed = 5

// String says what becomes of the commits.
func (t toldSince) String() string {
	again, lost := 0, []string{}
	for _, told := range t.list {
		if told.IsCommit() {
			again++
		} else {
			lost = append(lost, "'"+prose.OneLine(told.Commit.Subject(), 60)+"'")
		}
	}
	var b strings.Builder
	if again > 0 {
		fmt.Fprintf(&b, "; its journal tells of %s since, made again by the repair", prose.Count(again, "commit"))
	}
	if n := t.lacking(); n > 0 {
		b.WriteString("; it lacks " + prose.Count(n, "step") + " that they took")
	}
	switch {
	case t.hollow:
		b.WriteString("; what is here of its files comes back")
	case len(lost) > 0:
		b.WriteString("; only files that are not here said what these changed: " + atMost(lost, maxNamed))
	}
	if !t.whole {
		b.WriteString("; the journal does not tell of every change since")
	}
	return b.String()
}

// lacking counts the steps of the commits that the journal does not contain: it is limited in size.
func (t toldSince) lacking() (n int) {
	for _, told := range t.list {
		if !told.IsCommit() {
			continue
		}
		n += told.Entry.Steps.Count
		for _, l := range t.content.Lines {
			if l.Step >= told.Entry.Steps.First && l.Step <= told.Entry.Steps.Last {
				n--
			}
		}
	}
	return max(n, 0)
}

// commitAgain moves a branch from a lost commit to a former one, and makes the commits since
// again that its journal tells of. The branch moves once, so that a crash leaves it as it was.
func (c *checker) commitAgain(ctx context.Context, branch string, lost, base git.ID) error {
	tx, err := c.s.Begin(ctx, c.w, "fsck: restore what is here", branch)
	if err != nil {
		return err
	}
	defer tx.Close()
	at, err := c.s.TipAt(ctx, branch, base)
	if err != nil {
		return err
	}
	told, err := c.toldSince(ctx, branch, base, lost)
	if err != nil {
		return err
	}
	forgotten, err := expunge.Tombstones(ctx, c.s)
	if err != nil {
		return err
	}
	tip, made := base, map[git.ID]*git.Commit{}
	if told.content != nil {
		allow := func(id string, texts ...string) bool {
			return !forgotten.HasEntry(id) &&
				!slices.ContainsFunc(texts, func(text string) bool { return forgotten.RedactText(text) != text })
		}
		if made, err = tx.Again(ctx, at, told.content, told.list, allow); err != nil {
			return err
		}
	}
	for _, t := range told.list {
		if again := made[t.Commit.ID]; again != nil {
			tip = again.ID
		}
	}
	if tip, err = c.salvage(ctx, tx, branch, lost, base, tip, forgotten); err != nil {
		return err
	}
	tx.Refs.Update(git.BranchRef(branch), tip, lost)
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	for old, again := range made {
		c.again[old] = again.ID
	}
	if told.content == nil || tip == lost { // which has its mark
		return nil
	}
	return tx.MarkAgain(ctx, at, told.list, made)
}

// notesAgain adds lines of notes that journals tell of: those of commits that were made again,
// and, where the notes were set back, those of all commits that are here.
func (c *checker) notesAgain(ctx context.Context) error {
	if len(c.again) == 0 && c.notesWere == "" {
		return nil
	}
	lines, err := c.toldNotes(ctx)
	if err != nil {
		return err
	}
	forgotten, err := expunge.Tombstones(ctx, c.s)
	if err != nil {
		return err
	}
	if !forgotten.Empty() {
		lines = expunge.NewRewriter(c.s, forgotten).CleanLines(lines)
	}
	tx, err := c.s.Begin(ctx, c.w, "fsck: restore notes")
	if err != nil {
		return err
	}
	defer tx.Close()
	return code.UpdateNotes(ctx, tx, "context: restore notes that were lost", func(u *notes.Update) error {
		if c.notesWere != "" {
			if err := c.addLooseNotes(ctx, u, forgotten); err != nil {
				return err
			}
			if err := c.salvageNotes(ctx, u, forgotten); err != nil {
				return err
			}
		}
		for old, id := range c.again {
			note, err := u.Note(ctx, old)
			if err != nil {
				return err
			}
			if old != id {
				lines[id] = append(lines[id], judgements(note)...)
			}
		}
		for id, text := range lines {
			m, err := c.s.Repo().Commit(ctx, id)
			if err != nil {
				return err
			}
			if err := addFact(ctx, u, id, store.Fact(m)); err != nil { // which comes first
				return err
			}
			if err := u.Add(ctx, id, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// toldNotes returns the lines that journals tell of, by the commits that are here.
func (c *checker) toldNotes(ctx context.Context) (map[git.ID][]byte, error) {
	branches, err := c.s.BranchNames(ctx)
	if err != nil {
		return nil, err
	}
	told := map[git.ID][]byte{}
	var ids []git.ID
	for _, branch := range branches {
		content, err := c.readContent(branch)
		if err != nil {
			return nil, err
		}
		if content == nil {
			continue
		}
		for _, m := range content.Marks() {
			id := git.ID(m.Committed)
			if again, ok := c.again[id]; ok {
				id = again
			} else if c.notesWere == "" {
				continue
			}
			if m.Note != "" && c.s.Repo().IsID(string(id)) {
				ids, told[id] = append(ids, id), append(told[id], judgements([]byte(m.Note))...)
			}
		}
	}
	infos, err := c.s.Repo().Infos(ctx, ids)
	for _, info := range infos {
		if info.Type != "commit" {
			delete(told, info.ID)
		}
	}
	return told, err
}

// judgements returns the lines of a note but those that its commit says itself.
func judgements(note []byte) (kept []byte) {
	for line := range bytes.Lines(note) {
		if facts := notes.Parse(line); len(facts) != 1 || facts[0].Kind != notes.KindCommit {
			kept = append(append(kept, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
		}
	}
	return kept
}
