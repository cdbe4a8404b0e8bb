package remake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// unreached returns commits that nothing leads to and that may be parents of the child of a lost one, of a branch or of the roadmap:
// the newest one of its branch, which comes from since if that is not "", and the newest ones of branches that were merged.
func (h *Holes) unreached(ctx context.Context, id git.ID, r git.Ref, since git.ID) ([]git.ID, error) {
	child, err := h.childOf(ctx, id)
	if child == nil || err != nil || r.Name == git.NotesRef { // the newest notes have all lines
		return nil, err
	}
	if err := h.readLoose(ctx); err != nil {
		return nil, err
	}
	var list []git.ID
	if child.Parents[0] == id {
		own, err := h.unreachedOwn(ctx, id, child, since)
		if err != nil {
			return nil, err
		}
		if own == nil && since != "" {
			list = append(list, since)
		} else if own != nil {
			list = append(list, own.ID)
		}
	}
	merged, err := h.unreachedMerged(ctx, id, child, list)
	return append(list, merged...), err
}

// unreachedOwn returns the newest commit of the branch of a child; nil for none.
func (h *Holes) unreachedOwn(ctx context.Context, id git.ID, child *git.Commit, since git.ID) (*git.Commit, error) {
	undone := h.after(id) // else the lost one would come from itself
	var from map[git.ID]bool
	if since != "" {
		from = h.after(since)
	}
	var list, made []*git.Commit
	for _, c := range h.loose {
		if undone[c.ID] || since != "" && !from[c.ID] {
			continue
		}
		ok, err := h.mayPrecede(ctx, c, child)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		list = append(list, c)
		has, err := h.contains(ctx, child, c.Trailer(store.TrailerID), false)
		if err != nil {
			return nil, err
		}
		if has {
			made = append(made, c)
		}
	}
	// A commit whose entry is there was not undone. One of topics or metadata may have been, and then the child lacks its topic.
	last := Newest(made)
	var alike []*git.Commit
	if last != nil {
		from, alike = h.after(last.ID), []*git.Commit{last}
	}
	for _, c := range list {
		if last != nil && !from[c.ID] {
			continue
		}
		lacks, err := h.lacksTopics(ctx, child, c)
		if err != nil {
			return nil, err
		}
		if !lacks {
			alike = append(alike, c)
		}
	}
	if len(alike) > 0 { // else the lost commit has removed a topic
		list = alike
	}
	return Newest(list), nil
}

// unreachedMerged returns the newest commits of other branches whose entries the child of a lost commit has and neither its other
// parents nor own: the lost commit merged them.
func (h *Holes) unreachedMerged(ctx context.Context, lost git.ID, child *git.Commit, own []git.ID) ([]git.ID, error) {
	var others []*git.Commit
	for _, p := range slices.Concat(child.Parents, own) {
		c, err := h.s.Repo().Commit(ctx, p)
		if p == lost || errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		others = append(others, c)
	}
	branches := map[string][]*git.Commit{}
	for _, c := range slices.Concat(h.loose, slices.Collect(maps.Values(h.commits))) {
		entry := c.Trailer(store.TrailerID)
		if entry == "" || store.BranchOf(c) == store.BranchOf(child) || entry > child.Trailer(store.TrailerNewest) {
			continue
		}
		has, err := h.contains(ctx, child, entry, false)
		for _, other := range others {
			if !has || err != nil {
				break
			}
			var before bool
			before, err = h.contains(ctx, other, entry, true)
			has = !before
		}
		if err != nil {
			return nil, err
		}
		if has {
			branches[store.BranchOf(c)] = append(branches[store.BranchOf(c)], c)
		}
	}
	var list []git.ID
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		list = append(list, Newest(branches[name]).ID)
	}
	return list, nil
}

// mayPrecede reports whether a commit may be in the history of another one, by its branch, date and newest entry.
func (h *Holes) mayPrecede(ctx context.Context, c, child *git.Commit) (bool, error) {
	if store.BranchOf(c) != branchBefore(child) || c.Committer.When.After(child.Committer.When) ||
		c.Trailer(store.TrailerNewest) > child.Trailer(store.TrailerNewest) {
		return false, nil
	}
	if isBirth(child) { // it has no entry of the other branch
		return branchBefore(child) != "", nil
	}
	if store.BranchOf(c) == "" {
		_, is, err := h.s.Repo().Edit(c.Tree).Entry(ctx, doc.RoadmapFile)
		return is, ignoreLost(err)
	}
	return h.contains(ctx, child, c.Trailer(store.TrailerNewest), true)
}

