package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// CommitPath is a file or a folder of a commit, with slashes and relative to its root.
type CommitPath struct {
	Commit ID
	Path   string
}

// looseTrees is how many commits and trees Paths reads in process: about as many as
// take the time in which a child starts.
const looseTrees = 32

// Paths finds the entry of a tree at each of some paths, "." for the root. One at which
// nothing stands, or of what is no commit or does not exist, is not in the answer.
//
// A few that are loose objects are read in process, all others are asked for in one go. Only
// commits and trees are read: so a clone without its blobs fetches none.
func (r *Repo) Paths(ctx context.Context, paths []CommitPath) (map[CommitPath]TreeEntry, error) {
	var revs []string
	wanted := map[string][]CommitPath{} // by the folder that they stand in
	found := make(map[CommitPath]TreeEntry, len(paths))
	near := looseFolders{r: r, left: looseTrees, read: map[CommitPath]*folder{}}
	for _, p := range paths {
		if !isHex(string(p.Commit), r.hexLen()) {
			return nil, fmt.Errorf("'%s' is no object id", shown(string(p.Commit)))
		}
		if !fs.ValidPath(p.Path) || strings.ContainsAny(p.Path, "\n\x00") {
			continue // no path of a tree; git would read "../" relative to a folder
		}
		dir := CommitPath{p.Commit, path.Dir(p.Path)}
		in, err := near.folder(dir)
		if err == nil {
			in.pick(p, found)
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		rev := dir.rev()
		if wanted[rev] == nil {
			revs = append(revs, rev)
		}
		wanted[rev] = append(wanted[rev], p)
	}
	err := r.cat.many(ctx, "contents", revs, func(s *session, rev string) error {
		o, err := readAnswer(s.out, rev, r.hexLen(), true)
		if errors.Is(err, ErrNotFound) || err == nil && o.Type != "tree" {
			return nil
		}
		if err != nil {
			return err
		}
		in, err := r.folderFrom(o)
		for _, p := range wanted[rev] {
			in.pick(p, found)
		}
		return err
	})
	return found, err
}

// rev names a folder of a commit to git, and nothing where it is of another object.
func (p CommitPath) rev() string {
	if p.Path == "." {
		return string(p.Commit) + "^{commit}:"
	}
	return string(p.Commit) + "^{commit}:" + p.Path
}

// folder is a tree by the names of its entries; nil is one that is not there.
type folder struct {
	id     ID
	byName map[string]TreeEntry
}

func (r *Repo) folderFrom(o Object) (*folder, error) {
	entries, err := ParseTree(o.Data, r.hexLen()/2)
	if err != nil {
		return nil, fmt.Errorf("object '%s': %w", o.ID, err)
	}
	f := &folder{id: o.ID, byName: make(map[string]TreeEntry, len(entries))}
	for _, e := range entries {
		f.byName[e.Name] = e
	}
	return f, nil
}

// pick finds a path in the folder that it stands in.
func (f *folder) pick(p CommitPath, found map[CommitPath]TreeEntry) {
	if f == nil {
		return
	}
	if p.Path == "." {
		found[p] = TreeEntry{Mode: ModeTree, Name: ".", ID: f.id}
	} else if e, ok := f.byName[path.Base(p.Path)]; ok {
		found[p] = e
	}
}

// looseFolders reads folders of commits from loose objects.
type looseFolders struct {
	r    *Repo
	left int // how many objects it may read yet
	read map[CommitPath]*folder
}

// folder reads a folder, those above it first: nil where nothing stands there, and
// fs.ErrNotExist where only git can say.
func (l *looseFolders) folder(at CommitPath) (*folder, error) {
	if f, ok := l.read[at]; ok {
		return f, nil
	}
	tree, err := l.tree(at)
	if err != nil {
		return nil, err
	}
	var f *folder
	switch tree {
	case "":
	case l.r.EmptyTree(): // git knows it without its being stored
		f = &folder{id: tree}
	default:
		o, err := l.object(tree)
		if err != nil {
			return nil, err
		}
		if f, err = l.r.folderFrom(o); err != nil {
			return nil, err
		}
	}
	l.read[at] = f
	return f, nil
}

// tree is the id of a folder, "" where nothing stands there or something else.
func (l *looseFolders) tree(at CommitPath) (ID, error) {
	if at.Path == "." {
		o, err := l.object(at.Commit)
		if err != nil || o.Type != "commit" {
			return "", err
		}
		c, err := ParseCommit(o.ID, o.Data)
		if err != nil {
			return "", err
		}
		return c.Tree, nil
	}
	above, err := l.folder(CommitPath{at.Commit, path.Dir(at.Path)})
	if err != nil || above == nil {
		return "", err
	}
	if e := above.byName[path.Base(at.Path)]; e.IsTree() {
		return e.ID, nil
	}
	return "", nil
}

func (l *looseFolders) object(id ID) (Object, error) {
	if l.left--; l.left < 0 {
		return Object{}, fs.ErrNotExist
	}
	return l.r.loose(id)
}
