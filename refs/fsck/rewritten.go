package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// checkRewritten looks for code commits that memory is linked to and that were rewritten where
// no hook saw it: no ref of the code reaches them, and another commit has replaced them. The
// replacement, among the commits that the code reaches, is
//
//  1. the one that makes the same change, by its patch-id; of several the one with the same author, date and subject;
//  2. else the one with the same author, date and subject: it was amended;
//  3. several: people must decide;
//  4. none: the commit was dropped or squashed. Its link stays, and nothing is wrong.
func checkRewritten(ctx context.Context, c *checker) error {
	left, err := c.leftBehind(ctx)
	if err != nil || len(left) == 0 {
		return err
	}
	found, err := code.Replacements(ctx, c.s, left, code.RefOptions()...)
	if err != nil {
		return err
	}
	var pairs []code.Rewritten
	var clear, unclear []Problem
	for _, old := range left {
		p := Problem{Kind: "link-left", Object: string(old.ID)}
		for _, id := range found[old.ID] {
			c.claimed[id] = true
		}
		switch news := found[old.ID]; len(news) {
		case 0:
		case 1:
			pairs = append(pairs, code.Rewritten{Old: old.ID, New: news[0]})
			p.Message = fmt.Sprintf("code commit %s was rewritten as %s, but its memory is not linked with that one",
				old.ID.Short(), news[0].Short())
			p.Repair = FixCommand
			clear = append(clear, p)
		default:
			p.Message = fmt.Sprintf("code commit %s was rewritten as one of %s, and its memory is linked with none of them: choose one",
				old.ID.Short(), shortHashes(news))
			// The hook also links commits that were made on it.
			p.Repair = fmt.Sprintf("echo %s %s | git context hook post-rewrite", old.ID, news[0])
			unclear = append(unclear, p)
		}
	}
	c.report(ctx, func(ctx context.Context) error {
		_, err := code.CarryLinks(ctx, c.s, c.w, pairs)
		return err
	}, clear...)
	c.report(ctx, nil, unclear...)
	return nil
}

func shortHashes(ids []git.ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = id.Short()
	}
	return strings.Join(words, ", ")
}

// leftBehind returns the linked code commits that no ref of the code reaches, unless a
// reachable one has their links. What git has collected cannot be compared.
func (c *checker) leftBehind(ctx context.Context) ([]*git.Commit, error) {
	all, err := c.links(ctx)
	if err != nil {
		return nil, err
	}
	made, err := code.ReadIndex(ctx, c.s)
	if err != nil {
		return nil, err
	}
	codes := maps.Clone(all)
	made.Codes(func(code git.ID) { codes[code] = nil })
	lost, err := code.Unreached(ctx, c.s, slices.Sorted(maps.Keys(codes)), code.RefOptions())
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	kept, err := c.keptLinks(ctx, all, lost)
	if err != nil {
		return nil, err
	}
	var left []*git.Commit
	for _, code := range slices.Sorted(maps.Keys(lost)) {
		settled, err := c.settled(ctx, all[code], made.On(code), kept)
		if err != nil {
			return nil, err
		}
		if settled {
			continue
		}
		commit, err := c.s.Repo().Commit(ctx, code)
		if err != nil {
			return nil, err
		}
		if store.BranchOf(commit) == "" { // a user may have noted a link on a memory commit
			left = append(left, commit)
		}
	}
	slices.SortStableFunc(left, func(a, b *git.Commit) int { return a.Committer.When.Compare(b.Committer.When) })
	return left, nil
}

// keptLinks returns what the notes of reachable code contain: the ids of links, which a carried
// link keeps, and the ids of their commits.
func (c *checker) keptLinks(ctx context.Context, all map[git.ID][]notes.Fact,
	lost map[git.ID]bool) (map[string]bool, error) {
	kept := map[string]bool{}
	ids := slices.Sorted(maps.Keys(all))
	infos, err := c.s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if lost[id] || infos[i].Type == "" {
			continue
		}
		for _, f := range all[id] {
			kept[f.ID], kept[f.CommitID] = true, true
		}
	}
	return kept, nil
}

// settled reports whether every link of a code commit, and every commit made on it, belongs to
// a reachable code commit too.
func (c *checker) settled(ctx context.Context, facts []notes.Fact, made []git.ID, kept map[string]bool) (bool, error) {
	for _, f := range facts {
		if !kept[f.ID] {
			return false, nil
		}
	}
	for _, id := range made {
		m, err := c.s.Repo().Commit(ctx, id)
		if err != nil || !kept[m.Trailer(store.TrailerID)] {
			return false, err
		}
	}
	return true, nil
}
