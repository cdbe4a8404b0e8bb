package search

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// branchFiles are the searchable files of a branch, by path: those of entries and of
// topics. They depend only on the tree.
type branchFiles struct {
	branch string
	tree   git.ID
	files  []branchFile // by path
}

type branchFile struct {
	path string
	id   git.ID
}

// searchable returns the paths that branchFiles lists.
func searchable() []string {
	return []string{doc.CommitFile, doc.LogFile, doc.CommitDir, doc.LogDir, doc.TopicDir}
}

// listFiles lists the files of branches, given by name and tree. A cached list of an older
// tree is updated with the difference, by one child for all branches. all reports that
// trees contains all branches, so that the cache drops the others.
func listFiles(ctx context.Context, s *store.Store, trees map[string]git.ID, all bool) ([]branchFiles, error) {
	known := map[string]branchFiles{}
	for _, b := range parseFileLists(cache.Read(s.Repo(), cacheFiles)) {
		known[b.branch] = b
	}
	var list, stale []branchFiles
	for branch, tree := range trees {
		b, ok := known[branch]
		if ok && b.tree == tree {
			list = append(list, b)
			continue
		}
		if !ok {
			b = branchFiles{branch: branch, tree: s.Repo().EmptyTree()}
		}
		stale = append(stale, b)
	}
	if len(stale) > 0 {
		if err := updateFiles(ctx, s, stale, trees); err != nil {
			return nil, err
		}
		if all {
			clear(known)
		}
		list = append(list, stale...)
		for _, b := range list {
			known[b.branch] = b
		}
		cache.Write(s.Repo(), cacheFiles, formatFileLists(known))
	}
	slices.SortFunc(list, func(a, b branchFiles) int { return strings.Compare(a.branch, b.branch) })
	return list, nil
}

// updateFiles updates lists to new trees.
func updateFiles(ctx context.Context, s *store.Store, lists []branchFiles, trees map[string]git.ID) error {
	var pairs []history.TreePair
	for _, b := range lists {
		pairs = append(pairs, history.TreePair{Old: b.tree, Now: trees[b.branch]})
	}
	diffs, err := history.DiffTrees(ctx, s, pairs, searchable()...)
	if err != nil {
		return err
	}
	for i := range lists {
		b := &lists[i]
		files := make(map[string]git.ID, len(b.files))
		d := diffs[pairs[i]]
		if !d.Anew {
			for _, f := range b.files {
				files[f.path] = f.id
			}
		}
		for _, c := range d.Changes {
			if c.Blob {
				files[c.Path] = c.ID
			} else {
				delete(files, c.Path)
			}
		}
		b.tree, b.files = trees[b.branch], make([]branchFile, 0, len(files))
		for _, path := range slices.Sorted(maps.Keys(files)) {
			b.files = append(b.files, branchFile{path, files[path]})
		}
	}
	return nil
}

// parseFileLists parses the cache of lists, and ignores lines that it cannot parse:
//
//	"branch" SP BRANCH SP TREE LF [ID SP PATH LF]...
func parseFileLists(text string) []branchFiles {
	var lists []branchFiles
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "branch "); ok {
			branch, tree, _ := strings.Cut(head, " ")
			lists = append(lists, branchFiles{branch: branch, tree: git.ID(tree)})
			continue
		}
		if id, path, ok := strings.Cut(line, " "); ok && len(lists) > 0 {
			b := &lists[len(lists)-1]
			b.files = append(b.files, branchFile{path, git.ID(id)})
		}
	}
	return lists
}

func formatFileLists(lists map[string]branchFiles) string {
	var b strings.Builder
	for _, branch := range slices.Sorted(maps.Keys(lists)) {
		l := lists[branch]
		b.WriteString("branch " + l.branch + " " + string(l.tree) + "\n")
		for _, f := range l.files {
			b.WriteString(string(f.id) + " " + f.path + "\n")
		}
	}
	return b.String()
}
