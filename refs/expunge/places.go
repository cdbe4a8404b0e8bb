package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// places are the paths of files, one of each kind that a file has: what a step keeps may have the bytes of a topic, and is
// the same object then.
type places map[git.ID][]string

// add adds a path of a file.
func (p places) add(id git.ID, path string) {
	kind := placeKind(path)
	if !slices.ContainsFunc(p[id], func(have string) bool { return placeKind(have) == kind }) {
		p[id] = append(p[id], path)
	}
}

// placeKind returns one path for all files that are read in the same way.
func placeKind(path string) string {
	switch {
	case isNotePath(path):
		return git.NotesRef
	case doc.KindOf(path) != doc.FileUnknown || path == doc.RoadmapFile || path == doc.ExpungedFile:
		return kindPath(path)
	}
	return ""
}

// isNotePath reports whether a path is that of a note, in any fan-out.
func isNotePath(path string) bool { return git.IsID(strings.ReplaceAll(path, "/", "")) }

// listing is what some tips lead to.
type listing struct {
	s              *store.Store
	commits, files []git.ID
	paths          places // of files; that of a commit is ""
	visit          func(git.NamedObject)

	named   map[git.NamedObject]bool
	folders map[dirKey]bool // trees that were listed
}

// list lists what tips of branches and of the roadmap lead to, and what tips of notes do; a path of these begins with [noteRoot]. It visits
// each file once with each of its paths: `git rev-list --objects` names a file once, wherever else it is. It reads each tree once for
// each folder of memory that it is, so that it costs what the objects do, however many commits have them.
func list(ctx context.Context, s *store.Store, tips, notes []git.ID, visit func(git.NamedObject)) (*listing, error) {
	l := &listing{s: s, paths: places{}, visit: visit, named: map[git.NamedObject]bool{}, folders: map[dirKey]bool{}}
	var roots []git.NamedObject
	for _, group := range []struct {
		tips []git.ID
		root string
	}{{tips, ""}, {notes, noteRoot}} {
		history, err := s.Repo().HistoryTrees(ctx, group.tips)
		if err != nil {
			return nil, err
		}
		slices.Reverse(history) // parents first
		for _, c := range history {
			l.commits = append(l.commits, c.ID)
			l.paths[c.ID] = []string{""}
			roots = l.folder(roots, git.NamedObject{ID: c.Tree, Path: group.root})
		}
	}
	for len(roots) > 0 {
		var err error
		if roots, err = l.level(ctx, roots); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// noteRoot is what the paths of notes begin with, since a file in their tree may have any name.
const noteRoot = git.NotesRef + ":"

// folder adds a folder to a list, unless it was listed before. Where memory has no such folder, files are read in one way.
func (l *listing) folder(list []git.NamedObject, o git.NamedObject) []git.NamedObject {
	key := dirKey{noteRoot, o.ID}
	if doc.KnownDir(o.Path) {
		key.path = o.Path
	}
	if l.folders[key] {
		return list
	}
	l.folders[key] = true
	return append(list, o)
}

// level visits the files of some folders, and returns the folders in these.
func (l *listing) level(ctx context.Context, folders []git.NamedObject) (below []git.NamedObject, err error) {
	at := map[git.ID][]string{}
	var trees []git.ID
	for _, o := range folders {
		if at[o.ID] == nil {
			trees = append(trees, o.ID)
		}
		at[o.ID] = append(at[o.ID], o.Path)
	}
	return below, ReadObjects(ctx, l.s, trees, func(o git.Object) error {
		list, err := git.ParseTree(o.Data, len(o.ID)/2)
		if err != nil || o.Type != "tree" {
			return errors.Join(err, fmt.Errorf("%s is a %s, no tree that can be read", o.ID, o.Type))
		}
		for _, dir := range at[o.ID] {
			for _, e := range list {
				named := git.NamedObject{ID: e.ID, Path: joinFolder(dir, e.Name)}
				switch {
				case e.IsTree():
					below = l.folder(below, named)
				case e.Mode != gitlink:
					l.file(named)
				}
			}
		}
		return nil
	})
}

// joinFolder returns the path of a name in a folder, which may be noteRoot.
func joinFolder(dir, name string) string {
	if dir == noteRoot {
		return dir + name
	}
	return incoming.JoinPath(dir, name)
}

// gitlink is the mode of the commit of a submodule, which is no file.
const gitlink = 0o160000

func (l *listing) file(o git.NamedObject) {
	if l.named[o] {
		return
	}
	l.named[o] = true
	if l.paths[o.ID] == nil {
		l.files = append(l.files, o.ID)
	}
	l.paths.add(o.ID, o.Path)
	l.visit(o)
}
