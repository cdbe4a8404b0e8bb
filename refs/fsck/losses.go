package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// checkLosses looks for what the history of a branch, of the roadmap or of the notes contains and
// its tip lacks, although no act removed it: a commit made by hand left it out. Mending adds a
// commit that has it again.
func checkLosses(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil || len(v.in.Absent) > 0 { // a partial clone may lack what was lost
		return err
	}
	c.original = map[string]bool{}
	flawed := v.flawed()
	for _, t := range v.tips {
		if flawed[t.ID] || c.forgotten == nil {
			continue
		}
		switch branch, ok := git.BranchName(t.Name); {
		case ok:
			err = c.lostEntries(ctx, v, branch, t.ID)
		case t.Name == git.RoadmapRef:
			err = c.lostItems(ctx, v, t.ID)
		case t.Name == git.NotesRef:
			err = c.lostLinesOf(ctx, t.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// history returns the range of a ref's whole history.
func (c *checker) history(v *memory, tip git.ID) loss.Range {
	return loss.Range{Tip: tip, News: v.in.ByID, Gone: *c.forgotten, Judge: true, Keys: v.keys}
}

// keys lists the entries of a document that was read.
func (v *memory) keys(file string, blob git.ID) ([]loss.Key, bool) {
	ids, read := v.logs[blob]
	if file == doc.CommitFile {
		var r record
		r, read = v.records[blob]
		ids = r.entries
	}
	sums := v.sums[blob]
	if !read || len(sums) != len(ids) {
		return nil, false
	}
	keys := make([]loss.Key, len(ids))
	for i, at := range ids {
		keys[i] = loss.Key{ID: incoming.EntryKey([]byte(v.entries[at].id)), Sum: sums[i]}
	}
	return keys, true
}

func (c *checker) lostEntries(ctx context.Context, v *memory, branch string, tip git.ID) error {
	r := c.history(v, tip)
	r.Branch = branch
	lost, err := loss.OfBranch(ctx, c.s, r)
	if err != nil {
		return err
	}
	for id := range lost.Changed() {
		c.original[id] = true
	}
	if lost.Empty() {
		return nil
	}
	mend := func(ctx context.Context) error {
		return mendBranch(ctx, c.s, c.w, branch, func(ctx context.Context, tx *store.Transaction, now *store.Tip) (*store.Draft, error) {
			if now.Commit().ID != tip {
				return nil, errMoved
			}
			return lost.Restore(ctx, tx, now)
		})
	}
	c.report(ctx, mend, Problem{Kind: "memory-lost", Object: git.BranchRef(branch), Repair: FixCommand,
		Message: fmt.Sprintf("branch '%s' lacks %s of its history: %s", branch, lost.What(), lost.Causes[0])})
	return nil
}

// errMoved ends a repair whose ground has moved.
var errMoved = errors.New("the ref has moved meanwhile")

func (c *checker) lostItems(ctx context.Context, v *memory, tip git.ID) error {
	lost, err := loss.OfRoadmap(ctx, c.s, c.history(v, tip))
	if err != nil || lost.Empty() {
		return err
	}
	mend := func(ctx context.Context) error {
		tx, err := c.s.Begin(ctx, c.w, "fsck: mend the roadmap")
		if err != nil {
			return err
		}
		defer tx.Close()
		return tx.Swap(ctx, func(ctx context.Context) error {
			now, err := c.s.RoadmapTip(ctx)
			if err == nil && now != tip {
				err = errMoved
			}
			if err != nil {
				return err
			}
			made, err := lost.Restore(ctx, tx, tip)
			if err == nil {
				tx.Refs.Update(git.RoadmapRef, made.ID, tip)
			}
			return err
		})
	}
	c.report(ctx, mend, Problem{Kind: "memory-lost", Object: git.RoadmapRef, Repair: FixCommand,
		Message: fmt.Sprintf("the roadmap lacks %s of its history: %s", lost.What(), lost.Causes[0])})
	return nil
}

// lostLinesOf looks for lines of notes. What was expunged, and what other checks restore, is not
// lost.
func (c *checker) lostLinesOf(ctx context.Context, tip git.ID) error {
	lost, err := c.linesOfHistory(ctx, tip)
	if err != nil || len(lost) == 0 {
		return err
	}
	u, err := notes.Begin(ctx, c.s.Repo())
	if err == nil {
		err = u.Restore(ctx, lost, "")
	}
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(u.Full)) {
		c.reportFull(ctx, id, prose.Count(notes.Lines(lost[id]), "line")+" of its history")
		delete(lost, id)
	}
	if len(lost) == 0 {
		return nil
	}
	lines, object := 0, git.ID("")
	for id, text := range lost {
		lines += notes.Lines(text)
		object = max(object, id)
	}
	mend := func(ctx context.Context) error {
		tx, err := c.s.Begin(ctx, c.w, "fsck: restore notes")
		if err != nil {
			return err
		}
		defer tx.Close()
		c.loaded = nil // checkNotes reads what was restored
		return code.UpdateNotes(ctx, tx, "context: restore notes that were removed", func(u *notes.Update) error {
			return u.Restore(ctx, lost, "")
		})
	}
	c.report(ctx, mend, Problem{Kind: "memory-lost", Object: git.NotesRef, Repair: FixCommand,
		Message: fmt.Sprintf("the notes lack %s of their history, one of them on %s", prose.Count(lines, "line"), object.Short())})
	return nil
}

func (c *checker) linesOfHistory(ctx context.Context, tip git.ID) (map[git.ID][]byte, error) {
	lost, err := c.s.LostLines(ctx, tip, "")
	if err != nil || c.forgotten.Empty() {
		return lost, err
	}
	return expunge.NewRewriter(c.s, *c.forgotten).CleanLines(lost), nil
}
