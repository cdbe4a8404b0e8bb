package remake

import (
	"context"
	"path"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mostTried limits how many entries of folders are hashed; each try stays in memory.
const mostTried = 1_000_000

// assemble writes the lost trees of a commit that changed one file: that of base, with each text that this file may have had. The text is
// here, though nothing may lead to it.
func (r *rebuilder) assemble(ctx context.Context, c *git.Commit, base git.ID, name string) error {
	edit := r.h.s.Repo().Edit(base)
	list, err := edit.List(ctx, doc.TopicDir)
	if err != nil {
		return err
	}
	if err := r.readTexts(ctx); err != nil {
		return err
	}
	seen := map[git.ID]bool{}
	for _, texts := range [][]git.ID{r.texts[name], r.texts[path.Base(name)], r.blobs} {
		for _, blob := range texts {
			if seen[blob] {
				continue
			}
			if r.tried += len(list) + 1; r.tried > mostTried {
				return nil
			}
			seen[blob] = true
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
	}
	return nil
}

// changed returns the file that only the tree of a commit tells: of a COMMIT log.md, of another one that of a topic, or metadata.yaml.
func changed(c *git.Commit) string {
	if c.Trailer(store.TrailerID) != "" {
		return doc.LogFile
	}
	if name := (exit{Commit: c}).topic(); name != "" {
		return name
	}
	return doc.MetadataFile
}

// readTexts reads what files have contained: by their paths, as the commits that changed them have them; by their names, as trees have
// them that nothing leads to; and the files that nothing leads to.
func (r *rebuilder) readTexts(ctx context.Context) error {
	if r.texts != nil {
		return nil
	}
	r.texts = map[string][]git.ID{}
	for n, id := range r.h.order {
		c := r.h.commits[id]
		if c.Tree.IsZero() {
			continue
		}
		name := changed(c)
		if n < r.h.roadmaps {
			name = doc.RoadmapFile
		}
		e, ok, err := r.h.s.Repo().Edit(c.Tree).Entry(ctx, name)
		if ignoreLost(err) != nil {
			return err
		}
		if ok && err == nil && !e.IsTree() {
			r.texts[name] = append(r.texts[name], e.ID)
		}
	}
	infos, err := r.h.s.Repo().UnreachableInfos(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		switch info.Type {
		case "tree":
			list, err := r.h.s.Repo().Tree(ctx, info.ID)
			if err != nil {
				return err
			}
			for _, e := range list {
				if !e.IsTree() {
					r.texts[e.Name] = append(r.texts[e.Name], e.ID)
				}
			}
		case "blob":
			r.blobs = append(r.blobs, info.ID)
		}
	}
	return nil
}
