package share

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// uniteNotes writes the missing notes of what is to be pushed, and adds the remote's.
func (ex *exchanger) uniteNotes(ctx context.Context, ses *store.Transaction, plan []*refAction, ours,
	theirs *remote.RefSet) error {
	ex.behind = false
	var from []*git.Commit
	for _, st := range plan {
		if st.push == "" || st.branch == "" {
			continue
		}
		c, err := ex.s.Repo().Commit(ctx, cmp.Or(st.ours, st.push))
		if err != nil {
			return err
		}
		from = append(from, c)
	}
	news := theirs.Notes
	if news == ours.Notes {
		news = ""
	}
	if len(from) == 0 && news == "" {
		return nil
	}
	if len(from) == 0 {
		keep, err := ex.keepsNotes(ctx, ours.Notes, news)
		if err != nil {
			return ex.setAsideOne(ctx, git.NotesRef, err)
		}
		if ex.behind = keep; keep {
			return nil
		}
	}
	lost, err := ex.linesLost(ctx, ours.Notes, news)
	if err != nil {
		return ex.setAsideOne(ctx, git.NotesRef, err)
	}
	u, err := ses.FoldAll(ctx, from, news, lost)
	if err == nil && u.Kept > 0 {
		err = ex.notesKept(ctx, news, u.Kept)
	}
	if err != nil {
		return ex.setAsideOne(ctx, git.NotesRef, err)
	}
	ex.behind = u.Behind
	ex.notesFull(slices.Sorted(maps.Keys(u.Full)))
	now, err := ex.s.NotesTip(ctx)
	if err != nil {
		return err
	}
	if now != ours.Notes && news != "" {
		ex.merged(git.NotesRef)
	}
	ours.Notes = now
	return nil
}

// linesLost returns the lines of notes, by object, that the commits of the other side's notes have lost, without what is expunged. Absence never
// means deletion, also of lines that were never here.
func (ex *exchanger) linesLost(ctx context.Context, ours, theirs git.ID) (map[git.ID][]byte, error) {
	if theirs == "" {
		return nil, nil
	}
	lost, err := ex.s.LostLines(ctx, theirs, ours)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	gone, err := expunge.Tombstones(ctx, ex.s)
	if err != nil {
		return nil, err
	}
	return expunge.NewRewriter(ex.s, gone).CleanLines(lost), nil
}

// notesKept says so of lines of notes. It names the newest commit of the notes, which lacks them;
// an older one may have removed them.
func (ex *exchanger) notesKept(ctx context.Context, theirs git.ID, lines int) error {
	c, err := ex.s.Repo().Commit(ctx, theirs)
	if err == nil {
		ex.restored(git.NotesRef, loss.Cause{Commit: theirs, By: loss.Author(c), What: prose.Count(lines, "line") + " of notes"})
	}
	return err
}

// notesFull says which notes had no room for lines of both sides, and what helps.
func (ex *exchanger) notesFull(full []git.ID) {
	if len(full) == 0 {
		return
	}
	which := fmt.Sprintf("the note of commit %s", full[0])
	if n := len(full) - 1; n > 0 {
		which += " (and of " + prose.Count(n, "other") + ")"
	}
	ex.warn(fmt.Sprintf("%s is full: what '%s' has of it stays there and what is here stays here, all other notes are exchanged; "+
		"what fills it there: git notes --ref=%s show %s; to say it to all, in a commit of its own: git context commit -m 'About %s: ...'",
		which, ex.peer.Name, ex.peer.Tracking.Notes(), full[0], full[0].Short()))
}
