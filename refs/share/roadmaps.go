package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

const (
	mostAlike = 10_000 // commits of the other side, with a tree that one of ours has, that are read to find pairs
	mostNear  = 64     // commits that are read to see that a branch has not diverged
)

// learnRoadmaps learns what commits of the roadmap were replaced by that were never here. A branch may come without the roadmap that its
// commits name, as when the roadmap is refused for a time, or git alone has pushed the branch. An expunge in the clone that wrote them
// replaces that roadmap, and so these commits, which nobody else could rewrite alike: the two forms would be merged and replaced by turns for
// ever. So where a branch has diverged, a commit of ours that names such a commit of the roadmap is compared with what the other
// side has. One that is the same but for this name, and names a commit of the roadmap that is here, tells the replacement. Then our refs
// are rewritten as those of the other side were. It reports whether refs have moved.
//
// Who has the commit of the roadmap learns nothing. Nothing is asked where the tombstones name no replaced commit, or no branch has diverged.
func (ex *exchanger) learnRoadmaps(ctx context.Context, e doc.Expunged, ours, theirs *remote.RefSet) (bool, error) {
	if !ex.merge || ex.expunge || ex.learnt { // once in an exchange: to use what is learnt rewrites all that our refs lead to
		return false, nil
	}
	if len(e.Commits()) == 0 && theirs.Roadmap != ours.Roadmap { // what is only hidden here is replaced there
		var err error
		if e, err = expunge.TombstonesAt(ctx, ex.s, theirs.Roadmap); err != nil {
			return false, err
		}
	}
	if len(e.Commits()) == 0 {
		return false, nil
	}
	names, mine, other, err := ex.apartBranches(ctx, ours, theirs)
	if err != nil || len(names) == 0 {
		return false, err
	}
	unknown, err := ex.unknownRoadmaps(ctx, mine, other)
	if err != nil || len(unknown) == 0 {
		return false, err
	}
	replaced, err := expunge.ReplacedRoadmaps(ex.s)
	if err != nil {
		return false, err
	}
	learnt, err := ex.pairRoadmaps(ctx, unknown, other)
	if err == nil {
		err = ex.onlyOfRoadmap(ctx, learnt, ours, theirs)
	}
	if err != nil {
		return false, err
	}
	again := false // a killed process has learnt it, and did not come to use it
	maps.DeleteFunc(learnt, func(old, _ git.ID) bool {
		again = again || replaced[old] != ""
		return replaced[old] != ""
	})
	if len(learnt) == 0 && !again {
		return false, nil
	}
	ex.learnt = true
	return ex.useRoadmaps(ctx, learnt, names)
}

// apartBranches returns the branches that may have diverged, as they are shown, and what both sides have of them.
func (ex *exchanger) apartBranches(ctx context.Context, ours, theirs *remote.RefSet) (names []string, mine, other []git.ID, err error) {
	for _, name := range slices.Sorted(maps.Keys(ours.Branches)) {
		here, there := ours.Branches[name], theirs.Branches[name]
		if there == "" || there == here || !ex.wants(name) {
			continue
		}
		near, err := ex.isNear(ctx, here, there)
		if err == nil && !near {
			near, err = ex.isNear(ctx, there, here)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		if !near {
			names, mine, other = append(names, git.DisplayName(git.BranchRef(name))), append(mine, here), append(other, there)
		}
	}
	return names, mine, other, nil
}

// isNear reports whether one of the last commits of a branch is another commit. It starts no process, as most exchanges are of branches that
// have gone on by a few commits.
func (ex *exchanger) isNear(ctx context.Context, tip, other git.ID) (bool, error) {
	list, seen := []git.ID{tip}, map[git.ID]bool{tip: true}
	for i := 0; i < min(len(list), mostNear); i++ {
		c, err := ex.s.Repo().Commit(ctx, list[i])
		if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
			continue
		}
		if err != nil {
			return false, err
		}
		if slices.Contains(c.Parents, other) {
			return true, nil
		}
		for _, p := range c.Parents {
			if !seen[p] {
				list, seen[p] = append(list, p), true
			}
		}
	}
	return false, nil
}

// useRoadmaps rewrites our refs by what was learnt.
func (ex *exchanger) useRoadmaps(ctx context.Context, learnt map[git.ID]git.ID, names []string) (bool, error) {
	if err := ex.dropUnsound(ctx); err != nil {
		return false, err
	}
	op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer, Result: resultOf(doc.Expunged{})}
	moved, err := op.FollowRoadmaps(ctx, learnt)
	ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
	if err != nil {
		return false, ex.orUnshallow(err)
	}
	if moved {
		ex.note(fmt.Sprintf("%s was rewritten as on '%s', where an expunge has replaced what it names of the roadmap", prose.QuotedList(names), ex.peer.Name))
	}
	return moved, nil
}

