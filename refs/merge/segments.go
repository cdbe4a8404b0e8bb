package merge

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// segments is what differs in one directory of sealed segments between the two
// sides of a merge.
type segments struct {
	Ours, theirs []doc.File        // as far as they were read
	ids          map[string]git.ID // of theirs, by path
	both         []string          // paths that exist on both sides, with two contents
}

// DiffSegments compares a directory ("log" or "commit") of both sides. What
// is the same on both is left out, as is what the source has as in base, the
// tree that a directory of that name has there. Ours are only read if whole.
func DiffSegments(ctx context.Context, s *store.Store, dir string, ours, theirs, base *store.Tip, whole bool) (*segments, error) {
	d := &segmentDiff{s: s, whole: whole, out: &segments{ids: map[string]git.ID{}}}
	var ids [3]git.ID
	for i, t := range []*store.Tip{ours, theirs, base} {
		if t == nil {
			continue
		}
		var err error
		if ids[i], err = entryID(ctx, t, dir); err != nil {
			return nil, err
		}
	}
	return d.out, d.walk(ctx, dir, ids[0], ids[1], ids[2])
}

func entryID(ctx context.Context, t *store.Tip, path string) (git.ID, error) {
	e, ok, err := t.Entry(ctx, path)
	if err != nil || !ok {
		return "", err
	}
	if e.Mode != git.ModeTree {
		return "", fmt.Errorf("'%s' in branch '%s' is no directory", path, t.Name())
	}
	return e.ID, nil
}

type segmentDiff struct {
	s     *store.Store
	whole bool
	out   *segments
}

// walk compares one directory. Whole directories that need not be read are not
// opened: a merge costs what is new, however long the two sides are.
func (d *segmentDiff) walk(ctx context.Context, path string, ours, theirs, base git.ID) error {
	if ours == theirs || !d.whole && (theirs == "" || theirs == base) {
		return nil
	}
	var trees [3]map[string]git.TreeEntry
	for i, id := range []git.ID{ours, theirs, base} {
		var err error
		if trees[i], err = d.read(ctx, id); err != nil {
			return err
		}
	}
	for name := range names(trees[0], trees[1]) {
		if err := d.entry(ctx, path+"/"+name, trees[0][name], trees[1][name], trees[2][name]); err != nil {
			return err
		}
	}
	return nil
}

func (d *segmentDiff) entry(ctx context.Context, path string, o, t, b git.TreeEntry) error {
	if o.Mode == git.ModeTree || t.Mode == git.ModeTree {
		return d.walk(ctx, path, o.ID, t.ID, b.ID)
	}
	if o.ID == t.ID || !d.whole && (t.ID == "" || t.ID == b.ID) {
		return nil
	}
	if o.ID != "" && t.ID != "" {
		d.out.both = append(d.out.both, path)
	}
	if d.whole && o.ID != "" {
		data, err := d.s.Repo().Blob(ctx, o.ID)
		if err != nil {
			return err
		}
		d.out.Ours = append(d.out.Ours, doc.File{Path: path, Data: data})
	}
	if t.ID == "" {
		return nil
	}
	data, err := d.s.Repo().Blob(ctx, t.ID)
	d.out.theirs = append(d.out.theirs, doc.File{Path: path, Data: data})
	d.out.ids[path] = t.ID
	return err
}

func (d *segmentDiff) read(ctx context.Context, tree git.ID) (map[string]git.TreeEntry, error) {
	if tree == "" {
		return nil, nil
	}
	list, err := d.s.Repo().Tree(ctx, tree)
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
