package remake

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// notesFolder is a folder of notes that nothing leads to: its notes are of the objects whose ids begin with its name.
type notesFolder struct {
	name string // "" for unknown
	list []git.TreeEntry
}

// mostPairs limits with how many other folders one is tried.
const mostPairs = 20

// isNotes reports whether a commit is of the notes, by the tree before: the names there are parts of ids.
func (r *rebuilder) isNotes(ctx context.Context, c, parent *git.Commit) (bool, error) {
	if store.BranchOf(c) != "" {
		return false, nil
	}
	if parent == nil {
		return true, nil
	}
	list, err := r.h.s.Repo().Tree(ctx, parent.Tree)
	isNote := func(e git.TreeEntry) bool { return e.IsTree() && len(e.Name) == 2 || r.h.s.Repo().IsID(e.Name) }
	return len(list) > 0 && !slices.ContainsFunc(list, func(e git.TreeEntry) bool { return !isNote(e) }), ignoreLost(err)
}

// rebuildNotes writes the lost tree of a commit of the notes: that of its parent with folders that are here, though nothing leads to them:
// all that are known, or one or two.
func (r *rebuilder) rebuildNotes(ctx context.Context, c, parent *git.Commit) error {
	known, others, err := r.notesFolders(ctx, parent)
	if err != nil {
		return err
	}
	tries := [][]notesFolder{known}
	for i, f := range known {
		tries = append(tries, []notesFolder{f})
		for _, g := range known[:min(i, mostPairs)] {
			tries = append(tries, []notesFolder{g, f})
		}
	}
	for _, f := range others { // of any code, as links are
		for n := range 256 {
			f.name = fmt.Sprintf("%02x", n)
			tries = append(tries, []notesFolder{f}, append(slices.Clone(known), f))
		}
	}
	for _, folders := range tries {
		if r.tried++; r.tried > mostTried {
			return nil
		}
		edit, err := r.withFolders(ctx, parent, folders)
		if err != nil {
			return err
		}
		id, err := edit.Hold(ctx)
		if err != nil {
			return err
		}
		if id != c.Tree {
			continue
		}
		if edit, err = r.withFolders(ctx, parent, folders); err == nil {
			_, err = edit.Write(ctx)
		}
		return err
	}
	return nil
}

// withFolders returns the tree of a commit with some folders.
func (r *rebuilder) withFolders(ctx context.Context, c *git.Commit, folders []notesFolder) (*git.Edit, error) {
	edit := r.h.s.Repo().Edit(treeOf(c))
	for _, f := range folders {
		if err := edit.Remove(ctx, f.name); err != nil {
			return nil, err
		}
		for _, e := range f.list {
			if err := edit.Put(ctx, f.name+"/"+e.Name, e.ID); err != nil {
				return nil, err
			}
		}
		r.tried += len(f.list)
	}
	return edit, nil
}

// notesFolders lists the folders of notes that nothing leads to: of which a commit of memory or a note of the parent tells the name, and others.
func (r *rebuilder) notesFolders(ctx context.Context, parent *git.Commit) (known, others []notesFolder, err error) {
	repo := r.h.s.Repo()
	names := map[string]string{} // by the end of an id
	for _, id := range r.h.order {
		names[string(id[2:])] = string(id[:2])
	}
	list, err := repo.Edit(treeOf(parent)).List(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range list {
		if !dir.IsTree() {
			continue
		}
		below, err := repo.Tree(ctx, dir.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range below {
			names[e.Name] = dir.Name
		}
	}
	if err := r.readFolders(ctx); err != nil {
		return nil, nil, err
	}
	for _, entries := range r.folders {
		f := notesFolder{list: entries}
		for _, e := range entries {
			f.name = max(f.name, names[e.Name])
		}
		if f.name != "" {
			known = append(known, f)
		} else {
			others = append(others, f)
		}
	}
	return known, others, nil
}

// readFolders reads the trees that nothing leads to and that may be folders of notes.
func (r *rebuilder) readFolders(ctx context.Context) error {
	if r.folders != nil {
		return nil
	}
	r.folders = [][]git.TreeEntry{}
	repo := r.h.s.Repo()
	infos, err := repo.UnreachableInfos(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if info.Type != "tree" {
			continue
		}
		list, err := repo.Tree(ctx, info.ID)
		if err != nil {
			return err
		}
		isNote := func(e git.TreeEntry) bool { return !e.IsTree() && repo.IsID("00"+e.Name) }
		if len(list) > 0 && !slices.ContainsFunc(list, func(e git.TreeEntry) bool { return !isNote(e) }) {
			r.folders = append(r.folders, list)
		}
	}
	return nil
}
