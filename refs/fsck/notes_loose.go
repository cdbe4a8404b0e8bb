package fsck

import (
	"bytes"
	"context"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
)

// mostLoose limits how many files that nothing leads to are read.
const mostLoose = 10_000

// looseNotes is what is here of lost notes though nothing leads to it.
type looseNotes struct {
	c       *checker
	u       *notes.Update       // of the former notes, without what is added
	objects map[string]git.ID   // with notes, or commits of memory, by the ends of their ids; "" for an end of two
	byLine  map[string][]git.ID // objects by the first line of their notes
	named   map[git.ID]bool     // files that trees of notes name
	found   map[git.ID][]byte   // by object
	trees   map[git.ID][]git.ID // the files of an object, by trees that nothing leads to
	blobs   []git.ID            // that nothing leads to
}

// addLooseNotes adds to notes that were set back what is here of the lost ones though nothing leads to it: a note that has all lines of the
// former one and more. Only an expunge removes lines of notes, see [checker.lostLinesOf].
func (c *checker) addLooseNotes(ctx context.Context, u *notes.Update, gone doc.Expunged) error {
	if c.whole(ctx, c.notesWere) {
		return nil
	}
	l := &looseNotes{c: c, u: u, objects: map[string]git.ID{}, byLine: map[string][]git.ID{}, named: map[git.ID]bool{},
		found: map[git.ID][]byte{}, trees: map[git.ID][]git.ID{}}
	if err := l.readObjects(ctx); err != nil {
		return err
	}
	if err := l.read(ctx); err != nil {
		return err
	}
	if err := l.find(ctx); err != nil {
		return err
	}
	if !gone.Empty() {
		l.found = expunge.NewRewriter(c.s, gone).CleanLines(l.found)
	}
	for object, text := range l.found {
		if err := u.TryAdd(ctx, object, text); err != nil {
			return err
		}
	}
	return nil
}

// readObjects lists what may have notes: what has some, and the commits of memory.
func (l *looseNotes) readObjects(ctx context.Context) error {
	list, err := l.u.Objects(ctx)
	if err != nil {
		return err
	}
	for _, object := range list {
		note, err := l.u.Note(ctx, object)
		if err != nil {
			return err
		}
		if first, _, ok := bytes.Cut(note, []byte("\n")); ok && len(notes.Parse(note)) > 0 { // another text may begin any file
			l.byLine[string(first)] = append(l.byLine[string(first)], object)
		}
	}
	refs, err := l.c.s.Repo().Refs(ctx, git.BranchPrefix, git.TagPrefix, git.DeletedPrefix)
	if err != nil {
		return err
	}
	for _, r := range refs {
		commits, err := l.c.s.Repo().History(ctx, []git.ID{r.ID})
		if git.ExitCode(err) > 0 { // it has a hole
			continue
		}
		if err != nil {
			return err
		}
		for _, n := range commits {
			list = append(list, n.ID)
		}
	}
	slices.Sort(list)
	twice := map[string]bool{}
	for _, id := range slices.Compact(list) {
		for _, cut := range []int{0, 2, 4} { // notes are in folders by the first digits
			if end := string(id[cut:]); l.objects[end] == "" && !twice[end] {
				l.objects[end] = id
			} else {
				l.objects[end], twice[end] = "", true
			}
		}
	}
	return nil
}

// read lists the files that nothing leads to, by the objects that trees give them to.
func (l *looseNotes) read(ctx context.Context) error {
	repo := l.c.s.Repo()
	infos, err := repo.UnreachableInfos(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		switch info.Type {
		case "blob":
			if len(l.blobs) < mostLoose {
				l.blobs = append(l.blobs, info.ID)
			}
		case "tree":
			list, err := repo.Tree(ctx, info.ID)
			if err != nil {
				continue // it is damaged, which git fsck says
			}
			for _, e := range list {
				if object := l.objects[e.Name]; object != "" && !e.IsTree() && !l.named[e.ID] {
					l.trees[object] = append(l.trees[object], e.ID)
					l.named[e.ID] = true
				}
			}
		}
	}
	return ctx.Err()
}

// find reads the notes that have all lines of the former ones and more.
func (l *looseNotes) find(ctx context.Context) error {
	for object, blobs := range l.trees {
		for _, blob := range blobs {
			if text, err := l.c.s.Repo().Blob(ctx, blob); err == nil { // it may be lost, too
				if err := l.add(ctx, object, text); err != nil {
					return err
				}
			}
		}
	}
	for _, blob := range l.blobs {
		if l.named[blob] {
			continue
		}
		text, err := l.c.s.Repo().Blob(ctx, blob)
		if err != nil { // as above
			continue
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		if of := l.byLine[string(first)]; len(of) == 1 {
			if err := l.add(ctx, of[0], text); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (l *looseNotes) add(ctx context.Context, object git.ID, text []byte) error {
	have, err := l.u.Note(ctx, object)
	if err == nil && bytes.Equal(notes.Union(text, have), notes.Union(text, nil)) {
		l.found[object] = notes.Union(l.found[object], text)
	}
	return err
}
