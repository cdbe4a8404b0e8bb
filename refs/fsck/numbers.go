package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
)

// checkNumbers checks that the numbers of an origin's steps and commits rise with their ids. A
// number is only a label: two clones count on their own, a branch that is made again starts
// again, and imported or expunged entries leave gaps. So it checks only origins whose commits
// are all here, form one line from one birth and one journal, and contain no imported entry.
func checkNumbers(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil || len(v.flaws) > 0 { // a flaw may also disorder numbers
		return err
	}
	if forgotten, err := expunge.Tombstones(ctx, c.s); err != nil || !forgotten.Empty() {
		return err
	}
	if edge, err := c.s.Repo().Shallow(); err != nil || len(edge) > 0 {
		return err
	}
	counted := v.linearBranches()
	for i := range v.entries {
		if e := &v.entries[i]; e.imported {
			delete(counted, e.origin)
		}
	}
	order := v.byID()
	last := map[string]*memoryEntry{}
	for _, at := range order {
		e := &v.entries[at]
		if !counted[e.origin] || e.birth || e.differs {
			continue
		}
		key := e.what() + " " + e.origin
		before := last[key]
		if last[key] = e; before == nil || before.number < e.number {
			continue
		}
		delete(counted, e.origin) // report one only
		c.report(ctx, nil, Problem{Kind: "numbers-disordered", Object: e.id,
			Message: fmt.Sprintf("%s %s of branch '%s' has the number %d, and %s before it %d", e.what(), e.id,
				e.origin, e.number, before.id, before.number),
			Repair: "nothing is lost: ids identify entries, numbers are only labels"})
	}
	return nil
}

// byID returns the entries in the order of their ids.
func (v *memory) byID() []int32 {
	order := make([]int32, len(v.entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(v.entries[a].id, v.entries[b].id) })
	return order
}

// linearBranches returns the branches whose commits form one line: each but the first follows
// one of the same branch, and no two follow the same. Steps from two journals may come from two
// clones that counted apart, also where a merge, which names no journal, is between them.
func (v *memory) linearBranches() map[string]bool {
	begins, forked, followed, journals := map[string]int{}, map[string]bool{}, map[git.ID]bool{}, map[string]string{}
	for _, x := range v.statements {
		if x.journal != "" {
			forked[x.branch] = forked[x.branch] || journals[x.branch] != "" && journals[x.branch] != x.journal
			journals[x.branch] = x.journal
		}
		before := 0
		for _, p := range x.parents {
			parent := v.statements[p]
			if parent == nil || parent.branch != x.branch {
				continue
			}
			before++
			forked[x.branch] = forked[x.branch] || before > 1 || followed[p]
			followed[p] = true
		}
		if before == 0 {
			begins[x.branch]++
		}
	}
	lines := map[string]bool{}
	for _, branch := range slices.Sorted(maps.Keys(begins)) {
		if begins[branch] == 1 && !forked[branch] {
			lines[branch] = true
		}
	}
	return lines
}
