package incoming

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

const (
	maxParents = 64       // of a commit: a merge has two, and what is lost is looked for on the way to each
	maxBases   = 8        // parents that a tree is compared with; the others only spare work
	maxWindow  = 32 << 20 // bytes of trees, and of files, that one batch asks for
)

// folder is a tree to check.
type folder struct {
	at    *Commit
	role  Role
	path  string
	id    git.ID
	bases []git.ID // what the commit's parents have at that path
}

// seenTree identifies a tree that was checked at a path. For notes, whose rules depend only on
// how many digits lead to it, the path is "/" and their number: there no tree has two paths, see [Inspection.add].
type seenTree struct {
	role Role
	path string
	id   git.ID
}

// CheckCommits checks commits and everything that they contain. Parents must come before their
// children.
func (c *Inspection) CheckCommits(ctx context.Context, commits []*Commit) error {
	c.volumes.grow(c.limit, len(commits))
	if err := c.readCommits(ctx, commits); err != nil {
		return err
	}
	var level []folder
	for _, n := range commits {
		bases, err := c.parentTrees(ctx, n)
		if err != nil {
			return err
		}
		for _, r := range []Role{RoleBranch, RoleRoadmap, RoleNotes} {
			if n.Roles&r == 0 || n.Tree == "" || c.Absent[n.Tree] {
				continue
			}
			if level, err = c.add(level, folder{at: n, role: r, id: n.Tree, bases: bases}); err != nil {
				return err
			}
		}
	}
	for len(level) > 0 {
		deeper, files, err := c.level(ctx, level)
		if err != nil {
			return err
		}
		if err := c.checkFiles(ctx, files); err != nil {
			return err
		}
		level = deeper
	}
	return c.commitEntries(ctx, commits)
}

// readCommits reads commits, for their trees.
func (c *Inspection) readCommits(ctx context.Context, commits []*Commit) error {
	ids := make([]git.ID, len(commits))
	for i, n := range commits {
		ids[i] = n.ID
	}
	infos, err := c.repo.Infos(ctx, ids)
	if err != nil {
		return err
	}
	small, ids := commits[:0:0], ids[:0]
	for i, info := range infos {
		if err := c.use(&c.volumes.messages, info.Size, commits[i].Ref); err != nil {
			return err
		}
		if info.Size <= store.MaxFile {
			small, ids = append(small, commits[i]), append(ids, info.ID)
		} else if err := c.wrong(flawDocument, commits[i], tooLarge(info.Size, store.MaxFile), nil); err != nil {
			return err
		}
	}
	return c.read(ctx, ids, func(i int, o git.Object) error {
		n := small[i]
		parsed, err := git.ParseCommit(o.ID, o.Data)
		if err != nil {
			return c.wrong(flawDocument, n, "it cannot be read", err)
		}
		n.Tree = git.ID(strings.Clone(string(parsed.Tree)))
		if err := git.CheckCommit(o.Data); err != nil {
			return c.wrong(flawDocument, n, "git's fsck refuses it", err)
		}
		if many := len(parsed.Parents); many > maxParents {
			return c.wrong(flawDocument, n, fmt.Sprintf("it has %d parents; at most %d are allowed", many, maxParents), nil)
		}
		size, fault := BlockFault(parsed.Message)
		if fault != "" {
			return c.wrong(flawDocument, n, fault, nil)
		}
		if err := c.use(&c.volumes.trailers, size, n.Ref); err != nil {
			return err
		}
		if !hasDates(parsed) {
			return c.wrong(flawDocument, n, "its date is not of the years 0 to 9999, or its zone is no zone", nil)
		}
		if err := c.utf8(n, parsed); err != nil {
			return err
		}
		if n.Roles&RoleBranch == 0 {
			return nil
		}
		if c.Reader != nil {
			c.Reader.Message(n, parsed)
		}
		return c.trailers(n, parsed)
	}, func(i int) placed { return small[i] })
}

func tooLarge(size, most int64) string {
	return fmt.Sprintf("it has %d bytes; at most %d are allowed", size, most)
}

// parentTrees returns the trees to compare a commit's tree with. A parent that a shallow clone
// lacks is left out.
func (c *Inspection) parentTrees(ctx context.Context, n *Commit) ([]git.ID, error) {
	var trees []git.ID
	for _, p := range n.Parents[:min(len(n.Parents), maxBases)] {
		if parent := c.ByID[p]; parent != nil {
			if parent.Tree != "" && !c.Absent[parent.Tree] {
				trees = append(trees, parent.Tree)
			}
			continue
		}
		tree, known := c.own[p]
		if !known {
			commit, err := c.repo.Commit(ctx, p)
			switch {
			case err == nil:
				tree = commit.Tree
			case !errors.Is(err, git.ErrNotFound) && c.OnFlaw == nil: // else it was reported
				return nil, err
			}
			c.own[p] = tree
		}
		if tree != "" {
			trees = append(trees, tree)
		}
	}
	return trees, nil
}

