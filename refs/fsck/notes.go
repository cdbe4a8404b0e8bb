package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// noteLines is a note that was read.
type noteLines struct {
	facts   []notes.Fact
	damaged string // a line that begins as one of ours and cannot be read
}

// Note records a note.
func (v *memory) Note(f incoming.File, data []byte) {
	v.noteText[f.ID] = &noteLines{facts: notes.Parse(data), damaged: notes.Damaged(data)}
}

// notePaths lists the paths and blobs of the notes of objects.
func (v *memory) notePaths(ctx context.Context) (map[git.ID][]string, map[git.ID][]git.ID, error) {
	paths, blobs := map[git.ID][]string{}, map[git.ID][]git.ID{}
	tip, err := v.s.NotesTip(ctx)
	if err != nil || tip == "" {
		return paths, blobs, err
	}
	c, err := v.s.Repo().Commit(ctx, tip)
	if err != nil {
		return paths, blobs, err
	}
	var walk func(dir string, tree git.ID) error
	walk = func(dir string, tree git.ID) error {
		list, err := v.s.Repo().Tree(ctx, tree)
		if err != nil {
			return err
		}
		for _, e := range list {
			path := dir + e.Name
			object := notes.ObjectAt(path)
			switch {
			case e.IsTree():
				err = walk(path+"/", e.ID)
			case len(object) == len(tip) && git.IsID(string(object)):
				paths[object], blobs[object] = append(paths[object], path), append(blobs[object], e.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return paths, blobs, walk("", c.Tree)
}

// checkNotes checks the notes:
//
//  1. an object has one note;
//  2. what begins as a line of ours can be read;
//  3. the note of a commit agrees with its trailers;
//  4. every commit has its note, except those that the next COMMIT gives one, those that came
//     from a remote (a sync brings their notes), and all with context.notes=lazy. With --fix
//     these get theirs too, without being problems;
//  5. the code commit that was made with a commit is linked to it.
func checkNotes(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	if err := c.lostNotes(ctx); err != nil { // lost notes may be the ones missing below
		return err
	}
	paths, blobs, err := v.notePaths(ctx)
	if err != nil {
		return err
	}
	v.noted, v.unread = map[git.ID][]notes.Fact{}, map[git.ID]bool{}
	for _, object := range slices.Sorted(maps.Keys(blobs)) {
		if len(paths[object]) > 1 {
			c.report(ctx, func(ctx context.Context) error {
				return c.joinNotes(ctx, object, paths[object])
			}, Problem{
				Kind: "note-twice", Object: string(object), Repair: FixCommand,
				Message: fmt.Sprintf("object %s has two notes, of which one is not read: %s", object.Short(),
					strings.Join(paths[object], ", "))})
		}
		for _, blob := range blobs[object] {
			text := v.noteText[blob]
			if text == nil { // a partial clone has not fetched it, or it was reported
				v.unread[object] = true
				continue
			}
			v.noted[object] = append(v.noted[object], text.facts...)
			if text.damaged != "" {
				v.unread[object] = true
				c.report(ctx, nil, Problem{Kind: "note-damaged", Object: string(object),
					Repair: "git notes --ref=context edit " + string(object),
					Message: fmt.Sprintf("a line of the note of %s cannot be read: %s", object.Short(),
						incoming.Printable(prose.OneLine(text.damaged, 100)))})
			}
		}
	}
	c.wrongNotes(ctx, v)
	if err := c.missingNotes(ctx, v); err != nil {
		return err
	}
	return c.lostLinks(ctx, v)
}

// wrongNotes reports notes that contradict the trailers of their commit.
func (c *checker) wrongNotes(ctx context.Context, v *memory) {
	for _, n := range v.commits {
		x := v.statements[n.ID]
		if x == nil || x.fact.Kind == "" {
			continue
		}
		var inForce *notes.Fact
		for _, f := range notes.Order(slices.Clone(v.noted[n.ID])) { // of two notes of one object, too
			if f.Kind == notes.KindCommit {
				inForce = &f
			}
		}
		if inForce == nil {
			continue
		}
		if fault := contradicts(*inForce, x.fact); fault != "" {
			c.report(ctx, func(ctx context.Context) error { return noteAgain(ctx, c.s, c.w, n.ID) },
				Problem{
					Kind: "note-wrong", Object: string(n.ID), Repair: FixCommand,
					Message: fmt.Sprintf("the note of memory commit %s contradicts its trailers: %s", x.fact.ID, fault)})
		}
	}
}

// contradicts returns how a fact differs from another one, apart from its id and extra members.
func contradicts(have, want notes.Fact) string {
	for _, m := range []struct{ name, have, want string }{
		{"agent", have.Agent, want.Agent}, {"branch", have.Branch, want.Branch}, {"steps", have.Steps, want.Steps},
		{"session", have.Session, want.Session}, {"model", have.Model, want.Model},
		{"tokens", fmt.Sprint(have.Tokens), fmt.Sprint(want.Tokens)}, {"code", string(have.Code), string(want.Code)},
	} {
		if kept(m.have) != kept(m.want) && !redacted(m.have, m.want) {
			return fmt.Sprintf("%s is '%s', and not '%s'", m.name, incoming.Printable(prose.OneLine(m.have, 100)),
				incoming.Printable(prose.OneLine(m.want, 100)))
		}
	}
	if !have.Time.Equal(want.Time) {
		return fmt.Sprintf("its time is %s, and not %s", have.Time.UTC().Format("2006-01-02T15:04:05Z"),
			want.Time.UTC().Format("2006-01-02T15:04:05Z"))
	}
	return ""
}

// kept returns a text as JSON, which a note is, keeps it: a trailer may have bytes that are not UTF-8.
func kept(text string) string { return string([]rune(text)) }

// hasFact reports whether the readable part of a commit's note has its fact; true if part of it
// is unreadable.
func (v *memory) hasFact(id git.ID) bool {
	return v.unread[id] || slices.ContainsFunc(v.noted[id],
		func(f notes.Fact) bool { return f.Kind == notes.KindCommit })
}

// joinNotes unites an object's notes into one, and reports one without room for the others.
func (c *checker) joinNotes(ctx context.Context, object git.ID, paths []string) error {
	ses, err := c.s.Begin(ctx, c.w, "fsck: join notes")
	if err != nil {
		return err
	}
	defer ses.Close()
	full := false
	err = code.UpdateNotes(ctx, ses, "context: join the notes of "+object.Short(), func(u *notes.Update) error {
		err := u.Join(ctx, object, paths)
		full = u.Full[object]
		return err
	})
	if err == nil && full {
		c.reportFull(ctx, object, "its other note")
	}
	return err
}

// reportFull reports a note that has no room for some lines.
func (c *checker) reportFull(ctx context.Context, object git.ID, lines string) {
	c.report(ctx, nil, Problem{Kind: "note-full", Object: git.NotesRef,
		Message: fmt.Sprintf("the note of %s has no room for %s", object.Short(), lines),
		Repair:  "git notes --ref=context show " + string(object) + " shows what fills it; git context expunge --id ID forgets its commit with it"})
}

// noteAgain adds what a commit's trailers say to its note. The newer line is in force, even if
// a sync brings the old one again.
func noteAgain(ctx context.Context, s *store.Store, w store.Writer, id git.ID) error {
	m, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return err
	}
	ses, err := s.Begin(ctx, w, "fsck: note "+id.Short())
	if err != nil {
		return err
	}
	defer ses.Close()
	f := store.Fact(m)
	return code.UpdateNotes(ctx, ses, "context: note what "+id.Short()+" says", func(u *notes.Update) error {
		have, err := u.Note(ctx, id)
		if err != nil {
			return err
		}
		if err := notes.NewIDs(notes.Parse(have), f.ID, s.NewID).Give(&f); err != nil {
			return err
		}
		return addFact(ctx, u, id, f)
	})
}

func addFact(ctx context.Context, u *notes.Update, id git.ID, f notes.Fact) error {
	line, err := f.Line()
	if err != nil {
		return err
	}
	return u.Add(ctx, id, append(line, '\n'))
}
