package notes

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// How git itself merges notes: as sets of lines, which loses none.
const (
	// StrategyKey is git's setting for merging our notes.
	StrategyKey = "notes.context.mergeStrategy"
	// Strategy merges notes as sets of lines, which loses none.
	Strategy = "cat_sort_uniq"
)

// Unite adds every line of another repository's notes, given by their commit. It must be
// called once for an Update, after Add. The cases:
//
//  1. our notes have theirs in their history: nothing;
//  2. we have no notes, or theirs contain every line of ours: theirs;
//  3. theirs have ours in their history, and are different only in notes without room for both: nothing, see Behind;
//  4. otherwise a commit with both as parents.
//
// A note that would be too large stays as it is here, and is one of Full. Two notes of one object in theirs, which only a forger
// writes, are united too.
//
// The lines of both are in an order that does not depend on whose are ours: else two clones that unite the same notes at once would
// each make another merge, and merge these for ever.
//
// A line that theirs removed reappears, also if theirs have ours in their history: lines are a
// set, and absence never means deletion. The cost is linear in the differences, however many
// notes there are.
func (u *Update) Unite(ctx context.Context, theirs git.ID) error {
	c, err := u.repo.Commit(ctx, theirs)
	if err != nil {
		return fmt.Errorf("read notes %s: %w", theirs, err)
	}
	tree, err := u.single(ctx, c.Tree)
	if err != nil {
		return err
	}
	ahead := u.old == ""
	if u.old != "" {
		bases, err := u.repo.MergeBases(ctx, u.old, theirs)
		if err != nil {
			return err
		}
		if slices.Contains(bases, theirs) {
			return nil
		}
		ahead = slices.Contains(bases, u.old)
	}
	var missing map[git.ID][]byte
	if ahead && u.old != "" {
		if missing, err = lost(ctx, u.repo, u.old, theirs, nil); err != nil {
			return err
		}
	}
	if ahead && len(missing)+len(u.lost) == 0 && !u.changed() && tree == c.Tree {
		u.existing = theirs
		return nil
	}
	err = eachChanged(ctx, u.repo, u.tree, "", tree, func(path string, note git.ID) error {
		lines, err := u.repo.Blob(ctx, note)
		if err != nil {
			return err
		}
		object := ObjectAt(path)
		return u.orFull(object, u.join(ctx, object, lines, inOrder))
	})
	if err != nil {
		return err
	}
	if err := u.addLost(ctx); err != nil {
		return err
	}
	for object, lines := range missing {
		if !u.Full[object] {
			u.Kept += Lines(lines)
		}
	}
	if ahead && u.old != "" && len(u.Full) > 0 && u.Kept == 0 && !u.changed() {
		u.Behind = true
		return nil
	}
	made, err := u.write(ctx)
	if err != nil {
		return err
	}
	if made == c.Tree {
		u.existing = theirs
		return nil
	}
	u.theirs = append(u.theirs, theirs)
	return nil
}

// single returns a tree of theirs in which each object has one note, of those that are different here.
func (u *Update) single(ctx context.Context, theirs git.ID) (git.ID, error) {
	t := &Update{repo: u.repo, tree: u.repo.Edit(theirs), texts: map[string][]byte{}, Full: u.Full}
	err := eachChanged(ctx, u.repo, u.tree, "", theirs, func(path string, _ git.ID) error {
		object := ObjectAt(path)
		if !git.IsID(string(object)) {
			return nil
		}
		paths := []string{path}
		for _, place := range notePaths(object) {
			entry, ok, err := t.tree.Entry(ctx, place)
			if err != nil {
				return err
			}
			if ok && !entry.IsTree() && place != path {
				paths = append(paths, place)
			}
		}
		if len(paths) == 1 {
			return nil
		}
		return t.Join(ctx, object, paths)
	})
	if err != nil || !t.changed() {
		return theirs, err
	}
	return t.write(ctx)
}

// eachChanged calls visit for the notes below a directory of theirs that ours lacks or has
// with other content. These are few, however many notes there are.
func eachChanged(ctx context.Context, repo *git.Repo, ours *git.Edit, dir string, theirs git.ID,
	visit func(path string, note git.ID) error) error {
	list, err := repo.Tree(ctx, theirs)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := dir + e.Name
		have, ok, err := ours.Entry(ctx, path)
		if err != nil {
			return err
		}
		switch {
		case ok && have == e:
		case e.IsTree():
			err = eachChanged(ctx, repo, ours, path+"/", e.ID, visit)
		default:
			err = visit(path, e.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ObjectAt returns the object whose note is at a path, in any fan-out.
func ObjectAt(path string) git.ID { return git.ID(strings.ReplaceAll(path, "/", "")) }

// inOrder is the Union of two notes with the bytewise smaller one first; where we have none, theirs as it is.
func inOrder(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case bytes.Compare(a, b) <= 0:
		return Union(a, b)
	}
	return Union(b, a)
}
