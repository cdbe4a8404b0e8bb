package store

import (
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// told is a memory commit that a transaction made, for the journal.
type told struct {
	commit *git.Commit
	entry  *doc.Commit // nil for a commit without one
	note   []byte      // the lines of its note that are written with it
}

// tell remembers a commit.
func (tx *Transaction) tell(c *git.Commit, entry *doc.Commit) {
	if tx.told == nil {
		tx.told = map[git.ID]told{}
	}
	tx.told[c.ID] = told{commit: c, entry: entry}
}

// tellNote remembers what is written into the note of such a commit.
func (tx *Transaction) tellNote(id git.ID, note []byte) {
	if t, ok := tx.told[id]; ok {
		t.note = note
		tx.told[id] = t
	}
}

// said is what the journal keeps of a commit; nothing of one that others made.
func (tx *Transaction) said(id git.ID) journal.Said {
	t, ok := tx.told[id]
	if !ok {
		return journal.Said{}
	}
	said := journal.Said{Commit: string(t.commit.Encode()), Note: string(t.note)}
	if t.entry != nil {
		said.Entry = string(doc.FormatCommits([]doc.Commit{*t.entry}))
	}
	return said
}
