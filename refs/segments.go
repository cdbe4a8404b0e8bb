package refs

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// segments is what a merge has to know of one directory of sealed segments.
//
// A segment of a merge base is immutable. Directories of the target that stand as
// in a base, and that the source does not have, are never opened: merging a
// branch back costs what the branch brings, however long the target is.
type segments struct {
	ours, theirs []doc.File        // to be read
	ids          map[string]git.ID // of theirs, by path
}

// diffSegments compares a directory ("log" or "commit") of both sides and the
// bases. Without bases everything that differs is read.
func (s *Store) diffSegments(ctx context.Context, dir string, ours, theirs *Tip, bases []*Tip) (*segments, error) {
	d := &segmentDiff{s: s, out: &segments{ids: map[string]git.ID{}}}
	ids := make([]git.ID, 2+len(bases))
	for i, t := range append([]*Tip{ours, theirs}, bases...) {
		var err error
		if ids[i], err = entryID(ctx, t, dir); err != nil {
			return nil, err
		}
	}
	return d.out, d.walk(ctx, dir, ids[0], ids[1], ids[2:])
}

func entryID(ctx context.Context, t *Tip, path string) (git.ID, error) {
	e, ok, err := t.entry(ctx, path)
	if err != nil || !ok {
		return "", err
	}
	if e.Mode != git.ModeTree {
		return "", fmt.Errorf("'%s' in branch '%s' is no directory", path, t.branch)
	}
	return e.ID, nil
}

type segmentDiff struct {
	s   *Store
	out *segments
}

// walk compares one directory:
//
//  1. the same on both sides: nothing to do;
//  2. only ours, as in a base: nothing to do;
//  3. otherwise its entries are compared one by one.
func (d *segmentDiff) walk(ctx context.Context, path string, ours, theirs git.ID, bases []git.ID) error {
	switch {
	case ours == theirs:
		return nil
	case theirs == "" && slices.Contains(bases, ours):
		return nil
	}
	o, err := d.read(ctx, ours)
	if err != nil {
		return err
	}
	t, err := d.read(ctx, theirs)
	if err != nil {
		return err
	}
	below := make([]map[string]git.TreeEntry, len(bases))
	for i, b := range bases {
		if below[i], err = d.read(ctx, b); err != nil {
			return err
		}
	}
	for name := range names(o, t) {
		var base []git.ID
		for _, b := range below {
			base = append(base, b[name].ID)
		}
		if err := d.entry(ctx, path+"/"+name, o[name], t[name], base); err != nil {
			return err
		}
	}
	return nil
}

func (d *segmentDiff) entry(ctx context.Context, path string, o, t git.TreeEntry, bases []git.ID) error {
	if o.Mode == git.ModeTree || t.Mode == git.ModeTree {
		return d.walk(ctx, path, o.ID, t.ID, bases)
	}
	switch {
	case o.ID == t.ID:
		return nil
	case t.ID == "" && slices.Contains(bases, o.ID):
		return nil
	}
	if o.ID != "" {
		data, err := d.s.repo.Blob(ctx, o.ID)
		if err != nil {
			return err
		}
		d.out.ours = append(d.out.ours, doc.File{Path: path, Data: data})
	}
	if t.ID != "" {
		data, err := d.s.repo.Blob(ctx, t.ID)
		if err != nil {
			return err
		}
		d.out.theirs = append(d.out.theirs, doc.File{Path: path, Data: data})
		d.out.ids[path] = t.ID
	}
	return nil
}

func (d *segmentDiff) read(ctx context.Context, tree git.ID) (map[string]git.TreeEntry, error) {
	if tree == "" {
		return nil, nil
	}
	list, err := d.s.repo.Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	m := make(map[string]git.TreeEntry, len(list))
	for _, e := range list {
		m[e.Name] = e
	}
	return m, nil
}

// names is every name of either directory.
func names(a, b map[string]git.TreeEntry) map[string]bool {
	all := make(map[string]bool, len(a)+len(b))
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}
