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
// A note that would be too large stays as it is here, and is one of Full.
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
	if ahead && len(missing)+len(u.lost) == 0 && !u.changed() {
		u.existing = theirs
		return nil
	}
	err = eachChanged(ctx, u.repo, u.tree, "", c.Tree, func(object, note git.ID) error {
		lines, err := u.repo.Blob(ctx, note)
		if err != nil {
			return err
		}
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
	tree, err := u.write(ctx)
	if err != nil {
		return err
	}
	if tree == c.Tree {
		u.existing = theirs
		return nil
	}
	u.theirs = append(u.theirs, theirs)
	return nil
}

// eachChanged calls visit for the notes below a directory of theirs that ours lacks or has
// with other content. These are few, however many notes there are.
func eachChanged(ctx context.Context, repo *git.Repo, ours *git.Edit, dir string, theirs git.ID,
	visit func(object, note git.ID) error) error {
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
			err = visit(git.ID(strings.ReplaceAll(path, "/", "")), e.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

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
