package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/store"
)

// bringBackTip returns the command for a ref that names a lost commit, where nothing tells what it named before: people must decide. It
// sets a branch, also a deleted one, to the newest commit that says that it is of that branch, which may have been undone, or deletes the
// ref.
func (c *checker) bringBackTip(ctx context.Context, r git.Ref) (string, error) {
	name := prose.ShellQuoted(r.Name)
	newest, err := c.newestOf(ctx, r.Name)
	if err != nil {
		return "", err
	}
	if newest != "" {
		return fmt.Sprintf("git update-ref --no-deref %s %s %s", name, newest, r.ID), nil
	}
	return fmt.Sprintf("git update-ref --no-deref -d %s %s", name, r.ID), nil
}

// newestOf returns the newest whole commit of the branch that a ref is of, of those that nothing leads to or that other branches lead to;
// "" for none. What was committed after a branch was deleted is of another one with that name.
func (c *checker) newestOf(ctx context.Context, ref string) (git.ID, error) {
	branch, ok := git.BranchName(ref)
	gone, deletion, deleted := git.DeletedBranch(ref)
	if deleted {
		branch = gone
	}
	if !ok && !deleted {
		return "", nil
	}
	ids, err := c.mayBeTips(ctx, func(r git.Ref) bool {
		again, _, _ := git.DeletedBranch(r.Name)
		return deleted && (again == branch || r.Name == git.BranchRef(branch))
	})
	if err != nil {
		return "", err
	}
	infos, err := c.s.Repo().Infos(ctx, ids)
	if err != nil {
		return "", err
	}
	var list []*git.Commit
	for _, info := range infos {
		if info.Type != "commit" {
			continue
		}
		at, err := c.s.Repo().Commit(ctx, info.ID)
		if err != nil {
			return "", err
		}
		if store.BranchOf(at) == branch && !(deleted && at.Committer.When.After(doc.IDTime(deletion))) {
			list = append(list, at)
		}
	}
	for {
		at := remake.Newest(list)
		if at == nil {
			return "", nil
		}
		if c.whole(ctx, at.ID) {
			return at.ID, nil
		}
		list = slices.DeleteFunc(list, func(o *git.Commit) bool { return o == at })
	}
}

// mayBeTips lists the objects that nothing leads to, and the commits of branches and tags, without those of some.
func (c *checker) mayBeTips(ctx context.Context, without func(git.Ref) bool) ([]git.ID, error) {
	unreached, err := c.s.Repo().Unreachable(ctx)
	if err != nil {
		return nil, err
	}
	l, err := c.s.Repo().ListRefs(ctx, git.BranchPrefix, git.TagPrefix, git.DeletedPrefix)
	if err != nil {
		return nil, err
	}
	ids := map[git.ID]bool{}
	for _, id := range unreached {
		ids[id] = true
	}
	for _, r := range l.Refs {
		if without(r) {
			continue
		}
		list, err := c.s.Repo().History(ctx, []git.ID{r.ID})
		if git.ExitCode(err) > 0 { // it has a hole
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			ids[n.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids)), nil
}

// roadmapTip reports the lost newest commit of the roadmap if what is here tells all of it, or has at least a newer text than the commit
// that the roadmap would be set back to.
func (c *checker) roadmapTip(ctx context.Context, r lostRef, f former, p Problem) (bool, error) {
	list, tree, err := remake.Roadmap(ctx, c.s, r.ID, f.id)
	if err != nil {
		return false, err
	}
	switch {
	case len(list) > 0:
		p.Message += "; what is here tells all of that commit, and the repair writes it again"
		c.report(ctx, func(ctx context.Context) error {
			for _, at := range list {
				if _, err := c.s.Repo().WriteCommit(ctx, at); err != nil {
					return err
				}
			}
			return c.dropLostMoves(ctx, r.Name)
		}, p)
	case tree != "":
		p.Message += "; a newer text than that of the commits before is here, and the repair makes a commit with it"
		c.report(ctx, func(ctx context.Context) error {
			if err := remake.PutRoadmap(ctx, c.s, c.w, tree, f.id, r.ID); err != nil {
				return err
			}
			return c.dropLostMoves(ctx, r.Name, f.hollow...)
		}, p)
	}
	return len(list) > 0 || tree != "", nil
}