// unknownRoadmaps returns the commits that only ours lead to and that name a commit of the roadmap which is not here: all of each but that
// name, by the commits of the roadmap.
func (ex *exchanger) unknownRoadmaps(ctx context.Context, ours, theirs []git.ID) (map[git.ID][]bareCommit, error) {
	only, err := ex.s.Repo().Beyond(ctx, ours, theirs)
	if err != nil {
		return nil, err
	}
	named := map[git.ID][]bareCommit{}
	err = ex.eachCommit(ctx, slices.Sorted(maps.Keys(only)), func(c *git.Commit) {
		c.Extra = c.Unsigned() // as it would be rewritten
		if bare, roadmap := withoutRoadmap(c); roadmap != "" {
			named[roadmap] = append(named[roadmap], bare)
		}
	})
	if err != nil {
		return nil, err
	}
	infos, err := ex.s.Repo().InfosHere(ctx, slices.Sorted(maps.Keys(named)))
	for _, info := range infos {
		if info.Type != "" {
			delete(named, info.ID)
		}
	}
	return named, err
}

func (ex *exchanger) eachCommit(ctx context.Context, ids []git.ID, each func(*git.Commit)) error {
	for chunk := range slices.Chunk(ids, incoming.ChunkSize) {
		err := ex.s.Repo().ReadAll(ctx, chunk, func(o git.Object) error {
			c, err := git.ParseCommit(o.ID, o.Data)
			if err == nil {
				each(c)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pairRoadmaps finds the commits of the other side that are equal to ones of ours but for the roadmap, and returns what the two name, ours by
// theirs. The whole history of the other side counts: ours may have the two forms merged already. Where pairs disagree nothing is learnt.
func (ex *exchanger) pairRoadmaps(ctx context.Context, unknown map[git.ID][]bareCommit, theirs []git.ID) (map[git.ID]git.ID, error) {
	of, trees := map[bareCommit][]git.ID{}, map[git.ID]bool{}
	for roadmap, list := range unknown {
		for _, bare := range list {
			of[bare], trees[bare.tree] = append(of[bare], roadmap), true
		}
	}
	history, err := ex.s.Repo().HistoryTrees(ctx, theirs)
	if err != nil {
		return nil, err
	}
	var alike []git.ID
	for _, c := range history {
		if trees[c.Tree] && len(alike) < mostAlike {
			alike = append(alike, c.ID)
		}
	}
	found := map[git.ID]map[git.ID]bool{}
	err = ex.eachCommit(ctx, alike, func(c *git.Commit) {
		bare, roadmap := withoutRoadmap(c)
		for _, old := range of[bare] {
			if unknown[roadmap] != nil || roadmap == "" {
				continue
			}
			if found[old] == nil {
				found[old] = map[git.ID]bool{}
			}
			found[old][roadmap] = true
		}
	})
	pairs := map[git.ID]git.ID{}
	for old, by := range found {
		for roadmap := range by {
			if len(by) == 1 {
				pairs[old] = roadmap
			}
		}
	}
	return pairs, err
}

// onlyOfRoadmap drops the pairs whose new commit is none of a roadmap that both may have.
func (ex *exchanger) onlyOfRoadmap(ctx context.Context, pairs map[git.ID]git.ID, ours, theirs *remote.RefSet) error {
	if len(pairs) == 0 {
		return nil
	}
	here, err := ex.s.Repo().CommitsHere(ctx, slices.Compact(slices.Sorted(maps.Values(pairs))))
	if err != nil {
		return err
	}
	var now []git.ID
	maps.DeleteFunc(pairs, func(_, id git.ID) bool {
		now = append(now, id)
		return !here[id]
	})
	now = slices.DeleteFunc(now, func(id git.ID) bool { return !here[id] })
	roadmaps := slices.DeleteFunc([]git.ID{ours.Roadmap, theirs.Roadmap}, func(id git.ID) bool { return id == "" })
	other, err := ex.s.Repo().Beyond(ctx, now, roadmaps)
	maps.DeleteFunc(pairs, func(_, id git.ID) bool { return other[id] })
	return err
}

// bareCommit is a commit without its id, its parents and the commit of the roadmap that it names.
type bareCommit struct {
	tree git.ID
	text string
}

// withoutRoadmap returns what a commit is without the commit of the roadmap that it names, and that; "" if it does not name one.
func withoutRoadmap(c *git.Commit) (bareCommit, git.ID) {
	subject, body, block := c.Parts()
	var named []git.ID
	var b strings.Builder
	for line := range strings.Lines(block) {
		if value, ok := strings.CutPrefix(line, store.TrailerRoadmap+": "); ok {
			id, _ := store.ParseRoadmap(strings.TrimSuffix(value, "\n"))
			named = append(named, id)
			line = store.TrailerRoadmap + ": " + strings.TrimPrefix(value, string(id))
		}
		b.WriteString(line)
	}
	if len(named) != 1 || !git.IsID(string(named[0])) {
		return bareCommit{}, ""
	}
	bare := *c
	bare.Parents, bare.Message = nil, subject+body+b.String()
	return bareCommit{c.Tree, string(bare.Encode())}, named[0]
}
