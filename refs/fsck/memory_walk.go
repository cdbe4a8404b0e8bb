package fsck

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// walk lists what tips reach, parents before their children, and what our own refs reach before
// what only remotes have. Of the notes it lists the tip alone.
func (v *memory) walk(ctx context.Context) ([]*incoming.Commit, error) {
	var deep []git.ID
	for _, t := range v.tips {
		if t.Role != incoming.RoleNotes {
			deep = append(deep, t.ID)
		}
	}
	list, err := v.s.Repo().History(ctx, deep)
	if err != nil && !incoming.Unreadable(err) {
		return nil, err
	}
	if err != nil || lacksParent(list) {
		if list, err = v.walkBroken(ctx, deep); err != nil {
			return nil, err
		}
	}
	commits := make([]*incoming.Commit, 0, len(list)+1)
	for _, n := range list {
		c := &incoming.Commit{ID: n.ID, Parents: n.Parents}
		commits, v.in.ByID[n.ID] = append(commits, c), c
	}
	for _, mine := range []bool{true, false} {
		v.mark(commits, mine)
	}
	slices.SortStableFunc(commits, func(a, b *incoming.Commit) int {
		switch {
		case isOwn(a.Ref) == isOwn(b.Ref):
			return 0
		case isOwn(a.Ref):
			return -1
		}
		return 1
	})
	for _, t := range v.tips {
		if t.Role == incoming.RoleNotes && v.in.ByID[t.ID] == nil {
			commits = append(commits, &incoming.Commit{ID: t.ID, Roles: incoming.RoleNotes, Ref: t.Name})
		}
	}
	return commits, nil
}

// lacksParent reports whether a history lists a parent and not its commit: git rev-list prints an error about a missing
// parent, and exits with 0.
func lacksParent(list []git.NewCommit) bool {
	here := make(map[git.ID]bool, len(list))
	for _, n := range list {
		here[n.ID] = true
	}
	return slices.ContainsFunc(list, func(n git.NewCommit) bool {
		return slices.ContainsFunc(n.Parents, func(p git.ID) bool { return !here[p] })
	})
}

// mark records the roles in which our own refs, or those of remotes, reach commits. A ref of a remote adds no
// role to a commit of our own: that is a problem of the ref, which sync reports.
func (v *memory) mark(commits []*incoming.Commit, mine bool) {
	reached := map[git.ID]bool{}
	reach := func(n *incoming.Commit, r incoming.Role, ref string) {
		if mine || n.Ref == "" || !isOwn(n.Ref) {
			n.Reach(r, ref)
		}
	}
	for _, t := range v.tips {
		if n := v.in.ByID[t.ID]; n != nil && isOwn(t.Name) == mine {
			reach(n, t.Role, t.Name)
			reached[n.ID] = true
		}
	}
	for _, n := range slices.Backward(commits) { // children first
		if !reached[n.ID] {
			continue
		}
		for _, p := range n.Parents {
			if parent := v.in.ByID[p]; parent != nil {
				reach(parent, n.Roles, n.Ref)
				reached[p] = true
			}
		}
	}
}

// walkBroken walks a history that git cannot, because commits are missing or damaged. It
// reports these and cannot see what they lead to.
func (v *memory) walkBroken(ctx context.Context, tips []git.ID) ([]git.NewCommit, error) {
	edge, err := v.s.Repo().Shallow()
	if err != nil {
		return nil, err
	}
	var list []git.NewCommit
	state := map[git.ID]int{} // 1: its parents come first, 2: done
	via := map[git.ID]git.ID{}
	stack := slices.Clone(tips)
	parents := map[git.ID][]git.ID{}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		if state[id] > 0 {
			stack = stack[:len(stack)-1]
			if state[id] == 1 {
				state[id] = 2
				list = append(list, git.NewCommit{ID: id, Parents: parents[id]})
			}
			continue
		}
		c, err := v.s.Repo().Commit(ctx, id)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			state[id] = 2
			v.lost(id, via[id], err)
			continue
		}
		state[id] = 1
		if edge[id] {
			continue
		}
		parents[id] = c.Parents
		for _, p := range c.Parents {
			if state[p] == 0 {
				via[p] = id
				stack = append(stack, p)
			}
		}
	}
	return list, nil
}

// lost reports a commit that does not exist or cannot be read.
func (v *memory) lost(id, child git.ID, err error) {
	kind, what := incoming.FlawMissing, "it is missing"
	if !errors.Is(err, git.ErrNotFound) {
		kind, what = incoming.FlawDamaged, "it cannot be read"
	} else {
		err = nil
	}
	n := &incoming.Commit{ID: id}
	for _, t := range v.tips {
		if t.ID == id {
			n.Ref = t.Name
		}
	}
	if child != "" {
		what += "; it is a parent of " + child.Short()
		v.childOf[id] = child
	}
	v.in.OnFlaw(incoming.Flaw{Spot: n.Spot(), Kind: kind, What: what, Cause: err})
}
