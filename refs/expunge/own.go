package expunge

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// OwnHits returns those of some tombstones that name what was written here: an entry or a text that a
// commit made here has, in a file or in its message, and no parent of it; and an entry that was judged
// here, because its notes go with it. It reads all that was ever written here.
func OwnHits(ctx context.Context, s *store.Store, e doc.Expunged) (doc.Expunged, error) {
	written, err := s.Written(ctx)
	if err != nil {
		return doc.Expunged{}, err
	}
	return HitsOf(ctx, s, e, slices.Sorted(maps.Keys(written)))
}

// HitsOf returns those of some tombstones that name an entry or a text that one of some commits has, and no
// parent of it. What is no commit, or not here, is left out: it was purged, or never got a ref.
func HitsOf(ctx context.Context, s *store.Store, e doc.Expunged, of []git.ID) (own doc.Expunged, err error) {
	here, err := s.Repo().CommitsHere(ctx, of)
	if err != nil {
		return own, err
	}
	commits := slices.DeleteFunc(slices.Clone(of), func(id git.ID) bool { return !here[id] })
	for chunk := range slices.Chunk(commits, incoming.ChunkSize) {
		hits, err := hitsOfWhole(ctx, s, e, chunk)
		if err != nil {
			return own, err
		}
		own = own.Union(hits)
	}
	return own, nil
}

// Purged reports whether an error says that a commit which was made here cannot be read, and no ref leads to it: it lost a race for its
// ref, and an expunge then purged its parent, or a part of its tree.
func Purged(ctx context.Context, s *store.Store, id git.ID, err error) bool {
	if err == nil || ctx.Err() != nil || !incoming.Unreadable(err) {
		return false
	}
	// for-each-ref --contains would read the commit.
	out, err := s.Repo().View(ctx, "rev-list", "--glob="+git.Root+"*", "--glob="+git.NotesRef+"*")
	return err == nil && !bytes.Contains(out, []byte(id))
}

// hitsOfWhole is hitsOf without commits that are purged.
func hitsOfWhole(ctx context.Context, s *store.Store, e doc.Expunged, commits []git.ID) (doc.Expunged, error) {
	own, err := hitsOf(ctx, s, e, commits)
	if err == nil || ctx.Err() != nil || !incoming.Unreadable(err) {
		return own, err
	}
	if len(commits) == 1 {
		if Purged(ctx, s, commits[0], err) {
			return doc.Expunged{}, nil
		}
		return own, err
	}
	half := len(commits) / 2
	own, err = hitsOfWhole(ctx, s, e, commits[:half])
	if err != nil {
		return own, err
	}
	more, err := hitsOfWhole(ctx, s, e, commits[half:])
	return own.Union(more), err
}

// IsFormOf reports whether a commit is what remains of another one without something that e names, all of which is in force
// there. The same person made both at the same time, which costs little to ask; then what only one of their histories has
// tells what was hidden, and rewriting tells for sure.
func IsFormOf(ctx context.Context, s *store.Store, e doc.Expunged, hidden, whole git.ID) (bool, error) {
	a, err := s.Repo().Commit(ctx, hidden)
	if err != nil {
		return false, err
	}
	b, err := s.Repo().Commit(ctx, whole)
	if err != nil {
		return false, err
	}
	if hidden == whole || !sameHand(a.Author, b.Author) || !sameHand(a.Committer, b.Committer) || len(a.Parents) != len(b.Parents) {
		return false, nil
	}
	of, ofRoadmap, err := beyond(ctx, s, whole, hidden)
	if err != nil {
		return false, err
	}
	not, notRoadmap, err := beyond(ctx, s, hidden, whole)
	if err != nil {
		return false, err
	}
	has, err := hitsBeyond(ctx, s, e, of, ofRoadmap, notRoadmap)
	if err != nil || has.Empty() {
		return false, err
	}
	stays, err := hitsBeyond(ctx, s, e, not, notRoadmap, ofRoadmap)
	if err != nil {
		return false, err
	}
	gone := has.Except(stays)
	if gone.Empty() {
		return false, nil
	}
	now, err := NewRewriter(s, gone).Rewrite(ctx, []git.ID{whole})
	return err == nil && now[whole] == hidden, err
}

func sameHand(a, b git.Signature) bool {
	return a.Name == b.Name && a.Email == b.Email && a.When.Equal(b.When)
}

