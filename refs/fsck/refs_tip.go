package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/store"
)

// bringBackTip returns the command for a ref that names a lost commit, where nothing tells what it named before: people must decide. It
// sets a branch to the newest commit that says that it is of that branch, which may have been undone, or deletes the ref.
func (c *checker) bringBackTip(ctx context.Context, r git.Ref) (string, error) {
	name := prose.ShellQuoted(r.Name)
	if branch, ok := git.BranchName(r.Name); ok {
		newest, err := c.newestOf(ctx, branch)
		if err != nil {
			return "", err
		}
		if newest != "" {
			return fmt.Sprintf("git update-ref --no-deref %s %s %s", name, newest, r.ID), nil
		}
	}
	return fmt.Sprintf("git update-ref --no-deref -d %s %s", name, r.ID), nil
}

// newestOf returns the newest whole commit of a branch, of those that nothing leads to or that other branches lead to; "" for none.
func (c *checker) newestOf(ctx context.Context, branch string) (git.ID, error) {
	unreached, err := c.s.Repo().Unreachable(ctx)
	if err != nil {
		return "", err
	}
	l, err := c.s.Repo().ListRefs(ctx, git.BranchPrefix, git.TagPrefix, git.DeletedPrefix)
	if err != nil {
		return "", err
	}
	ids := map[git.ID]bool{}
	for _, id := range unreached {
		ids[id] = true
	}
	for _, r := range l.Refs {
		list, err := c.s.Repo().History(ctx, []git.ID{r.ID})
		if git.ExitCode(err) > 0 { // it has a hole
			continue
		}
		if err != nil {
			return "", err
		}
		for _, n := range list {
			ids[n.ID] = true
		}
	}
	infos, err := c.s.Repo().Infos(ctx, slices.Sorted(maps.Keys(ids)))
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
		if store.BranchOf(at) == branch {
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
