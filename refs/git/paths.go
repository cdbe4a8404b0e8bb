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

// Paths finds the entries of trees at some paths, "." for the root. A path that does not
// exist, or whose commit is no commit or does not exist, is not in the answer. A path of which
// nothing is known, because a tree that leads to it is not here, has an entry without an ID.
//
// A few that are loose objects are read in process, all others are asked for in one go.
// Only commits and trees are read, so that a clone without its blobs fetches none.
func (r *Repo) Paths(ctx context.Context, paths []CommitPath) (map[CommitPath]TreeEntry, error) {
	var revs []string
	wanted := map[string][]CommitPath{} // by the folder that contains them
	found := make(map[CommitPath]TreeEntry, len(paths))
	near := looseFolders{r: r, left: looseTrees, read: map[CommitPath]*folder{}}
	for _, p := range paths {
		if !r.IsID(string(p.Commit)) {
			return nil, fmt.Errorf("'%s' is no object id", Shown(string(p.Commit)))
		}
		if !fs.ValidPath(p.Path) || strings.ContainsAny(p.Path, "\n\x00") {
			continue // no path of a tree; git would read "../" relative to a folder
		}
		dir := p.folder()
		in, err := near.folder(ctx, dir)
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
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		var in *folder
		if o.Type == "tree" {
			if in, err = r.folderFrom(o); err != nil {
				return err
			}
		}
		near.read[wanted[rev][0].folder()] = in
		for _, p := range wanted[rev] {
			in.pick(p, found)
		}
		delete(wanted, rev)
		return nil
	})
	if err != nil && !NotHere(err) {
		return nil, err
	}
	return found, near.rest(ctx, wanted, found, err != nil)
}

// rest finds the paths of folders of which git said that they do not exist, which it also says where a tree above
// them is not here, and after died those that it did not answer: a git before 2.45 ends at such a tree.
func (l *looseFolders) rest(ctx context.Context, wanted map[string][]CommitPath, found map[CommitPath]TreeEntry, died bool) error {
	if died {
		var commits []ID
		for _, paths := range wanted {
			commits = append(commits, paths[0].Commit)
		}
		var err error
		l.lost, err = l.r.notHere(ctx, commits, "--no-walk=unsorted", "--ignore-missing", "--filter=blob:none")
		if err != nil {
			return err
		}
	}
	l.packed = true
	for _, paths := range wanted {
		in, err := l.folder(ctx, paths[0].folder())
		if err != nil {
			return err
		}
		for _, p := range paths {
			in.pick(p, found)
		}
	}
	return nil
}

// folder is the folder that contains a path.
func (p CommitPath) folder() CommitPath { return CommitPath{p.Commit, path.Dir(p.Path)} }

// rev names a folder of a commit to git, and nothing where it is of another object.
func (p CommitPath) rev() string {
	if p.Path == "." {
		return string(p.Commit) + "^{commit}:"
	}
	return string(p.Commit) + "^{commit}:" + p.Path
}

// folder is a tree by the names of its entries; nil is one that does not exist.
type folder struct {
	id     ID
	byName map[string]TreeEntry // nil: the tree, or one above it, is not here
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

// pick finds a path in the folder that contains it.
func (f *folder) pick(p CommitPath, found map[CommitPath]TreeEntry) {
	if f == nil {
		return
	}
	if f.byName == nil {
		found[p] = TreeEntry{Name: path.Base(p.Path)}
	} else if p.Path == "." {
		found[p] = TreeEntry{Mode: ModeTree, Name: ".", ID: f.id}
	} else if e, ok := f.byName[path.Base(p.Path)]; ok {
		found[p] = e
	}
}

// looseFolders reads folders of commits from loose objects, and with packed from all.
type looseFolders struct {
	r      *Repo
	left   int // how many objects it may read yet without packed
	read   map[CommitPath]*folder
	packed bool
	lost   map[ID]bool // trees that are not here
}

// folder reads a folder, those above it first: nil where it does not exist, and
// fs.ErrNotExist where git must be asked.
func (l *looseFolders) folder(ctx context.Context, at CommitPath) (*folder, error) {
	if f, ok := l.read[at]; ok {
		return f, nil
	}
	tree, known, err := l.tree(ctx, at)
	if err != nil {
		return nil, err
	}
	var f *folder
	switch {
	case !known:
		f = &folder{}
	case tree == "":
	case tree == l.r.EmptyTree(): // git knows it without its being stored
		f = &folder{id: tree, byName: map[string]TreeEntry{}}
	default:
		o, err := l.object(ctx, tree)
		switch {
		case errors.Is(err, ErrMissing):
			f = &folder{}
		case err != nil:
			return nil, err
		default:
			if f, err = l.r.folderFrom(o); err != nil {
				return nil, err
			}
		}
	}
	l.read[at] = f
	return f, nil
}

// tree is the id of a folder, "" where it does not exist or is no folder. known is false where a tree above it is
// not here.
func (l *looseFolders) tree(ctx context.Context, at CommitPath) (id ID, known bool, err error) {
	if at.Path == "." {
		o, err := l.object(ctx, at.Commit)
		if errors.Is(err, ErrMissing) {
			return "", true, nil
		}
		if err != nil || o.Type != "commit" {
			return "", true, err
		}
		c, err := ParseCommit(o.ID, o.Data)
		if err != nil {
			return "", true, err
		}
		return c.Tree, true, nil
	}
	above, err := l.folder(ctx, CommitPath{at.Commit, path.Dir(at.Path)})
	if err != nil || above == nil {
		return "", true, err
	}
	if e := above.byName[path.Base(at.Path)]; e.IsTree() {
		return e.ID, true, nil
	}
	return "", above.byName != nil, nil
}

// object reads a commit or a tree: fs.ErrNotExist where git must be asked, ErrMissing where it was.
func (l *looseFolders) object(ctx context.Context, id ID) (Object, error) {
	if l.left--; l.left >= 0 || l.packed {
		o, err := l.r.loose(id)
		if !errors.Is(err, fs.ErrNotExist) || !l.packed {
			return o, err
		}
	}
	if !l.packed {
		return Object{}, fs.ErrNotExist
	}
	if l.lost[id] {
		return Object{}, ErrMissing
	}
	o, err := l.r.cat.contents(ctx, string(id)+"^{object}")
	if errors.Is(err, ErrNotFound) || NotHere(err) {
		err = ErrMissing
	}
	return o, err
}
