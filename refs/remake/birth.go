package remake

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// lostBirth returns the lost first commit of a branch that began from another branch, without a tree, as the commit that follows and
// its commit.md tell of it; nil if they do not. Without it the branch would have nothing in common with the other one, so that
// the next merge would bring back what that has removed since.
func (h *Holes) lostBirth(ctx context.Context, id git.ID) (*git.Commit, error) {
	child, err := h.childOf(ctx, id)
	if child == nil || err != nil {
		return nil, err
	}
	at, from := store.ParseCreated(child.Trailer(store.TrailerCreated))
	if at == nil || from == nil {
		return nil, nil
	}
	if isBirth(child) {
		return nil, nil // what is lost is of the other branch
	}
	entry, err := h.firstEntry(ctx, child, *from)
	if entry == nil || err != nil {
		return nil, err
	}
	parent, err := h.closestOf(ctx, *from, child, func(c *git.Commit) bool {
		return !c.Committer.When.After(*at) && c.Trailer(store.TrailerNewest) < entry.ID
	})
	if parent == nil || err != nil {
		return nil, err
	}
	c := &git.Commit{ID: id, Tree: git.ID(strings.Repeat("0", len(id))), Parents: []git.ID{parent.ID}, Author: child.Author, Committer: child.Committer}
	c.Author.When, c.Committer.When = *at, *at
	c.Message = entry.Summary + "\n\n"
	for _, key := range []string{store.TrailerBranch, store.TrailerCreated, store.TrailerPurpose} {
		if child.Trailer(key) == "" {
			continue
		}
		c.Message += key + ": " + child.Trailer(key) + "\n"
	}
	c.Message += store.TrailerNewest + ": " + entry.ID + "\n"
	return c, nil
}

// firstEntry returns the entry of the first commit of a branch, as its next commit has it or, without a commit.md, says it; nil for unknown.
func (h *Holes) firstEntry(ctx context.Context, child *git.Commit, from string) (*doc.Commit, error) {
	branch := store.BranchOf(child)
	data, err := h.s.TipOf(branch, child).OptionalDocument(ctx, doc.CommitFile)
	if errors.Is(err, git.ErrNotFound) && child.Trailer(store.TrailerID) == "" {
		return &doc.Commit{ID: child.Trailer(store.TrailerNewest), Summary: store.SubjectBirth + branch + " from " + from}, nil
	}
	if len(data) == 0 || err != nil {
		return nil, ignoreLost(err)
	}
	list, err := doc.ParseCommits(data)
	if err != nil || len(list) == 0 || list[0].Kind != doc.KindBirth { // the first one has gone to a segment
		return nil, nil
	}
	return &list[0], nil
}

// isBirth reports whether a commit is the first one of its branch.
func isBirth(c *git.Commit) bool {
	return c.Trailer(store.TrailerID) == "" && strings.HasPrefix(c.Subject(), store.SubjectBirth+store.BranchOf(c))
}

// childOf returns a commit that is here and that a lost one is a parent of: one of the same branch, if there is any. nil: none.
func (h *Holes) childOf(ctx context.Context, lost git.ID) (*git.Commit, error) {
	if err := h.readChildren(ctx); err != nil {
		return nil, err
	}
	list := h.children[lost]
	if len(list) == 0 { // what leads to it was found in the place of another lost one
		return h.commits[h.led[lost]], nil
	}
	return slices.MinFunc(list, func(a, b *git.Commit) int {
		return cmp.Or(cmp.Compare(far(a, lost), far(b, lost)), cmp.Compare(a.ID, b.ID))
	}), nil
}

// far tells how likely a child is of another branch than its parent.
func far(c *git.Commit, parent git.ID) int {
	switch {
	case c.Parents[0] != parent:
		return 2
	case isBirth(c):
		return 1
	}
	return 0
}

// readChildren reads the commits that own refs and requests lead to.
func (h *Holes) readChildren(ctx context.Context) error {
	if h.children != nil {
		return nil
	}
	h.children = map[git.ID][]*git.Commit{}
	return h.reach(ctx, slices.Concat(h.own, h.kept), func(c *git.Commit) {
		for _, p := range c.Parents {
			h.children[p] = append(h.children[p], c)
		}
	})
}

// reach visits the commits that refs lead to, each once: those that are here or that journals tell of.
func (h *Holes) reach(ctx context.Context, refs []git.Ref, visit func(*git.Commit)) error {
	seen := map[git.ID]bool{}
	stack := expunge.UniqueIDs(refs)
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		c, err := h.s.Repo().Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) {
			c, err = h.tell(ctx, id)
		}
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		visit(c)
		if !h.edge[id] {
			stack = append(stack, c.Parents...)
		}
	}
	return nil
}

// mostCompared is with how many commits of a branch closestOf compares another one.
const mostCompared = 1000

// closestOf returns the commit of a branch, of those that own refs lead to and that may be it, whose topics and metadata differ
// least from those of another commit; the newest of several, nil for none. A branch need not begin at the newest commit, and one that
// differs would set back what has been changed between them, or bring back what has been removed, with the next merge.
func (h *Holes) closestOf(ctx context.Context, branch string, to *git.Commit, mayBe func(*git.Commit) bool) (*git.Commit, error) {
	var list []*git.Commit
	err := h.reach(ctx, h.own, func(c *git.Commit) {
		if store.BranchOf(c) == branch && mayBe(c) {
			list = append(list, c)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b *git.Commit) int { return b.Committer.When.Compare(a.Committer.When) })
	var closest []*git.Commit
	least := -1
	for _, c := range list[:min(len(list), mostCompared)] {
		n, err := h.difference(ctx, c, to)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if least < 0 || n < least {
			least, closest = n, nil
		}
		if n == least {
			closest = append(closest, c)
		}
	}
	if closest == nil { // the topics or keys of the other commit are lost
		closest = list
	}
	return Newest(closest), nil
}

// difference counts the topics and keys that only one of two commits has or has otherwise, but for what the second one changed itself, by its
// subject. git.ErrNotFound: some are lost.
func (h *Holes) difference(ctx context.Context, a, b *git.Commit) (int, error) {
	topics, meta, err := h.read(ctx, [2]*git.Commit{a, b})
	if err != nil {
		return 0, err
	}
	changed := exit{Commit: b}
	for i := range meta {
		delete(topics[i], path.Base(changed.topic()))
		if key := changed.key(); key != "" {
			_, _ = meta[i].Unset(key) // a subject that was written by hand names no key
		}
	}
	n, err := differingKeys(meta[0], meta[1])
	for name, blob := range topics[0] {
		if topics[1][name] != blob {
			n++
		}
	}
	for name := range topics[1] {
		if topics[0][name] == "" {
			n++
		}
	}
	return n, err
}

// Newest returns the commit with the newest entry, of several the latest one, of those from which none of the others comes; nil
// for no commits.
func Newest(list []*git.Commit) *git.Commit {
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
