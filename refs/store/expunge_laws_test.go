package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// past makes a history of two branches that know of each other, with segments, topics,
// metadata and a roadmap that share words.
func (r *repo) past(rt *rapid.T) {
	word := rapid.SampledFrom([]string{"red", "green", "blue", "grey"})
	r.branch("side", "")
	for i := range rapid.IntRange(3, 7).Draw(rt, "commits") {
		branch := rapid.SampledFrom([]string{"main", "main", "side"}).Draw(rt, "branch")
		r.work(branch, word.Draw(rt, "work"), rapid.SampledFrom([]int{0, 3000, 9000}).Draw(rt, "size"))
		switch rapid.IntRange(0, 5).Draw(rt, "also") {
		case 0:
			r.remember(branch, "paint", word.Draw(rt, "topic")+"\n"+word.Draw(rt, "topic")+"\n")
		case 1:
			r.set(branch, "env_config.paint", word.Draw(rt, "value"))
		case 2:
			r.goal(word.Draw(rt, "goal"))
		case 3:
			if _, err := merge.Merge(r.t.Context(), r.open(), store.MergeOptions{Source: "side", Into: "main", Keep: true, Prefer: merge.SettleUnion,
				Summary: fmt.Sprint("Merge ", i), Contribution: word.Draw(rt, "merge")}); err != nil {
				rt.Fatal(err)
			}
		}
	}
}

// drawn are tombstones of some entries of all branches and of some words.
func (r *repo) drawn(rt *rapid.T, name string) doc.Expunged {
	var e doc.Expunged
	for _, branch := range []string{"main", "side"} {
		c := r.content(branch)
		for _, entry := range append(c.Steps, c.Milestones...) {
			if rapid.IntRange(0, 3).Draw(rt, name) == 0 {
				id, _, _ := strings.Cut(entry, " ")
				r.must(e.AddEntry(id))
			}
		}
	}
	e.AddText(rapid.SampledFrom([]string{"red", "grey", ""}).Draw(rt, name))
	return e
}

// tips are where the refs of memory stand, but for the notes.
func (r *repo) tips() []git.ID {
	var ids []git.ID
	for _, id := range strings.Fields(r.git("for-each-ref", "--format=%(objectname)", "refs/context/heads", "refs/context/roadmap")) {
		ids = append(ids, git.ID(id))
	}
	return ids
}

func rewrite(t testing.TB, r *repo, e doc.Expunged, tips []git.ID) []git.ID {
	t.Helper()
	now, err := expunge.NewRewriter(r.open(), e).Rewrite(t.Context(), tips)
	r.must(err)
	var out []git.ID
	for _, id := range tips {
		out = append(out, now[id])
	}
	return out
}

// Rewriting is a function of history and tombstones alone: in one go or two, in either
// order, here or in another clone; rewritten again nothing changes; and what comes of
// it is what every clone takes in.
func TestRewriteLaws(t *testing.T) {
	t.Parallel()
	checks(t, 2, func(tb testing.TB, rt *rapid.T) {
		r := newRepo(tb)
		_, err := share.Init(tb.Context(), r.open(), share.InitOptions{Goal: "red"})
		r.must(err)
		r.past(rt)
		one, two := r.drawn(rt, "one"), r.drawn(rt, "two")
		old := r.tips()
		both := rewrite(tb, r, one.Union(two), old)
		for what, got := range map[string][]git.ID{
			"one, then two":     rewrite(tb, r, two, rewrite(tb, r, one, old)),
			"two, then one":     rewrite(tb, r, one, rewrite(tb, r, two, old)),
			"one, then both":    rewrite(tb, r, one.Union(two), rewrite(tb, r, one, old)),
			"both, and again":   rewrite(tb, r, one.Union(two), both),
			"in another clone":  rewrite(tb, (&fleet{t: tb, hub: r}).copy().hub, one.Union(two), old),
			"nothing to forget": append(both[:0:0], rewrite(tb, r, doc.Expunged{}, both)...),
		} {
			if !slices.Equal(got, both) {
				rt.Errorf("%s: %v, want %v", what, got, both)
			}
		}
		in := incoming.Refs{}
		for i, id := range both {
			ref := git.Ref{Name: fmt.Sprint("refs/test/", i), ID: id}
			if i == len(both)-1 {
				in.Roadmap = append(in.Roadmap, ref)
			} else {
				in.Branches = append(in.Branches, ref)
			}
		}
		if err := incoming.Check(tb.Context(), r.open(), in); err != nil {
			rt.Errorf("not to be taken in: %v", err)
		}
		r.fsck()
	})
}

// What is forgotten and then merged is what is merged and then forgotten, whichever way
// a merge finds out what is new.
func TestExpungeThenMerge(t *testing.T) {
	t.Parallel()
	checks(t, 1, func(tb testing.TB, rt *rapid.T) {
		r := newRepo(tb)
		_, err := share.Init(tb.Context(), r.open(), share.InitOptions{Goal: "Reach it"})
		r.must(err)
		r.past(rt)
		e := r.drawn(rt, "entries")
		other := (&fleet{t: tb, hub: r}).copy().hub
		join := func(r *repo) {
			for _, m := range [][2]string{{"side", "main"}, {"main", "side"}} {
				if _, err := merge.Merge(tb.Context(), r.open(), store.MergeOptions{Source: m[0], Into: m[1], Summary: "Join", Keep: true, Prefer: merge.SettleUnion}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		forget := func(r *repo) {
			err := (&expunge.Operation{Store: r.open()}).Run(tb.Context(), e)
			r.must(err)
		}
		forget(r)
		join(r)
		join(other)
		forget(other)
		for _, branch := range []string{"main", "side"} {
			a, b := r.content(branch), other.content(branch)
			for _, c := range []*content{&a, &b} { // each made merges of its own
				c.Milestones = slices.DeleteFunc(c.Milestones, func(m string) bool { return strings.HasSuffix(m, " Join") })
			}
			if diff := cmp.Diff([][]string{a.Steps, a.Milestones}, [][]string{b.Steps, b.Milestones}); diff != "" {
				rt.Errorf("%s: %s", branch, diff)
			}
			for _, entry := range append(a.Steps, a.Milestones...) {
				if id, _, _ := strings.Cut(entry, " "); e.HasEntry(id) {
					rt.Errorf("%s: %s is still there", branch, entry)
				}
			}
		}
		r.fsck()
		other.fsck()
	})
}
