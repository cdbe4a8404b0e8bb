package remake

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// unreached returns the newest commit that nothing leads to and that the child of a lost one of a branch or of the roadmap
// may come from; "" for none.
func (h *Holes) unreached(ctx context.Context, id git.ID, r git.Ref) (git.ID, error) {
	child := h.commits[h.child[id]]
	if child == nil || r.Name == git.NotesRef { // the newest notes have all lines
		return "", nil
	}
	if err := h.readLoose(ctx); err != nil {
		return "", err
	}
	var list, alike []*git.Commit
	undone := h.undone(id)
	for _, c := range h.loose {
		if undone[c.ID] {
			continue
		}
		ok, err := h.mayPrecede(ctx, c, child)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		list = append(list, c)
		lacks, err := h.lacksTopics(ctx, child, c)
		if err != nil {
			return "", err
		}
		if !lacks {
			alike = append(alike, c)
		}
	}
	if len(alike) > 0 { // else the lost commit has removed a topic
		list = alike
	}
	if c := newest(list); c != nil {
		return c.ID, nil
	}
	return "", nil
}

// mayPrecede reports whether a commit may be in the history of another one, by its branch, date and newest entry.
func (h *Holes) mayPrecede(ctx context.Context, c, child *git.Commit) (bool, error) {
	if store.BranchOf(c) != store.BranchOf(child) || c.Committer.When.After(child.Committer.When) ||
		c.Trailer(store.TrailerNewest) > child.Trailer(store.TrailerNewest) {
		return false, nil
	}
	if store.BranchOf(c) == "" {
		_, is, err := h.s.Repo().Edit(c.Tree).Entry(ctx, doc.RoadmapFile)
		return is, ignoreLost(err)
	}
	return h.contains(ctx, child, c.Trailer(store.TrailerNewest))
}

// mostFetched is at how many commits of a remote fetched looks.
const mostFetched = 1000

// fetched returns the newest commit that a remote has of the branch of a lost one, or of the roadmap, and whose topics, keys
// or items the child has all as they are there; "" for none. What the remote has since then, this repository may never have
// merged: below its own commits it would be set back.
func (h *Holes) fetched(ctx context.Context, id git.ID, r git.Ref) (git.ID, error) {
	child := h.commits[h.child[id]]
	if child == nil {
		return "", nil
	}
	remotes, err := h.s.Repo().Remotes(ctx)
	if err != nil {
		return "", err
	}
	ref := r.Name
	if branch := store.BranchOf(child); branch != "" {
		ref = git.BranchRef(branch)
	}
	for _, name := range remotes {
		tip, err := h.s.Repo().Ref(ctx, git.RemoteTracking(name).Of(ref))
		if errors.Is(err, git.ErrNotFound) || err == nil && !h.shared[tip] {
			continue
		}
		if err != nil {
			return "", err
		}
		if ref == git.NotesRef {
			return tip, nil
		}
		list, err := h.s.Repo().History(ctx, []git.ID{tip})
		if err != nil {
			return "", err
		}
		for _, n := range slices.Backward(list[max(len(list)-mostFetched, 0):]) {
			c, err := h.s.Repo().Commit(ctx, n.ID)
			if err != nil {
				return "", err
			}
			ok, err := h.mayPrecede(ctx, c, child)
			if err == nil && ok {
				ok, err = h.hasAll(ctx, child, c)
			}
			if ok || err != nil {
				return c.ID, err
			}
		}
	}
	return "", nil
}

// hasAll reports whether a commit has the topics and keys of another one, or the roadmap, as they are there.
func (h *Holes) hasAll(ctx context.Context, c, of *git.Commit) (bool, error) {
	if store.BranchOf(of) == "" {
		was, err := h.s.RoadmapAt(ctx, of.ID)
		if err != nil {
			return false, ignoreLost(err)
		}
		now, err := h.s.RoadmapAt(ctx, c.ID)
		if err != nil {
			return false, ignoreLost(err)
		}
		before, has := doc.ParseRoadmap(was), doc.ParseRoadmap(now)
		for _, same := range has.Same(before) {
			if !same {
				return false, nil
			}
		}
		return len(has.Lost(before)) == 0, nil
	}
	tips := [2]*store.Tip{h.s.TipOf(store.BranchOf(c), c), h.s.TipOf(store.BranchOf(of), of)}
	var topics [2]map[string]git.ID
	var meta [2]*doc.Metadata
	for i, tip := range tips {
		var err error
		if topics[i], err = store.TopicIDs(ctx, tip); err == nil {
			meta[i], err = tip.Metadata(ctx)
		}
		if err != nil {
			return false, ignoreLost(err)
		}
	}
	for name, blob := range topics[1] {
		if topics[0][name] != blob {
			return false, nil
		}
	}
	keys, err := doc.NewMetadata().Lost(meta[1], false)
	for _, k := range keys {
		now, has, err := meta[0].In(k)
		if err != nil || !has || !now.Equal(k) {
			return false, err
		}
	}
	return err == nil, err
}

// undone returns the commits that nothing leads to and that come from a commit.
func (h *Holes) undone(from git.ID) map[git.ID]bool {
	children := map[git.ID][]git.ID{}
	for _, c := range h.loose {
		for _, p := range c.Parents {
			children[p] = append(children[p], c.ID)
		}
	}
	seen := map[git.ID]bool{}
	for stack := children[from]; len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !seen[id] {
			seen[id] = true
			stack = append(stack, children[id]...)
		}
	}
	return seen
}

// lacksTopics reports whether a commit lacks topics of another one, which may have been undone.
func (h *Holes) lacksTopics(ctx context.Context, c, of *git.Commit) (bool, error) {
	had, err := store.TopicIDs(ctx, h.s.TipOf(store.BranchOf(of), of))
	if err != nil {
		return true, ignoreLost(err)
	}
	has, err := store.TopicIDs(ctx, h.s.TipOf(store.BranchOf(c), c))
	for name := range had {
		if has[name] == "" {
			return true, ignoreLost(err)
		}
	}
	return false, ignoreLost(err)
}

// contains reports whether the documents of a commit have an entry. What is lost counts as having it.
func (h *Holes) contains(ctx context.Context, c *git.Commit, entry string) (bool, error) {
	tip := h.s.TipOf(store.BranchOf(c), c)
	for _, k := range []store.EntryKind{store.CommitEntries, store.LogEntries} {
		has, err := tip.ContainsEntry(ctx, k, entry)
		if errors.Is(err, git.ErrNotFound) {
			return true, nil
		}
		if has || err != nil {
			return has, err
		}
	}
	return false, nil
}

func ignoreLost(err error) error {
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	return err
}

func (h *Holes) readLoose(ctx context.Context) error {
	if h.loose != nil {
		return nil
	}
	h.loose = []*git.Commit{}
	ids, err := h.s.Repo().Unreachable(ctx)
	if err != nil {
		return err
	}
	infos, err := h.s.Repo().Infos(ctx, ids)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if info.Type != "commit" {
			continue
		}
		c, err := h.s.Repo().Commit(ctx, info.ID)
		if err != nil {
			return err
		}
		h.loose = append(h.loose, c)
	}
	return nil
}
