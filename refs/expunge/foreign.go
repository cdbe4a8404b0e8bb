package expunge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// foreignRoots returns the roots of what is the user's although no ref leads to it: lost commits,
// of which `git stash drop` and `git reset` leave many, trees that no commit names yet, and the
// commits that dropped handed over code is based on. Their files may equal memory's, which are the
// same objects then. Of commits it returns the trees: a commit that is here is a root of its own.
func (op *Operation) foreignRoots(ctx context.Context, infos []git.ObjectInfo, old oldObjects) ([]git.ID, error) {
	// An interrupted purge has deleted the commits that show whose the rest is.
	doomed, err := pack.Doomed(op.Store.Repo())
	if err != nil {
		return nil, err
	}
	var commits, trees []git.ID
	for _, info := range infos {
		switch {
		case doomed[info.ID]:
		case info.Type == "commit":
			commits = append(commits, info.ID)
		case info.Type == "tree":
			trees = append(trees, info.ID)
		}
	}
	own, others, err := sortCommits(ctx, op.Store, commits)
	if err != nil {
		return nil, err
	}
	roots, more, err := op.foreignTrees(ctx, others)
	if err != nil {
		return nil, err
	}
	for _, c := range own {
		more = append(more, c.Tree)
	}
	loose, err := op.looseTrees(ctx, trees, append(more, roots...), old)
	if err != nil {
		return nil, err
	}
	bases, err := op.workBases(ctx)
	return slices.Concat(roots, loose, bases), err
}

// foreignTrees returns the trees of those commits that are the user's, and the trees of the
// others: commits of the notes, and of handed over code.
func (op *Operation) foreignTrees(ctx context.Context, commits []*git.Commit) (foreign, own []git.ID, err error) {
	parts := map[git.ID]bool{} // of handed over code: what its index and the untracked files were
	for _, c := range commits {
		if isWork(c) {
			for _, p := range c.Parents[1:] {
				parts[p] = true
			}
		}
	}
	for _, c := range commits {
		isNotes, err := op.isNotes(ctx, c)
		switch {
		case err != nil:
			return nil, nil, err
		case isNotes || isWork(c) || parts[c.ID]:
			own = append(own, c.Tree)
		default:
			foreign = append(foreign, c.Tree)
		}
	}
	return foreign, own, nil
}

// isWork reports whether a commit is handed over code.
func isWork(c *git.Commit) bool {
	return len(c.Parents) > 1 && strings.HasSuffix(c.Subject(), store.WorkSubject)
}

// isNotes reports whether a commit is one of memory's notes.
func (op *Operation) isNotes(ctx context.Context, c *git.Commit) (bool, error) {
	if !strings.HasPrefix(c.Subject(), "context: ") {
		return false, nil
	}
	list, err := readableTree(ctx, op.Store, c.Tree)
	foreign := slices.ContainsFunc(list, func(e git.TreeEntry) bool { return strings.Trim(e.Name, "0123456789abcdef") != "" })
	return len(list) > 0 && !foreign, err
}

// readableTree returns the entries of a tree, none if it is missing or malformed: nothing that
// git can use is in such a tree.
func readableTree(ctx context.Context, s *store.Store, id git.ID) (list []git.TreeEntry, err error) {
	err = s.Repo().ReadAll(ctx, []git.ID{id}, func(o git.Object) error {
		if parsed, err := git.ParseTree(o.Data, len(id)/2); err == nil && o.Type == "tree" {
			list = parsed
		}
		return nil
	})
	return list, orAbsent(err)
}

// looseTrees returns those trees that none of some others leads to and that are not memory's: a
// killed process leaves such trees, and they name at least one file of the old history.
func (op *Operation) looseTrees(ctx context.Context, trees, reached []git.ID, old oldObjects) ([]git.ID, error) {
	if len(trees) == 0 {
		return nil, nil
	}
	under := map[git.ID]bool{}
	if err := op.Store.Repo().EachExisting(ctx, reached, func(id git.ID) { under[id] = true }); err != nil {
		return nil, err
	}
	var loose []git.ID
	for _, id := range trees {
		if under[id] {
			continue
		}
		list, err := readableTree(ctx, op.Store, id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(e git.TreeEntry) bool { return old.named[git.NamedObject{ID: e.ID, Path: e.Name}] }) {
			loose = append(loose, id)
		}
	}
	return loose, nil
}

// workBases returns the commits that dropped handed over code is based on.
func (op *Operation) workBases(ctx context.Context) ([]git.ID, error) {
	var bases []git.ID
	for _, id := range op.intent.old {
		if !op.Rewriter.ForgetsWork(id) {
			continue
		}
		c, err := op.Store.Repo().Commit(ctx, id)
		switch {
		case errors.Is(err, git.ErrNotFound):
		case err != nil:
			return nil, err
		case isWork(c):
			bases = append(bases, c.Parents[0])
		}
	}
	return bases, nil
}

// foreignObjects warns of objects of memory that contain the text and that something of the code
// needs: the code has them, too.
func (f *finder) foreignObjects(ctx context.Context, op *Operation) error {
	ids := slices.Clone(f.objects)
	for o, contains := range f.matching {
		if contains {
			ids = append(ids, o.id)
		}
	}
	slices.Sort(ids)
	infos, err := f.s.Repo().InfosHere(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	left := map[git.ID]bool{}
	for _, info := range infos {
		if info.Type != "" {
			left[info.ID] = true
		}
	}
	for _, k := range op.kept { // they are reported with a reason
		if err := f.s.Repo().EachExisting(ctx, k.Objects, func(id git.ID) { delete(left, id) }); err != nil {
			return err
		}
	}
	if n := len(left); n > 0 {
		op.warn("%s of memory that the code has too, in a commit, an index, a reflog or a lost commit, still contain it: "+
			"memory is clean; rewrite the code yourself", prose.Count(n, "object"))
	}
	return nil
}
