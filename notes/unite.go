package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// Unite adds every line of another repository's notes, given by their commit. It must be
// called once for an Update, after Add. The cases:
//
//  1. our notes have theirs in their history: nothing;
//  2. we have no notes, theirs have ours in their history, or theirs contain every line of
//     ours: theirs;
//  3. otherwise a commit with both as parents.
//
// In the third case a line that one side removed reappears, because lines are a set. The
// cost is linear in the differences, however many notes there are.
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
	if ahead && !u.changed() {
		u.have = theirs
		return nil
	}
	if err := u.unite(ctx, "", c.Tree); err != nil {
		return err
	}
	tree, err := u.write(ctx)
	if err != nil {
		return err
	}
	if tree == c.Tree {
		u.have = theirs
		return nil
	}
	u.theirs = append(u.theirs, theirs)
	return nil
}

// unite visits the entries of a directory of theirs that differ from ours.
func (u *Update) unite(ctx context.Context, dir string, theirs git.ID) error {
	list, err := u.repo.Tree(ctx, theirs)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := dir + e.Name
		ours, ok, err := u.tree.Entry(ctx, path)
		if err != nil {
			return err
		}
		switch {
		case ok && ours == e:
			continue
		case e.Mode == git.ModeTree:
			err = u.unite(ctx, path+"/", e.ID)
		default:
			err = u.addBlob(ctx, git.ID(strings.ReplaceAll(path, "/", "")), e.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *Update) addBlob(ctx context.Context, object, note git.ID) error {
	lines, err := u.repo.Blob(ctx, note)
	if err != nil {
		return err
	}
	return u.Add(ctx, object, lines)
}