// beyond returns the commits that one commit leads to and another one does not, and the commits of the roadmap that they name.
func beyond(ctx context.Context, s *store.Store, of, not git.ID) (list, roadmaps []git.ID, err error) {
	found, err := s.Repo().Beyond(ctx, []git.ID{of}, []git.ID{not})
	if err != nil {
		return nil, nil, err
	}
	list = slices.Sorted(maps.Keys(found))
	roadmaps, err = roadmapsOf(ctx, s, list)
	return list, roadmaps, err
}

// hitsBeyond returns what e names of some commits, and of what their commits of the roadmap lead to and others do not: a commit whose roadmap
// alone has something that is forgotten is rewritten, too.
func hitsBeyond(ctx context.Context, s *store.Store, e doc.Expunged, list, roadmaps, others []git.ID) (doc.Expunged, error) {
	found, err := s.Repo().Beyond(ctx, roadmaps, others)
	if err != nil {
		return doc.Expunged{}, err
	}
	return HitsOf(ctx, s, e, slices.Concat(list, slices.Sorted(maps.Keys(found))))
}

// OwnRefsHave reports whether our own refs lead to anything that some tombstones name.
func OwnRefsHave(ctx context.Context, s *store.Store, e doc.Expunged) (bool, error) {
	v, err := ListRefs(ctx, s)
	if err != nil {
		return false, err
	}
	w := NewRewriter(s, e)
	own := v.Own()
	now, err := w.Rewrite(ctx, UniqueIDs(own))
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(own, func(r git.Ref) bool { return now[r.ID] != r.ID }) {
		return true, nil
	}
	if v.Notes == "" {
		return false, nil
	}
	clean, err := w.CleanNotes(ctx, v.Notes, "")
	return clean != v.Notes, err
}

