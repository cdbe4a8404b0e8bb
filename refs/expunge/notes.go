package expunge

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// RewriteNote returns an object's note without what was expunged, and the object that it
// belongs to now; nil if nothing of it is left:
//
//  1. the note of a commit whose entry was removed is gone; where that commit is not here, a note that is about removed entries
//     alone;
//  2. lines about such an entry (its facts, links, and the lines beside them for people) are gone;
//  3. hashes of replaced commits become the new hashes;
//  4. texts are redacted, in JSON and in lines that other programs wrote; in a note that would be too large then, with the short mark,
//     and if even that is too large, without the lines that would grow.
//
// A note in which nothing changes keeps its bytes. Only commits that were rewritten before have
// a known replacement.
func (w *Rewriter) RewriteNote(object git.ID, note []byte) (git.ID, []byte) {
	facts := notes.Parse(note)
	if w.gone[object] || w.commits[object] == "" && isOfRemoved(w.e, facts) {
		return w.now(object), nil
	}
	out := w.noteLines(w.e, note, false)
	if !notes.Fits(out) {
		out = w.noteLines(w.e.WithShortMark(), note, false)
	}
	if !notes.Fits(out) {
		out = w.noteLines(w.e.WithShortMark(), note, true)
	}
	if len(bytes.TrimSpace(out)) == 0 && len(bytes.TrimSpace(note)) > 0 {
		out = nil
	}
	return w.now(object), out
}

// noteLines rewrites the lines of a note; bare leaves out those that would grow.
func (w *Rewriter) noteLines(e doc.Expunged, note []byte, bare bool) (out []byte) {
	for line := range bytes.Lines(note) {
		text, end := bytes.CutSuffix(line, []byte("\n"))
		now, kept := w.noteLine(e, string(text))
		if !kept || bare && len(now) > len(text) {
			continue
		}
		out = append(out, now...)
		if end {
			out = append(out, '\n')
		}
	}
	return out
}

// now returns the replacement of a commit, and any other object itself.
func (w *Rewriter) now(id git.ID) git.ID {
	if now := w.commits[id]; now != "" {
		return now
	}
	return id
}

// isOfRemoved reports whether a note is about removed entries alone. Anybody can add a line that names an entry to any note, also to that
// of a code commit, which has links.
func isOfRemoved(e doc.Expunged, facts []notes.Fact) (removed bool) {
	for _, f := range facts {
		switch {
		case f.Kind == notes.KindLink, f.Kind == notes.KindCommit && !e.HasEntry(f.ID):
			return false
		case f.Kind == notes.KindCommit:
			removed = true
		}
	}
	return removed
}

// noteLine rewrites a line of a note, or reports false if the line is removed.
func (w *Rewriter) noteLine(e doc.Expunged, line string) (string, bool) {
	for _, f := range notes.Parse([]byte(line)) {
		if f.Kind == notes.KindLink && (w.e.HasEntry(f.CommitID) || w.gone[f.Memory]) || f.Kind == notes.KindCommit && w.e.HasEntry(f.ID) {
			return "", false
		}
	}
	if rest, ok := strings.CutPrefix(line, store.LinkWord); ok {
		if id, _, _ := strings.Cut(rest, " "); w.e.HasEntry(id) {
			return "", false
		}
	}
	if strings.HasPrefix(strings.TrimSpace(line), "{") {
		return mapNoteTexts(line, func(s string) string { return w.textBy(e, s) }), true
	}
	return e.RedactText(line), true
}

// text redacts a string of JSON and replaces the hash of a rewritten commit.
func (w *Rewriter) text(s string) string { return w.textBy(w.e, s) }

func (w *Rewriter) textBy(e doc.Expunged, s string) string {
	if git.IsID(s) {
		return string(w.now(git.ID(s)))
	}
	return e.RedactText(s)
}

// forgetNotes makes a commit of the notes without what was expunged and queues the ref. The new
// commit has no parents, because the old ones contain removed text. It does nothing if neither
// the notes nor their history change. It returns how many notes changed and the old commits.
// The caller has the notes lock.
func forgetNotes(ctx context.Context, ses *store.Transaction, w *Rewriter) (changed int, old []git.ID, err error) {
	tip, err := ses.Store.NotesTip(ctx)
	if err != nil || tip == "" {
		return 0, nil, err
	}
	clean, err := w.notesTree(ctx, tip)
	if err != nil {
		return 0, nil, err
	}
	history, err := ses.Store.Repo().History(ctx, []git.ID{tip})
	if err != nil {
		return 0, nil, err
	}
	cut, err := ses.Store.Cut(ctx, string(tip))
	if err != nil {
		return 0, nil, err
	}
	if clean.changed == 0 && !cut { // what is beyond the edge cannot be read
		if dirty, err := w.dirtyNotes(ctx, tip); err != nil || !dirty {
			return 0, nil, err
		}
	}
	for _, c := range history {
		old = append(old, c.ID)
	}
	switch root, err := w.notesRoot(ctx, tip, clean.tree); {
	case err != nil:
		return 0, nil, err
	case root == "":
		ses.Refs.Delete(git.NotesRef, tip)
	default:
		ses.Refs.Update(git.NotesRef, root, tip)
	}
	return clean.changed, old, nil
}

