package remake

import (
	"context"
	"path"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// mostTried limits how many entries of folders are hashed for one lost tree.
const mostTried = 200_000

// assemble writes the lost trees of a commit that changed one file: that of base, with each text that this file may have had. The text is
// here, though nothing leads to it.
func (r *rebuilder) assemble(ctx context.Context, c *git.Commit, base git.ID) error {
	name := exit{Commit: c}.topic()
	if name == "" {
		name = doc.MetadataFile
	}
	edit := r.h.s.Repo().Edit(base)
	list, err := edit.List(ctx, doc.TopicDir)
	if err != nil {
		return err
	}
	texts, err := r.texts(ctx, name)
	if err != nil {
		return err
	}
	for _, blob := range texts[:min(len(texts), mostTried/(len(list)+1))] {
		if err := edit.Put(ctx, name, blob); err != nil {
			return err
		}
		if id, err := edit.Hold(ctx); err != nil {
			return err
		} else if id != c.Tree {
			continue
		}
		found := r.h.s.Repo().Edit(base)
		if err := found.Put(ctx, name, blob); err != nil {
			return err
		}
		_, err := found.Write(ctx)
		return err
	}
	return nil
}

// texts lists what a file may have contained: as other commits have it, as trees have it that nothing leads to, and files that
// nothing leads to.
func (r *rebuilder) texts(ctx context.Context, name string) (list []git.ID, err error) {
	seen := map[git.ID]bool{}
	add := func(id git.ID) {
		if !seen[id] {
			list, seen[id] = append(list, id), true
		}
	}
	for _, id := range r.h.order {
		if err := r.addEntry(ctx, r.h.commits[id].Tree, name, add); err != nil {
			return nil, err
		}
	}
	if err := r.readLoose(ctx); err != nil {
		return nil, err
	}
	for _, tree := range r.trees {
		if err := r.addEntry(ctx, tree, path.Base(name), add); err != nil {
			return nil, err
		}
	}
	for _, blob := range r.blobs {
		add(blob)
	}
	return list, nil
}

// addEntry adds the file of that name in a tree, if both are here.
func (r *rebuilder) addEntry(ctx context.Context, tree git.ID, name string, add func(git.ID)) error {
	if tree.IsZero() {
		return nil
	}
	e, ok, err := r.h.s.Repo().Edit(tree).Entry(ctx, name)
	if ok && !e.IsTree() && err == nil {
		add(e.ID)
	}
	return ignoreLost(err)
}

// readLoose lists the trees and files that nothing leads to.
func (r *rebuilder) readLoose(ctx context.Context) error {
	if r.looked {
		return nil
	}
	r.looked = true
	ids, err := r.h.s.Repo().Unreachable(ctx)
	if err != nil {
		return err
	}
	infos, err := r.h.s.Repo().Infos(ctx, ids)
	for _, info := range infos {
		switch info.Type {
		case "tree":
			r.trees = append(r.trees, info.ID)
		case "blob":
			r.blobs = append(r.blobs, info.ID)
		}
	}
	return err
}
