package fsck

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/store"
)

// former is what a ref named before.
type former struct {
	id     git.ID   // "" for nothing that is of use
	newer  int      // how many changes followed
	hollow []git.ID // commits that followed, are here, and are not whole
}

// formerly returns the newest commit that a ref is known to have named and that is usable, without those that were undone or
// amended: by its reflog; else by the marks of its journal or the trailers of branches; else as a remote has
// it. It returns none for a tracking ref and for handed over code, of which an older one is of
// no use.
func (c *checker) formerly(ctx context.Context, name string) (former, error) {
	var f former
	if tracking(name) || isWork(name) {
		return f, nil
	}
	past, err := c.line(ctx, name)
	if err != nil {
		return f, err
	}
	told, err := c.toldPast(ctx, name)
	if err != nil {
		return f, err
	}
	past = append(past, told...)
	parents, err := c.firstParents(ctx, name)
	if err != nil {
		return f, err
	}
	past = append(past, parents...)
	remotes, err := c.s.Repo().Remotes(ctx)
	if err != nil {
		return f, err
	}
	for _, remote := range remotes {
		id, err := c.s.Repo().Ref(ctx, git.RemoteTracking(remote).Of(name))
		if err == nil {
			past = append(past, id)
		}
	}
	if len(past) == 0 {
		return f, nil
	}
	infos, err := c.s.Repo().Infos(ctx, past)
	if err != nil {
		return f, err
	}
	for i, info := range infos {
		if info.Type == "commit" && c.usable(ctx, info.ID) {
			f.id, f.newer = info.ID, i
			return f, nil
		}
		if info.Type == "commit" {
			f.hollow = append(f.hollow, info.ID)
		}
	}
	return former{}, nil
}

// mostParents is how many commits of a branch firstParents lists.
const mostParents = 200

// firstParents lists the commits of a branch from its tip down, the newest first: git expires reflogs, and a clone has none.
// What cannot be read ends the list: the ref or a commit is broken, which is why this is asked.
func (c *checker) firstParents(ctx context.Context, name string) (list []git.ID, err error) {
	branch, ok := git.BranchName(name)
	if !ok {
		return nil, nil
	}
	id, err := c.s.Repo().Ref(ctx, name)
	for len(list) < mostParents && err == nil {
		var at *git.Commit
		if at, err = c.s.Repo().Commit(ctx, id); err != nil || store.BranchOf(at) != branch {
			break
		}
		list = append(list, id)
		if len(at.Parents) == 0 {
			break
		}
		id = at.Parents[0]
	}
	return list, ctx.Err()
}

// line lists what a ref has named on the way to what it was last, the newest first, by its reflog.
func (c *checker) line(ctx context.Context, name string) ([]git.ID, error) {
	moves, err := c.s.Repo().Moves(ctx, name)
	if err != nil {
		return nil, err
	}
	told := map[git.ID]*git.Commit{}
	if branch, ok := git.BranchName(name); ok {
		content, err := c.readContent(branch)
		if err != nil {
			return nil, err
		}
		if content != nil {
			told = store.ToldCommits(content)
		}
	}
	line, err := remake.Line(ctx, c.s.Repo(), moves, func(id git.ID) *git.Commit { return told[id] })
	slices.Reverse(line)
	return line, err
}

// toldPast lists what else tells of the past of a ref, the newest first: the marks of a branch's
// journal, and of the roadmap the trailers of branches.
func (c *checker) toldPast(ctx context.Context, name string) ([]git.ID, error) {
	var ids []git.ID
	if branch, ok := git.BranchName(name); ok {
		content, err := c.readContent(branch)
		if content == nil || err != nil {
			return nil, err
		}
		for _, m := range slices.Backward(content.Marks()) {
			if c.s.Repo().IsID(m.Committed) {
				ids = append(ids, git.ID(m.Committed))
			}
		}
	}
	if name != git.RoadmapRef {
		return ids, nil
	}
	refs, err := c.s.Repo().Refs(ctx, git.BranchPrefix)
	if err != nil {
		return nil, err
	}
	var tips []*git.Commit
	for _, r := range refs {
		tip, err := c.s.Repo().Commit(ctx, r.ID)
		if err != nil {
			continue // it is lost, too
		}
		tips = append(tips, tip)
	}
	slices.SortStableFunc(tips, func(a, b *git.Commit) int { return b.Committer.When.Compare(a.Committer.When) })
	for _, tip := range tips {
		if id, _ := store.ParseRoadmap(tip.Trailer(store.TrailerRoadmap)); c.s.Repo().IsID(string(id)) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