// mostFetched is at how many commits of a remote fetched looks.
const mostFetched = 1000

// fetched returns the newest commit that a remote has of the branch of a lost one, or of the roadmap, and whose topics, keys
// or items the child has all as they are there; "" for none. What the remote has since then, this repository may never have
// merged: below its own commits it would be set back.
func (h *Holes) fetched(ctx context.Context, id git.ID, r git.Ref) (git.ID, error) {
	child, err := h.childOf(ctx, id)
	if child == nil || err != nil {
		return "", err
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
	topics, meta, err := h.read(ctx, [2]*git.Commit{c, of})
	if err != nil {
		return false, ignoreLost(err)
	}
	for name, blob := range topics[1] {
		if topics[0][name] != blob {
			return false, nil
		}
	}
	n, err := missingKeys(meta[0], meta[1])
	return n == 0 && err == nil, err
}

// read reads the topics and the metadata of two commits.
func (h *Holes) read(ctx context.Context, list [2]*git.Commit) (topics [2]map[string]git.ID, meta [2]*doc.Metadata, err error) {
	for i, c := range list {
		tip := h.s.TipOf(store.BranchOf(c), c)
		if topics[i], err = store.TopicIDs(ctx, tip); err == nil {
			meta[i], err = tip.Metadata(ctx)
		}
		if err != nil {
			return topics, meta, err
		}
	}
	return topics, meta, nil
}

// missingKeys counts the keys of other metadata that metadata lack or have with another value, without those of one branch.
func missingKeys(m, of *doc.Metadata) (n int, err error) {
	keys, err := doc.NewMetadata().Lost(of, false)
	for _, k := range keys {
		now, has, err := m.In(k)
		if err != nil {
			return 0, err
		}
		if !has || !now.Equal(k) {
			n++
		}
	}
	return n, err
}

// differingKeys counts the keys that only one of two metadata has or has otherwise.
func differingKeys(a, b *doc.Metadata) (int, error) {
	n, err := missingKeys(a, b)
	if err != nil {
		return 0, err
	}
	m, err := missingKeys(b, a)
	return n + m, err
}

// after returns the commits that nothing leads to and that come from a commit.
func (h *Holes) after(from git.ID) map[git.ID]bool {
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

// contains reports whether the documents of a commit have an entry; lost is the answer where that is not known.
func (h *Holes) contains(ctx context.Context, c *git.Commit, entry string, lost bool) (bool, error) {
	if entry == "" {
		return false, nil
	}
	tip := h.s.TipOf(store.BranchOf(c), c)
	for _, k := range []store.EntryKind{store.CommitEntries, store.LogEntries} {
		has, err := tip.ContainsEntry(ctx, k, entry)
		if errors.Is(err, git.ErrNotFound) {
			return lost, nil
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
	known := map[string]bool{}
	var failed error
	err := h.reach(ctx, slices.Concat(h.own, h.kept), func(c *git.Commit) {
		made, err := h.madeAs(ctx, c)
		known[made], failed = true, errors.Join(failed, err)
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	infos, err := h.s.Repo().UnreachableInfos(ctx)
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
		made, err := h.madeAs(ctx, c)
		if err != nil {
			return err
		}
		if !known[made] {
			h.loose = append(h.loose, c)
		}
	}
	return nil
}

// madeAs tells commits apart that are not forms of one: a repair that was killed may have made a commit again, and that is no other history.
// Two changes of one second may have one subject, and differ in topics or keys.
func (h *Holes) madeAs(ctx context.Context, c *git.Commit) (string, error) {
	if id := c.Trailer(store.TrailerID); id != "" {
		return id, nil
	}
	made := fmt.Sprintf("%s\x00%s\x00%d\x00%s", c.Author.Name, c.Author.Email, c.Author.When.Unix(), c.Subject())
	if c.Tree.IsZero() {
		return made, nil
	}
	for _, name := range []string{doc.TopicDir, doc.MetadataFile, doc.RoadmapFile} {
		e, _, err := h.s.Repo().Edit(c.Tree).Entry(ctx, name)
		if ignoreLost(err) != nil {
			return "", err
		}
		made += "\x00" + string(e.ID)
	}
	return made, nil
}
