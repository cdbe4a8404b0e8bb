//go:build unix

package test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// modelHashes says which commit of the model is which of git's. What is one commit to the
// model is one hash in every repository, and the other way round.
type modelHashes struct {
	hash map[any]string
	node map[string]any

	walked        map[string]bool // those whose parents were compared too
	branchesAlone bool            // the roadmap is what tombstones travel in: what its commits are is not foretold
}

func newModelHashes() *modelHashes {
	return &modelHashes{hash: map[any]string{}, node: map[string]any{}, walked: map[string]bool{}}
}

func (h *modelHashes) clone() *modelHashes {
	c := *h
	c.hash, c.node, c.walked = maps.Clone(h.hash), maps.Clone(h.node), maps.Clone(h.walked)
	return &c
}

// isCommit holds that a commit has a hash, and that its parents have theirs.
func isCommit[T graph[T]](h *modelHashes, ref string, n T, hash string, history modelHistory) error {
	old := h.hash[n]
	if err := h.is(ref, n, hash); err != nil || old == hash && h.walked[hash] {
		return err
	}
	h.walked[hash] = true
	parents := history.parents[hash]
	if got, want := len(parents), len(n.before()); got != want {
		return fmt.Errorf("%s has %d parents, not %d", ref, got, want)
	}
	if got, want := history.ids[hash], n.milestoneID(); got != want && want != unknownID {
		return fmt.Errorf("%s is milestone '%s', not '%s'", ref, got, want)
	}
	if then := n.roadmapThen(); then != nil && !h.branchesAlone {
		if err := h.is("the roadmap of "+ref, then, history.roadmap[hash]); err != nil {
			return err
		}
	}
	for i, p := range n.before() {
		if err := isCommit(h, fmt.Sprint(ref, "^", i+1), p, parents[i], history); err != nil {
			return err
		}
	}
	return nil
}

// is holds that a commit has a hash, or keeps it where both are new.
func (h *modelHashes) is(ref string, n any, hash string) error {
	known, named := h.hash[n]
	other, taken := h.node[hash]
	switch {
	case hash == "":
		return fmt.Errorf("%s is missing", ref)
	case named && known != hash:
		return fmt.Errorf("%s is %.7s, not %.7s", ref, hash, known)
	case taken && other != n:
		return fmt.Errorf("%s is %.7s, which is another commit", ref, hash)
	}
	h.hash[n], h.node[hash] = hash, n
	return nil
}

// same compares all refs of a repository.
func (h *modelHashes) same(r *modelRepo, seen *modelSeen) error {
	left := maps.Clone(seen.refs)
	if err := h.side(r.modelSide, "refs/context/heads/", "refs/context/tags/", "refs/context/roadmap", left, seen.history); err != nil {
		return err
	}
	const there = "refs/context/remotes/origin/"
	if err := h.side(r.remote, there+"heads/", there+"tags/", there+"roadmap", left, seen.history); err != nil {
		return err
	}
	for name, list := range r.deleted {
		var hashes []string
		for _, ref := range slices.Sorted(maps.Keys(left)) { // their ids are in order
			if strings.HasPrefix(ref, "refs/context/deleted/"+name+"-") {
				hashes = append(hashes, left[ref])
				delete(left, ref)
			}
		}
		if len(hashes) != len(list) {
			return fmt.Errorf("%d deleted branches '%s', not %d", len(hashes), name, len(list))
		}
		for i, n := range list {
			if err := isCommit(h, "deleted "+name, n, hashes[i], seen.history); err != nil {
				return err
			}
		}
	}
	for ref := range left {
		if !strings.HasPrefix(ref, "refs/context/bundle") {
			return fmt.Errorf("%s should not be there", ref)
		}
	}
	return nil
}

// side compares the refs of one side, and takes them out of those that are left.
func (h *modelHashes) side(s modelSide, heads, tags, roadmap string, left map[string]string, history modelHistory) error {
	all := map[string]*modelNode{}
	for name, n := range s.heads {
		all[heads+name] = n
	}
	for name, n := range s.tags {
		all[tags+name] = n
	}
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		if err := isCommit(h, ref, all[ref], left[ref], history); err != nil {
			return err
		}
		delete(left, ref)
	}
	if s.roadmap != nil && !h.branchesAlone {
		if err := isCommit(h, roadmap, s.roadmap, left[roadmap], history); err != nil {
			return err
		}
	}
	delete(left, roadmap)
	return nil
}