// notesRoot makes the commit that replaces a commit of the notes, without parents; "" if no
// note is left. It keeps author, committer and dates, so that clones with equal notes get equal
// commits.
func (w *Rewriter) notesRoot(ctx context.Context, old git.ID, tree *git.Edit) (git.ID, error) {
	left, err := tree.List(ctx, "")
	if err != nil || len(left) == 0 {
		return "", err
	}
	c, err := w.s.Repo().Commit(ctx, old)
	if err != nil {
		return "", err
	}
	root := git.Commit{Author: c.Author, Committer: c.Committer, Message: "context: expunge\n"}
	if root.Tree, err = tree.Write(ctx); err != nil {
		return "", err
	}
	return w.s.Repo().WriteCommit(ctx, &root)
}

// cleanNotes are the notes without what was expunged.
type cleanNotes struct {
	tree    *git.Edit
	changed int             // how many notes are not as they were
	stay    map[git.ID]bool // the replaced commits that keep lines for which the note of the new one has no room
}

// notesTree cleans the notes of a commit.
func (w *Rewriter) notesTree(ctx context.Context, tip git.ID) (*cleanNotes, error) {
	c, err := w.s.Repo().Commit(ctx, tip)
	if err != nil {
		return nil, err
	}
	clean := &cleanNotes{tree: w.s.Repo().Edit(c.Tree), stay: map[git.ID]bool{}}
	type cleaned struct {
		path, to string
		object   git.ID
		was, now []byte
	}
	var here, moved []cleaned
	err = w.eachNote(ctx, "", c.Tree, func(path string, object, blob git.ID) error {
		note, err := w.s.Repo().Blob(ctx, blob)
		if err != nil {
			return err
		}
		now, text := w.RewriteNote(object, note)
		if now == object && bytes.Equal(text, note) {
			return nil
		}
		switch m := (cleaned{path, notePath(now), object, note, text}); {
		case text == nil:
			clean.changed++
		case now == object:
			here = append(here, m)
		default:
			moved = append(moved, m)
		}
		return clean.tree.Remove(ctx, path)
	})
	for _, m := range append(here, moved...) { // those that others join come first
		if err != nil {
			break
		}
		var rest []byte
		if rest, err = w.joinNote(ctx, clean.tree, m.to, m.now); err != nil {
			break
		}
		if !bytes.Equal(rest, m.was) {
			clean.changed++
		}
		if rest != nil {
			clean.stay[m.object] = true
			_, err = w.addNote(ctx, clean.tree, m.path, rest)
		}
	}
	return clean, err
}

// notePath returns the path at which package notes writes the note of an object.
func notePath(object git.ID) string { return string(object[:2]) + "/" + string(object[2:]) }