// add appends a folder unless it was checked at such a place before. Notes with the same tree at two paths would be
// about objects whose hashes differ in the first digits alone, which there are not: folders that are in one another twice
// have more notes than anybody can read, in a few objects.
func (c *Inspection) add(level []folder, f folder) ([]folder, error) {
	key := seenTree{f.role, f.path, f.id}
	if f.role == RoleNotes {
		key.path = "/" + strconv.Itoa(noteDigits(f.path))
	}
	switch at, seen := c.trees[key]; {
	case !seen:
		c.trees[key] = f.path
		c.objects--
		return append(level, f), nil
	case at != f.path:
		return level, c.wrong(FlawTree, f, "it is the same as '"+at+"/'", nil)
	}
	return level, nil
}

// level checks folders and returns the folders below them and the files in them.
func (c *Inspection) level(ctx context.Context, folders []folder) (deeper []folder, files []File, err error) {
	sizes, err := c.treeSizes(ctx, folders)
	if err != nil {
		return nil, nil, err
	}
	for len(folders) > 0 {
		n, ids := window(folders, sizes)
		trees := make(map[git.ID][]git.TreeEntry, len(ids))
		err := c.read(ctx, ids, func(i int, o git.Object) (err error) {
			entries, err := git.ParseTree(o.Data, len(o.ID)/2)
			what := "it cannot be read"
			if err == nil {
				trees[o.ID] = entries
				what, err = "git's fsck refuses it", git.CheckTree(o.Data, len(o.ID)/2)
			}
			if err == nil {
				return nil
			}
			p := treeOf(folders, o.ID)
			switch {
			case p != nil:
				return c.wrong(FlawTree, p, what, err)
			case trees[o.ID] != nil: // others are only compared with it
				return nil
			case c.OnFlaw != nil: // reported where it is checked
				return nil
			}
			return err
		}, func(i int) placed { return treeOf(folders, ids[i]) })
		if err != nil {
			return nil, nil, err
		}
		for _, f := range folders[:n] {
			if deeper, files, err = c.folder(f, trees, deeper, files); err != nil {
				return nil, nil, err
			}
			if c.objects < 0 {
				return nil, nil, c.tooMany(f.at.Ref, fmt.Sprintf("more than %d objects",
					objectsExtra+objectsPerEntry*c.limit))
			}
		}
		folders = folders[n:]
	}
	return deeper, files, nil
}

// treeSizes asks for the sizes of folders and of what they are compared with. It leaves out a
// base that cannot be read.
func (c *Inspection) treeSizes(ctx context.Context, folders []folder) (map[git.ID]int64, error) {
	sizes := make(map[git.ID]int64, 2*len(folders))
	var ids []git.ID
	want := func(id git.ID) {
		if _, ok := sizes[id]; !ok {
			sizes[id] = 0
			ids = append(ids, id)
		}
	}
	for _, f := range folders {
		want(f.id)
		for _, b := range f.bases {
			want(b)
		}
	}
	infos, err := c.repo.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	types := make(map[git.ID]string, len(infos))
	for _, info := range infos {
		if types[info.ID] = info.Type; info.Type == "tree" && info.Size <= git.MaxTree {
			sizes[info.ID] = info.Size
		} else {
			delete(sizes, info.ID)
		}
	}
	for _, f := range folders {
		if size, ok := sizes[f.id]; ok {
			more := size
			for _, b := range f.bases {
				more = min(more, max(0, size-sizes[b]))
			}
			err := c.use(&c.volumes.trees, more, f.at.Ref)
			if err == nil {
				err = c.use(&c.volumes.again, size, f.at.Ref)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		switch kind := types[f.id]; kind {
		case "":
			err = c.wrong(FlawMissing, f, "it is missing", nil)
		case "tree":
			err = c.wrong(FlawTree, f, fmt.Sprintf("it has more than %d bytes", git.MaxTree), nil)
		default:
			err = c.wrong(FlawTree, f, "it is a "+kind+", not a folder", nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return sizes, nil
}

// window returns the first n folders, at least one, whose trees and bases fit in memory.
func window(folders []folder, sizes map[git.ID]int64) (n int, ids []git.ID) {
	var total int64
	seen := map[git.ID]bool{}
	for _, f := range folders {
		from := len(ids)
		for _, id := range append([]git.ID{f.id}, f.bases...) {
			if size, ok := sizes[id]; ok && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
				total += size
			}
		}
		if n > 0 && total > maxWindow {
			return n, ids[:from]
		}
		n++
	}
	return n, ids
}

// treeOf returns the folder that a tree is checked as; nil for a tree that others are only
// compared with.
func treeOf(folders []folder, id git.ID) placed {
	for _, f := range folders {
		if f.id == id {
			return f
		}
	}
	return nil
}
