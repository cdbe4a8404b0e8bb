package fsck

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// lostNotes looks in the reflog of the notes for overwritten ones: git notes add and git notes
// append write without an old value, and drop what others noted meanwhile. A commit that its
// successor does not descend from was dropped; the lines that neither the successor nor the
// newest notes contain are lost. An expunge empties this reflog, and expunged lines are not
// brought back.
func (c *checker) lostNotes(ctx context.Context) error {
	dropped, err := droppedNotes(ctx, c.s)
	if err != nil || len(dropped) == 0 {
		return err
	}
	u, err := notes.Begin(ctx, c.s.Repo())
	if err != nil {
		return err
	}
	lines, object := 0, git.ID("")
	c.restores = map[git.ID]bool{}
	for _, m := range dropped {
		lost, err := lostLines(ctx, c.s, u, m)
		if err != nil {
			return err
		}
		for id, text := range lost {
			lines += bytes.Count(text, []byte("\n"))
			object = id
			c.restores[id] = true
		}
	}
	if lines == 0 {
		return nil
	}
	c.report(ctx, func(ctx context.Context) error { return restoreNotes(ctx, c.s, c.w, dropped) }, Problem{
		Kind: "notes-lost", Object: git.NotesRef, Repair: FixCommand,
		Message: fmt.Sprintf("%s of notes, one of them on %s, were lost when another program moved the notes to a commit without them",
			prose.Count(lines, "line"), object.Short())})
	return nil
}

// droppedNotes returns the moves of the notes that dropped a commit, if both commits are here.
func droppedNotes(ctx context.Context, s *store.Store) ([]git.RefMove, error) {
	tip, err := s.NotesTip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	moves, err := s.Repo().Moves(ctx, git.NotesRef)
	if err != nil || len(moves) == 0 {
		return nil, err
	}
	history, err := s.Repo().History(ctx, []git.ID{tip})
	if err != nil {
		return nil, err
	}
	kept, err := keptNotes(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, n := range history {
		kept[n.ID] = true
	}
	moves = slices.DeleteFunc(moves, func(m git.RefMove) bool {
		return m.Old.IsZero() || m.New.IsZero() || kept[m.Old]
	})
	var ids []git.ID
	for _, m := range moves {
		ids = append(ids, m.Old, m.New)
	}
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var dropped []git.RefMove
	for i, m := range moves {
		if infos[2*i].Type != "commit" || infos[2*i+1].Type != "commit" {
			continue
		}
		bases, err := s.Repo().MergeBases(ctx, m.Old, m.New)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(bases, m.Old) {
			dropped = append(dropped, m)
		}
	}
	return dropped, nil
}

// keptNotes are the commits of the notes that requests keep. A request that was interrupted leaves the reflog that
// leads to them. What cannot be read is reported elsewhere, and keeps nothing.
func keptNotes(ctx context.Context, s *store.Store) (map[git.ID]bool, error) {
	refs, err := s.Repo().Refs(ctx, git.KeptPrefix)
	kept := map[git.ID]bool{}
	for _, r := range refs {
		request, err := expunge.ReadRequest(ctx, s, r)
		if ctx.Err() != nil {
			return nil, err
		}
		for _, ref := range request.Refs {
			kept[ref.ID] = err == nil
		}
	}
	return kept, err
}

// lostLines returns the lines that a move lost, by object, without expunged ones.
func lostLines(ctx context.Context, s *store.Store, u *notes.Update, m git.RefMove) (map[git.ID][]byte, error) {
	lost, err := u.Lost(ctx, m.Old, m.New)
	if err != nil {
		return nil, err
	}
	e, err := expunge.Tombstones(ctx, s)
	if err != nil || e.Empty() {
		return lost, err
	}
	return expunge.NewRewriter(s, e).CleanLines(lost), nil
}

// restoreNotes brings back what moves lost. The dropped commits become part of the history of
// the notes, unless something was expunged since.
func restoreNotes(ctx context.Context, s *store.Store, w store.Writer, dropped []git.RefMove) error {
	e, err := expunge.Tombstones(ctx, s)
	if err != nil {
		return err
	}
	ses, err := s.Begin(ctx, w, "fsck: restore notes")
	if err != nil {
		return err
	}
	defer ses.Close()
	return code.UpdateNotes(ctx, ses, "context: restore notes that were lost", func(u *notes.Update) error {
		for _, m := range dropped {
			lost, err := lostLines(ctx, s, u, m)
			if err != nil {
				return err
			}
			from := m.Old
			if !e.Empty() || len(lost) == 0 {
				from = ""
			}
			if err := u.Restore(ctx, lost, from); err != nil {
				return err
			}
		}
		return nil
	})
}