// joinNote adds a note to the one at a path: two commits may have become one. If both are too large for one note, it adds the facts, for which
// other lines there make room, or nothing if even these are too many, and returns the rest.
func (w *Rewriter) joinNote(ctx context.Context, tree *git.Edit, path string, note []byte) (rest []byte, err error) {
	if ok, err := w.addNote(ctx, tree, path, note); ok || err != nil {
		return nil, err
	}
	facts, others := splitFacts(note)
	if ok, err := w.addNote(ctx, tree, path, facts); err != nil {
		return nil, err
	} else if ok {
		return others, nil
	}
	e, _, err := tree.Entry(ctx, path)
	if err != nil {
		return nil, err
	}
	have, err := w.s.Repo().Blob(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	there, noise := splitFacts(have)
	all := notes.Union(there, facts)
	if !notes.Fits(all) {
		return note, nil
	}
	if n := len(all); n > 0 && all[n-1] != '\n' {
		all = append(all, '\n')
	}
	kept, left := cutLines(noise, notes.MostLines-notes.RoomLines-notes.Lines(all), notes.MostBytes-notes.RoomBytes-len(all))
	if err := w.putNote(ctx, tree, path, append(all, kept...)); err != nil {
		return nil, err
	}
	rest, _ = cutLines(notes.Union(others, left), notes.MostLines, notes.MostBytes)
	return rest, nil
}

// splitFacts separates the facts of a note from its other lines.
func splitFacts(note []byte) (facts, others []byte) {
	for line := range bytes.Lines(note) {
		if len(notes.Parse(line)) > 0 {
			facts = append(facts, line...)
		} else {
			others = append(others, line...)
		}
	}
	return facts, others
}

// cutLines returns the first of some lines, and those for which there is no room.
func cutLines(text []byte, lines, size int) (kept, left []byte) {
	for line := range bytes.Lines(text) {
		if lines--; lines < 0 || len(kept)+len(line) > size {
			return kept, text[len(kept):]
		}
		kept = text[:len(kept)+len(line)]
	}
	return kept, nil
}

// addNote puts a note into a tree, united with the note that is there; false if that has no room.
func (w *Rewriter) addNote(ctx context.Context, tree *git.Edit, path string, note []byte) (bool, error) {
	e, ok, err := tree.Entry(ctx, path)
	if err != nil {
		return false, err
	}
	if ok {
		have, err := w.s.Repo().Blob(ctx, e.ID)
		if err != nil {
			return false, err
		}
		if note = notes.Union(have, note); !notes.Fits(note) && !bytes.Equal(note, have) {
			return false, nil
		}
	}
	return true, w.putNote(ctx, tree, path, note)
}

func (w *Rewriter) putNote(ctx context.Context, tree *git.Edit, path string, note []byte) error {
	id, err := w.s.Repo().WriteBlob(ctx, note)
	if err != nil {
		return err
	}
	return tree.Put(ctx, path, id)
}

// eachNote visits the notes below a folder of their tree, in any fan-out. It skips other files.
func (w *Rewriter) eachNote(ctx context.Context, dir string, tree git.ID,
	visit func(path string, object, blob git.ID) error) error {
	list, err := w.s.Repo().Tree(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := incoming.JoinPath(dir, e.Name)
		object := notes.ObjectAt(path)
		switch {
		case e.IsTree():
			err = w.eachNote(ctx, path, e.ID, visit)
		case git.IsID(string(object)):
			err = visit(path, object, e.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dirtyNotes reports whether any note in the history of the notes would change.
func (w *Rewriter) dirtyNotes(ctx context.Context, tip git.ID) (bool, error) {
	return w.dirtySince(ctx, tip, "")
}

// dirtySince is dirtyNotes for what theirs contains and ours does not; ours may be "".
func (w *Rewriter) dirtySince(ctx context.Context, theirs, ours git.ID) (bool, error) {
	var not []git.ID
	if ours != "" {
		not = append(not, ours)
	}
	list, err := w.s.Repo().Objects(ctx, []git.ID{theirs}, not)
	if err != nil {
		return false, err
	}
	moved, err := w.movedAmong(ctx, list)
	if errors.Is(err, errDirty) {
		return true, nil
	}
	if err != nil || len(moved) == 0 {
		return false, err
	}
	clean, err := w.notesTree(ctx, theirs)
	if err != nil || clean.changed > 0 {
		return err == nil, err
	}
	return slices.ContainsFunc(moved, func(id git.ID) bool { return !clean.stay[id] }), nil
}

// movedAmong lists the commits that have a note among some objects and were replaced. errDirty: the text of one would change.
func (w *Rewriter) movedAmong(ctx context.Context, list []git.NamedObject) (moved []git.ID, err error) {
	paths := map[git.ID]git.ID{}
	var ids []git.ID
	for _, o := range list {
		if object := notes.ObjectAt(o.Path); git.IsID(string(object)) {
			paths[o.ID] = object
			ids = append(ids, o.ID)
		}
	}
	err = w.s.Repo().ReadAll(ctx, ids, func(o git.Object) error {
		if o.Type != "blob" {
			return nil
		}
		now, text := w.RewriteNote(paths[o.ID], o.Data)
		if !bytes.Equal(text, o.Data) {
			return errDirty
		}
		if now != paths[o.ID] {
			moved = append(moved, paths[o.ID])
		}
		return nil
	})
	return moved, err
}

// errDirty ends the search for something to expunge.
var errDirty = errors.New("to be expunged")

// CleanNotes returns a commit of the notes without what was expunged: theirs itself if neither
// it nor its history beyond ours contains any, else a commit without history; "" if no note is
// left. Equal input gives an equal commit.
func (w *Rewriter) CleanNotes(ctx context.Context, theirs, ours git.ID) (git.ID, error) {
	dirty, err := w.dirtySince(ctx, theirs, ours)
	if err != nil || !dirty {
		return theirs, err
	}
	clean, err := w.notesTree(ctx, theirs)
	if err != nil {
		return "", err
	}
	return w.notesRoot(ctx, theirs, clean.tree)
}

// NotedSince returns a commit of the notes, without history, in which the commits that come back have what was noted since of those
// that hidden made of them; "" if that is nothing. Both have rewritten the commits.
func (w *Rewriter) NotedSince(ctx context.Context, hidden *Rewriter) (git.ID, error) {
	tip, err := w.s.NotesTip(ctx)
	if err != nil || tip == "" {
		return "", err
	}
	noted, err := notes.Open(ctx, w.s.Repo())
	if err != nil {
		return "", err
	}
	tree := w.s.Repo().Edit(w.s.Repo().EmptyTree())
	for id, back := range w.commits {
		if hidden.now(id) == back {
			continue
		}
		note, err := noted.Read(ctx, hidden.now(id))
		if err == nil && note != nil {
			_, err = w.joinNote(ctx, tree, notePath(back), note)
		}
		if err != nil {
			return "", err
		}
	}
	return w.notesRoot(ctx, tip, tree)
}

// CleanLines leaves out the lines of notes, by object, of which something was expunged.
func (w *Rewriter) CleanLines(lines map[git.ID][]byte) map[git.ID][]byte {
	clean := map[git.ID][]byte{}
	for object, text := range lines {
		if _, now := w.RewriteNote(object, text); bytes.Equal(now, text) {
			clean[object] = text
		}
	}
	return clean
}
