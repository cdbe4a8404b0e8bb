package fsck

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mostCopies is how many of the newest code commits are compared.
const mostCopies = 2000

// checkCopied looks for copies of linked code commits that have no link, among the newest
// commits of the code. A cherry-pick copies links, but `git am` runs no hook that could. A copy
// makes the same change by its patch-id, and has
//
//  1. the same author, date and subject as a commit that is still reachable,
//  2. the same author and date as one that is not: that one was rewritten, and checkRewritten
//     takes it for settled because another copy has its links.
func checkCopied(ctx context.Context, c *checker) error {
	all, err := c.links(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	pairs, err := c.likely(ctx, all)
	if err != nil || len(pairs) == 0 {
		return err
	}
	if pairs, err = samePatch(ctx, c.s, pairs); err != nil {
		return err
	}
	problems := make([]Problem, len(pairs))
	for i, p := range pairs {
		problems[i] = Problem{Kind: "link-missing", Object: string(p.New), Repair: FixCommand,
			Message: fmt.Sprintf("code commit %s is a copy of %s, but has no link to the memory of that one",
				p.New.Short(), p.Old.Short())}
	}
	c.report(ctx, func(ctx context.Context) error { return copyLinks(ctx, c.s, c.w, pairs) }, problems...)
	return nil
}

// likely pairs linked commits with those that may be copies of them, the newest first.
func (c *checker) likely(ctx context.Context, all map[git.ID][]notes.Fact) ([]code.Rewritten, error) {
	ids := slices.Sorted(maps.Keys(all))
	lost, err := code.Unreached(ctx, c.s, ids, code.RefOptions())
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	linked := map[string][]code.Candidate{}
	err = code.EachCandidate(ctx, c.s, in.Bytes(), func(d code.Candidate, _ int64) {
		linked[d.Author] = append(linked[d.Author], d)
	}, "--no-walk=unsorted", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, err
	}
	var pairs []code.Rewritten
	err = code.EachCandidate(ctx, c.s, nil, func(d code.Candidate, _ int64) {
		if len(all[d.ID]) > 0 || c.claimed[d.ID] {
			return
		}
		for _, old := range linked[d.Author] {
			if lost[old.ID] || old.Title == d.Title {
				pairs = append(pairs, code.Rewritten{Old: old.ID, New: d.ID})
			}
		}
	}, append([]string{"--no-merges", "--max-count=" + strconv.Itoa(mostCopies)}, code.RefOptions()...)...)
	return pairs, err
}

// samePatch returns the pairs that make the same change.
func samePatch(ctx context.Context, s *store.Store, pairs []code.Rewritten) ([]code.Rewritten, error) {
	var ids []git.ID
	for _, p := range pairs {
		ids = append(ids, p.Old, p.New)
	}
	slices.Sort(ids)
	patches, err := code.PatchIDs(ctx, s, slices.Compact(ids))
	return slices.DeleteFunc(pairs, func(p code.Rewritten) bool {
		return patches[p.New] == "" || patches[p.New] != patches[p.Old]
	}), err
}

// copyLinks gives copies the links of their originals, as a cherry-pick does.
func copyLinks(ctx context.Context, s *store.Store, w store.Writer, pairs []code.Rewritten) error {
	ses, err := s.Begin(ctx, w, "fsck: links of copies")
	if err != nil {
		return err
	}
	defer ses.Close()
	return code.UpdateNotes(ctx, ses, "context: carry links over to copies", func(u *notes.Update) error {
		for _, p := range pairs {
			if _, err := code.CopyLinks(ctx, u, p); err != nil {
				return err
			}
		}
		return nil
	})
}