// CameBack lists the refs of our own that lead to what an expunge replaced and that tombstones still name, as after a
// forced fetch into them. It is one question about some hashes where no such commit is here.
func CameBack(ctx context.Context, s *store.Store, e doc.Expunged) ([]string, error) {
	old, err := oldHere(ctx, s, e)
	if err != nil || len(old) == 0 {
		return nil, err
	}
	args := []string{"for-each-ref", "--format=%(refname)"}
	for _, id := range old {
		args = append(args, "--contains="+string(id))
	}
	out, err := s.Repo().View(ctx, append(args, git.BranchPrefix, git.TagPrefix, git.DeletedPrefix, git.RoadmapRef)...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// mostOld bounds how many commits of our history are read because tombstones call them replaced: a few are, and a teammate
// can name thousands.
const mostOld = 256

// oldHere returns the replaced commits in our own history that brought something expunged into it. The others are
// part of history again, because somebody refused to forget them, or a teammate named them without a reason.
func oldHere(ctx context.Context, s *store.Store, e doc.Expunged) ([]git.ID, error) {
	var ids []git.ID
	for _, hash := range e.Commits() {
		if s.Repo().IsID(hash) {
			ids = append(ids, git.ID(hash))
		}
	}
	named, err := s.Repo().CommitsHere(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return nil, nil
	}
	v, err := ListRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	history, err := s.Repo().History(ctx, UniqueIDs(v.Own()))
	if err != nil {
		return nil, err
	}
	var ours, old []git.ID
	for _, c := range history {
		if named[c.ID] && len(ours) < mostOld {
			ours = append(ours, c.ID)
		}
	}
	if hits, err := HitsOf(ctx, s, e, ours); err != nil || hits.Empty() {
		return nil, err
	}
	for _, id := range ours {
		hits, err := HitsOf(ctx, s, e, []git.ID{id})
		if err != nil {
			return nil, err
		}
		if !hits.Empty() {
			old = append(old, id)
		}
	}
	return old, nil
}

// hitsOf is HitsOf for as many commits as are read at once.
func hitsOf(ctx context.Context, s *store.Store, e doc.Expunged, commits []git.ID) (doc.Expunged, error) {
	own, err := messageHits(ctx, s, e, commits)
	if err != nil {
		return own, err
	}
	var files []git.ChangedFile
	paths := places{}
	err = s.Repo().ChangedFiles(ctx, commits, func(f git.ChangedFile) error {
		files = append(files, f)
		for _, id := range append(slices.Clip(f.Old), f.New) {
			if id != "" {
				paths.add(id, f.Path)
			}
		}
		return nil
	})
	if err != nil {
		return own, err
	}
	hits := newFileHits(e)
	err = ReadObjects(ctx, s, slices.Sorted(maps.Keys(paths)), func(o git.Object) error {
		for _, path := range paths[o.ID] {
			hits.read(path, o)
		}
		return nil
	})
	if err != nil || len(hits.document)+len(hits.note) == 0 {
		return own, err
	}
	for len(files) > 0 {
		n := 1
		for n < len(files) && files[n].Commit == files[0].Commit {
			n++
		}
		var now, before doc.Expunged
		for _, f := range files[:n] {
			kind := placeKind(f.Path)
			now.Add(hits.document[dirKey{kind, f.New}])
			for _, id := range f.Old {
				before.Add(hits.document[dirKey{kind, id}])
			}
			if isNotePath(f.Path) {
				own.Add(hits.newLines(f))
			}
		}
		own.Add(now.Without(before))
		files = files[n:]
	}
	return own, nil
}

// messageHits returns the tombstones of texts in the messages of commits: their subjects and bodies are made of what was
// written, and trailers name the code that was handed over with it, and the keys that were removed.
func messageHits(ctx context.Context, s *store.Store, e doc.Expunged, commits []git.ID) (own doc.Expunged, err error) {
	if e.Texts() == 0 {
		return own, nil
	}
	for _, id := range commits {
		c, err := s.Repo().Commit(ctx, id)
		if err != nil {
			return own, err
		}
		subject, body, _ := c.Parts()
		own.Add(e.HitsText(subject + body))
		own.Add(e.HitsText(c.Trailer(store.TrailerWork)))
		for _, path := range c.Trailers(store.TrailerRemoves) {
			own.Add(e.HitsText(strings.Join(removedKeys(path), "\n")))
		}
	}
	return own, nil
}

// fileHits are the tombstones that act on files, by blob and kind.
type fileHits struct {
	of       doc.Expunged
	texts    doc.Expunged // those of texts and words among them
	document map[dirKey]doc.Expunged
	note     map[git.ID]noteLines
}

// noteLines are the tombstones that act on a note. Where it may go as a whole, each line is among those of texts, maybe with none.
type noteLines struct {
	whole doc.Expunged            // of entries that the note may be about
	texts map[string]doc.Expunged // by line
}

func newFileHits(e doc.Expunged) fileHits {
	return fileHits{of: e, texts: e.OnlyTexts(), document: map[dirKey]doc.Expunged{}, note: map[git.ID]noteLines{}}
}

// read looks at one file. What this version cannot parse is not what it wrote.
func (h *fileHits) read(path string, o git.Object) {
	if isNotePath(path) {
		if lines := noteHits(h.of, o.Data); len(lines.texts) > 0 {
			h.note[o.ID] = lines
		}
		return
	}
	if path == doc.ExpungedFile {
		return
	}
	hit, err := h.of.Hits(path, o.Data)
	if err != nil {
		return
	}
	if !h.texts.Empty() { // those of an entry that is removed act elsewhere, too
		more, err := h.texts.Hits(path, o.Data)
		if err != nil {
			return
		}
		hit.Add(more)
	}
	if !hit.Empty() {
		h.document[dirKey{placeKind(path), o.ID}] = hit
	}
}

// newLines returns the tombstones that act on the lines that a commit adds to a note.
func (h *fileHits) newLines(f git.ChangedFile) (own doc.Expunged) {
	adds := false
	for line, hit := range h.note[f.New].texts {
		if !slices.ContainsFunc(f.Old, func(id git.ID) bool { _, had := h.note[id].texts[line]; return had }) {
			own.Add(hit)
			adds = true
		}
	}
	if adds {
		own.Add(h.note[f.New].whole)
	}
	return own
}

// noteHits returns the tombstones that act on the lines of a note that no commit's trailers say.
func noteHits(e doc.Expunged, note []byte) noteLines {
	hits := noteLines{texts: map[string]doc.Expunged{}}
	facts := notes.Parse(note)
	for _, f := range facts {
		if f.Kind == notes.KindCommit && e.HasEntry(f.ID) { // it goes with its own one, and to ask too often does no harm
			hits.whole.Add(e.OnlyEntry(f.ID))
		}
	}
	for _, f := range facts {
		if f.Kind == notes.KindCommit || f.Kind == notes.KindLink {
			continue
		}
		var hit doc.Expunged
		mapNoteTexts(string(f.Raw), func(text string) string {
			hit.Add(e.HitsText(text))
			return text
		})
		if !hit.Empty() || !hits.whole.Empty() {
			hits.texts[string(f.Raw)] = hit
		}
	}
	return hits
}
