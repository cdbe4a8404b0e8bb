package git

import (
	"context"
	"fmt"
	"strings"
)

// Edit is a tree in the making: an existing one with some paths replaced. It
// reads a directory when a path first leads into it and writes only those that
// changed, so that a change costs its own depth whatever the size of the tree.
// An Edit is for one goroutine.
type Edit struct {
	repo    *Repo
	id      ID // "" for a directory that does not exist yet
	loaded  bool
	dirty   bool
	entries []TreeEntry
	subs    map[string]*Edit
}

// Edit begins with the tree of that name, or with an empty one for "".
func (r *Repo) Edit(tree ID) *Edit { return &Edit{repo: r, id: tree} }

// Changed reports whether anything was put or removed.
func (e *Edit) Changed() bool { return e.dirty }

// Entry finds a path. ok is false where nothing stands there.
func (e *Edit) Entry(ctx context.Context, path string) (entry TreeEntry, ok bool, err error) {
	if err := e.load(ctx); err != nil {
		return TreeEntry{}, false, err
	}
	dir, rest, deeper := strings.Cut(path, "/")
	if !deeper {
		if i := e.index(dir); i >= 0 {
			return e.entries[i], true, nil
		}
		return TreeEntry{}, false, nil
	}
	sub := e.sub(dir)
	if sub == nil {
		return TreeEntry{}, false, nil
	}
	return sub.Entry(ctx, rest)
}

// Put sets a path to a blob, making the directories that lead to it.
func (e *Edit) Put(ctx context.Context, path string, blob ID) error {
	if err := e.load(ctx); err != nil {
		return err
	}
	dir, rest, deeper := strings.Cut(path, "/")
	i := e.index(dir)
	switch {
	case !deeper && i >= 0:
		if e.entries[i].ID == blob && e.entries[i].Mode == ModeBlob {
			return nil
		}
		delete(e.subs, dir)
		e.entries[i] = TreeEntry{Mode: ModeBlob, Name: dir, ID: blob}
	case !deeper:
		e.entries = append(e.entries, TreeEntry{Mode: ModeBlob, Name: dir, ID: blob})
	default:
		sub := e.sub(dir)
		if sub == nil {
			if i >= 0 {
				return fmt.Errorf("'%s' is not a directory", dir)
			}
			e.entries = append(e.entries, TreeEntry{Mode: ModeTree, Name: dir})
			sub = e.keep(dir, &Edit{repo: e.repo})
		}
		if err := sub.Put(ctx, rest, blob); err != nil {
			return err
		}
		e.dirty = e.dirty || sub.dirty
		return nil
	}
	e.dirty = true
	return nil
}

// Remove takes a path away, and every directory that this leaves empty. It is no
// error where nothing stands there.
func (e *Edit) Remove(ctx context.Context, path string) error {
	if err := e.load(ctx); err != nil {
		return err
	}
	dir, rest, deeper := strings.Cut(path, "/")
	i := e.index(dir)
	if i < 0 {
		return nil
	}
	if deeper {
		sub := e.sub(dir)
		if sub == nil {
			return nil
		}
		if err := sub.Remove(ctx, rest); err != nil {
			return err
		}
		e.dirty = e.dirty || sub.dirty
		if len(sub.entries) > 0 {
			return nil
		}
	}
	delete(e.subs, dir)
	e.entries = append(e.entries[:i:i], e.entries[i+1:]...)
	e.dirty = true
	return nil
}

// List is the entries of a directory ("" for the root), nil where there is none.
func (e *Edit) List(ctx context.Context, dir string) ([]TreeEntry, error) {
	if err := e.load(ctx); err != nil || dir == "" {
		return e.entries, err
	}
	first, rest, _ := strings.Cut(dir, "/")
	sub := e.sub(first)
	if sub == nil {
		return nil, nil
	}
	return sub.List(ctx, rest)
}

// Write stores the directories that changed, the deepest first, and returns the
// name of the whole tree.
func (e *Edit) Write(ctx context.Context) (ID, error) {
	if !e.dirty && e.id != "" {
		return e.id, nil
	}
	for name, sub := range e.subs {
		if !sub.dirty {
			continue
		}
		id, err := sub.Write(ctx)
		if err != nil {
			return "", err
		}
		e.entries[e.index(name)].ID = id
	}
	id, err := e.repo.WriteTree(ctx, e.entries)
	if err != nil {
		return "", err
	}
	e.id, e.dirty = id, false
	return id, nil
}

func (e *Edit) load(ctx context.Context) error {
	if e.loaded || e.id == "" {
		e.loaded = true
		return nil
	}
	entries, err := e.repo.Tree(ctx, e.id)
	if err != nil {
		return err
	}
	e.entries, e.loaded = entries, true
	return nil
}

func (e *Edit) index(name string) int {
	for i := range e.entries {
		if e.entries[i].Name == name {
			return i
		}
	}
	return -1
}

// sub is the directory of that name, nil where there is none. Its own load is
// left to whoever walks into it.
func (e *Edit) sub(name string) *Edit {
	if s := e.subs[name]; s != nil {
		return s
	}
	i := e.index(name)
	if i < 0 || e.entries[i].Mode != ModeTree {
		return nil
	}
	return e.keep(name, &Edit{repo: e.repo, id: e.entries[i].ID})
}

func (e *Edit) keep(name string, s *Edit) *Edit {
	if e.subs == nil {
		e.subs = map[string]*Edit{}
	}
	e.subs[name] = s
	return s
}
