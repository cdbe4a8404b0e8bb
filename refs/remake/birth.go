package remake

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// birth returns the lost first commit of a branch that began from another branch, without a tree, as the commit that follows and
// its commit.md tell of it; nil if they do not. Without it the branch would have nothing in common with the other one, so that
// the next merge would bring back what that has removed since.
func (h *Holes) birth(ctx context.Context, id git.ID) (*git.Commit, error) {
	child := h.commits[h.child[id]]
	if child == nil {
		return nil, nil
	}
	at, from := store.ParseCreated(child.Trailer(store.TrailerCreated))
	if at == nil || from == nil {
		return nil, nil
	}
	data, err := h.s.TipOf(store.BranchOf(child), child).OptionalDocument(ctx, doc.CommitFile)
	if len(data) == 0 || err != nil {
		return nil, ignoreLost(err)
	}
	list, err := doc.ParseCommits(data)
	if err != nil || len(list) == 0 || list[0].Kind != doc.KindBirth { // the first one has gone to a segment
		return nil, nil
	}
	entry := list[0]
	// Dates are in seconds: of the same second is what has the same topics and metadata. One that is too new would take
	// back what the other branch has changed since.
	parent, err := h.newestOf(ctx, *from, func(c *git.Commit) (bool, error) {
		if c.Committer.When.After(*at) || c.Trailer(store.TrailerNewest) >= entry.ID {
			return false, nil
		}
		if c.Committer.When.Before(*at) {
			return true, nil
		}
		same, err := h.hasAll(ctx, child, c)
		if same && err == nil {
			same, err = h.hasAll(ctx, c, child)
		}
		return same, err
	})
	if parent == nil || err != nil {
		return nil, err
	}
	c := &git.Commit{ID: id, Tree: git.ID(strings.Repeat("0", len(id))), Parents: []git.ID{parent.ID}, Author: child.Author, Committer: child.Committer}
	c.Author.When, c.Committer.When = *at, *at
	c.Message = entry.Summary + "\n\n"
	for _, key := range []string{store.TrailerBranch, store.TrailerCreated} {
		c.Message += key + ": " + child.Trailer(key) + "\n"
	}
	c.Message += store.TrailerNewest + ": " + entry.ID + "\n"
	return c, nil
}

// newestOf returns the newest commit of a branch for which want holds, of those that own refs lead to; nil for none.
func (h *Holes) newestOf(ctx context.Context, branch string, want func(*git.Commit) (bool, error)) (*git.Commit, error) {
	seen := map[git.ID]bool{}
	var stack []git.ID
	for _, r := range h.own {
		if r.Name != git.NotesRef && r.Name != git.RoadmapRef {
			stack = append(stack, r.ID)
		}
	}
	var list []*git.Commit
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		c, err := h.s.Repo().Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		stack = append(stack, c.Parents...)
		if store.BranchOf(c) != branch {
			continue
		}
		wanted, err := want(c)
		if err != nil {
			return nil, err
		}
		if wanted {
			list = append(list, c)
		}
	}
	return newest(list), nil
}

// newest returns the commit with the newest entry, of several the latest one, of those from which none of the others comes; nil
// for no commits.
func newest(list []*git.Commit) *git.Commit {
	inner := map[git.ID]bool{}
	for _, c := range list {
		for _, p := range c.Parents {
			inner[p] = true
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(c *git.Commit) bool { return inner[c.ID] })
	if len(list) == 0 {
		return nil
	}
	return slices.MaxFunc(list, func(a, b *git.Commit) int {
		return cmp.Or(strings.Compare(a.Trailer(store.TrailerNewest), b.Trailer(store.TrailerNewest)),
			a.Committer.When.Compare(b.Committer.When), cmp.Compare(a.ID, b.ID))
	})
}
