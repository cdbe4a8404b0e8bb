package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// missingNotes reports commits without a note that no COMMIT will write: notes are written from
// a tip back to the first commit that has one.
func (c *checker) missingNotes(ctx context.Context, v *memory) error {
	lazy, err := c.s.LazyNotes(ctx)
	if err != nil {
		return err
	}
	mine, shared := v.reachedBy(true), v.reachedBy(false)
	soon := map[git.ID]bool{}
	for _, t := range v.tips {
		if _, ok := git.BranchName(t.Name); ok {
			v.notedSoon(t.ID, soon)
		}
	}
	var all, missing []git.ID
	noted, unshared := 0, 0
	for _, n := range v.commits {
		x := v.statements[n.ID]
		if x == nil || x.fact.Kind == "" || !mine[n.ID] {
			continue
		}
		if v.hasFact(n.ID) {
			noted++
			continue
		}
		all = append(all, n.ID)
		if !shared[n.ID] {
			unshared++
		}
		if !lazy && !shared[n.ID] && !soon[n.ID] && !c.restores[n.ID] {
			missing = append(missing, n.ID)
		}
	}
	if noted == 0 && len(c.restores) == 0 && !lazy {
		if gone, err := c.goneNotes(ctx, all, unshared); gone || err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		if c.fix && len(all) > 0 {
			return noteFacts(ctx, c.s, c.w, all)
		}
		return nil
	}
	first := v.statements[missing[0]].fact.ID
	p := Problem{Kind: "note-missing", Object: string(missing[0]), Repair: FixCommand,
		Message: fmt.Sprintf("memory commit %s has no note, and no later commit writes it", first)}
	if n := len(missing); n > 1 {
		p.Object = git.NotesRef
		p.Message = fmt.Sprintf("%d memory commits have no note, and no later commit writes it; the first is %s", n,
			first)
	}
	c.report(ctx, func(ctx context.Context) error { return noteFacts(ctx, c.s, c.w, all) }, p)
	return nil
}

// goneNotes reports that the notes as a whole are gone, by a deleted ref or an emptied one: no commit
// here has its fact. A single commit may be on its way to one, and those of others may never have had any.
// A sync brings back what a remote has, unless the notes here descend from that already.
func (c *checker) goneNotes(ctx context.Context, commits []git.ID, unshared int) (bool, error) {
	kept, err := c.s.Repo().Refs(ctx, git.RemoteNotesPrefix)
	kept = slices.DeleteFunc(kept, func(r git.Ref) bool {
		_, other := git.OtherNotesRemote(r.Name)
		return other || !git.TrackedNotes(r.Name)
	})
	if err != nil || unshared < 2 && (len(kept) == 0 || len(commits) == 0) {
		return false, err
	}
	p := Problem{Kind: "notes-gone", Object: git.NotesRef, Repair: FixCommand, Message: fmt.Sprintf(
		"the notes of %s are gone: what the commits contain can be written again, scores, outcomes, reviews and links cannot",
		prose.Count(len(commits), "commit"))}
	fix := func(ctx context.Context) error { return noteFacts(ctx, c.s, c.w, commits) }
	descend, err := c.notesDescend(ctx, kept)
	switch {
	case err != nil:
		return false, err
	case descend:
		p.Message = fmt.Sprintf("the notes of %s lack what the commits contain", prose.Count(len(commits), "commit"))
	case len(kept) > 0:
		name := strings.TrimSuffix(strings.TrimPrefix(kept[0].Name, git.RemoteNotesPrefix), "/context")
		p.Message = fmt.Sprintf("the notes of %s are gone; '%s' has those that were shared", prose.Count(len(commits), "commit"), name)
		p.Repair, fix = "git context sync "+prose.ShellWord(name), nil
	}
	c.report(ctx, fix, p)
	return true, nil
}

// notesDescend reports whether the notes descend from all of some, of which there is one at least.
func (c *checker) notesDescend(ctx context.Context, kept []git.Ref) (bool, error) {
	tip, err := c.s.NotesTip(ctx)
	if err != nil || tip == "" {
		return false, err
	}
	for _, r := range kept {
		if old, err := c.s.Repo().IsAncestor(ctx, r.ID, tip); err != nil || !old {
			return false, err
		}
	}
	return len(kept) > 0, nil
}

// reachedBy returns the commits that our own branches reach, or those that remotes have.
func (v *memory) reachedBy(mine bool) map[git.ID]bool {
	var tips []git.ID
	for _, t := range v.tips {
		_, branch := git.BranchName(t.Name)
		if mine && branch || !mine && !isOwn(t.Name) {
			tips = append(tips, t.ID)
		}
	}
	return v.reach(tips...)
}

// reach returns the commits that some lead to, as far as they are here.
func (v *memory) reach(todo ...git.ID) map[git.ID]bool {
	reached := map[git.ID]bool{}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n := v.in.ByID[id]; n != nil && !reached[id] {
			reached[id] = true
			todo = append(todo, n.Parents...)
		}
	}
	return reached
}

// notedSoon adds the commits whose notes the next COMMIT on a tip writes.
func (v *memory) notedSoon(tip git.ID, soon map[git.ID]bool) {
	seen := map[git.ID]bool{}
	for queue := []git.ID{tip}; len(queue) > 0 && len(seen) < store.FoldWalk; {
		n := v.in.ByID[queue[0]]
		queue = queue[1:]
		if n == nil || seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		if x := v.statements[n.ID]; x != nil && x.fact.Kind != "" {
			if v.hasFact(n.ID) {
				continue
			}
			soon[n.ID] = true
		}
		queue = append(queue, n.Parents...)
	}
}

// noteFacts writes the notes of commits.
func noteFacts(ctx context.Context, s *store.Store, w store.Writer, ids []git.ID) error {
	ses, err := s.Begin(ctx, w, "fsck: notes")
	if err != nil {
		return err
	}
	defer ses.Close()
	return code.UpdateNotes(ctx, ses, "context: fold the facts of "+prose.Count(len(ids), "commit"),
		func(u *notes.Update) error {
			for _, id := range ids {
				m, err := s.Repo().Commit(ctx, id)
				if err != nil {
					return err
				}
				if err := addFact(ctx, u, id, store.Fact(m)); err != nil {
					return err
				}
			}
			return nil
		})
}
