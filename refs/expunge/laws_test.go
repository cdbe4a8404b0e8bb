package expunge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// playPast makes a history of two branches that know of each other, with segments, topics,
// metadata and a roadmap that share words.
func playPast(r *memtest.Repo, rt *rapid.T) {
	word := rapid.SampledFrom([]string{"red", "green", "blue", "grey"})
	r.Branch("side", "")
	for i := range rapid.IntRange(3, 7).Draw(rt, "commits") {
		branch := rapid.SampledFrom([]string{"main", "main", "side"}).Draw(rt, "branch")
		r.Work(branch, word.Draw(rt, "work"), rapid.SampledFrom([]int{0, 3000, 9000}).Draw(rt, "size"))
		switch rapid.IntRange(0, 5).Draw(rt, "also") {
		case 0:
			r.Remember(branch, "paint", word.Draw(rt, "topic")+"\n"+word.Draw(rt, "topic")+"\n")
		case 1:
			r.Set(branch, "env_config.paint", word.Draw(rt, "value"))
		case 2:
			r.Goal(word.Draw(rt, "goal"))
		case 3:
			if _, err := merge.Merge(r.T.Context(), r.Open(), store.MergeOptions{Source: "side", Into: "main", Keep: true, Prefer: merge.SettleUnion,
				Summary: fmt.Sprint("Merge ", i), Contribution: word.Draw(rt, "merge")}); err != nil {
				rt.Fatal(err)
			}
		}
	}
}

// drawExpunged draws tombstones of some entries of all branches and of some words.
func drawExpunged(r *memtest.Repo, rt *rapid.T, name string) doc.Expunged {
	var e doc.Expunged
	for _, branch := range []string{"main", "side"} {
		c := r.Content(branch)
		for _, entry := range append(c.Steps, c.Commits...) {
			if rapid.IntRange(0, 3).Draw(rt, name) == 0 {
				id, _, _ := strings.Cut(entry, " ")
				r.Must(e.AddEntry(id))
			}
		}
	}
	e.AddText(rapid.SampledFrom([]string{"red", "grey", ""}).Draw(rt, name))
	return e
}

// memoryTips are the commits of all refs of memory but the notes.
func memoryTips(r *memtest.Repo) []git.ID {
	var ids []git.ID
	for _, id := range strings.Fields(r.Git("for-each-ref", "--format=%(objectname)", "refs/context/heads", "refs/context/roadmap")) {
		ids = append(ids, git.ID(id))
	}
	return ids
}

func rewrite(t testing.TB, r *memtest.Repo, e doc.Expunged, tips []git.ID) []git.ID {
	t.Helper()
	now, err := expunge.NewRewriter(r.Open(), e).Rewrite(t.Context(), tips)
	r.Must(err)
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
	memtest.Check(t, 2, func(tb testing.TB, rt *rapid.T) {
		r := memtest.New(tb)
		_, err := share.Init(tb.Context(), r.Open(), share.InitOptions{Goal: "red"})
		r.Must(err)
		playPast(r, rt)
		one, two := drawExpunged(r, rt, "one"), drawExpunged(r, rt, "two")
		old := memoryTips(r)
		both := rewrite(tb, r, one.Union(two), old)
		for what, got := range map[string][]git.ID{
			"one, then two":     rewrite(tb, r, two, rewrite(tb, r, one, old)),
			"two, then one":     rewrite(tb, r, one, rewrite(tb, r, two, old)),
			"one, then both":    rewrite(tb, r, one.Union(two), rewrite(tb, r, one, old)),
			"both, and again":   rewrite(tb, r, one.Union(two), both),
			"in another clone":  rewrite(tb, (&memtest.Fleet{T: tb, Hub: r}).Copy().Hub, one.Union(two), old),
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
		if err := incoming.Check(tb.Context(), r.Open(), in); err != nil {
			rt.Errorf("not to be taken in: %v", err)
		}
		r.Fsck()
	})
}

// What is forgotten and then merged is what is merged and then forgotten, whichever way
// a merge finds out what is new.
func TestExpungeThenMerge(t *testing.T) {
	t.Parallel()
	memtest.Check(t, 1, func(tb testing.TB, rt *rapid.T) {
		r := memtest.New(tb)
		_, err := share.Init(tb.Context(), r.Open(), share.InitOptions{Goal: "Reach it"})
		r.Must(err)
		playPast(r, rt)
		e := drawExpunged(r, rt, "entries")
		other := (&memtest.Fleet{T: tb, Hub: r}).Copy().Hub
		join := func(r *memtest.Repo) {
			for _, m := range [][2]string{{"side", "main"}, {"main", "side"}} {
				if _, err := merge.Merge(tb.Context(), r.Open(), store.MergeOptions{Source: m[0], Into: m[1], Summary: "Join", Keep: true, Prefer: merge.SettleUnion}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		forget := func(r *memtest.Repo) {
			err := (&expunge.Operation{Store: r.Open()}).Run(tb.Context(), e)
			r.Must(err)
		}
		forget(r)
		join(r)
		join(other)
		forget(other)
		for _, branch := range []string{"main", "side"} {
			a, b := r.Content(branch), other.Content(branch)
			for _, c := range []*memtest.Content{&a, &b} { // each made merges of its own
				c.Commits = slices.DeleteFunc(c.Commits, func(m string) bool { return strings.HasSuffix(m, " Join") })
			}
			if diff := cmp.Diff([][]string{a.Steps, a.Commits}, [][]string{b.Steps, b.Commits}); diff != "" {
				rt.Errorf("%s: %s", branch, diff)
			}
			for _, entry := range append(a.Steps, a.Commits...) {
				if id, _, _ := strings.Cut(entry, " "); e.HasEntry(id) {
					rt.Errorf("%s: %s is still there", branch, entry)
				}
			}
		}
		r.Fsck()
		other.Fsck()
	})
}

// The same holds for words, of which rewriting finds more than the lines that somebody knew.
func TestRewriteWordLaws(t *testing.T) {
	t.Parallel()
	memtest.Check(t, 1, func(tb testing.TB, rt *rapid.T) {
		r := memtest.New(tb)
		_, err := share.Init(tb.Context(), r.Open(), share.InitOptions{Goal: "use s3cret-token"})
		r.Must(err)
		playPast(r, rt)
		for i, branch := range []string{"main", "side"} {
			r.Work(branch, fmt.Sprint("with s3cret-token ", i), 3000)
			r.Remember(branch, "paint", fmt.Sprintf("red\n- s3cret-token %d\ngrey\n", i))
			r.Set(branch, "env_config.a-s3cret-token-key", "its s3cret-token")
		}
		one, two := drawExpunged(r, rt, "one"), drawExpunged(r, rt, "two")
		r.Must(one.AddWord("s3cret-token"))
		r.Must(two.AddWord("-s3cret-"))
		old := memoryTips(r)
		both := rewrite(tb, r, one.Union(two), old)
		for what, got := range map[string][]git.ID{
			"one, then two":   rewrite(tb, r, two, rewrite(tb, r, one, old)),
			"two, then one":   rewrite(tb, r, one, rewrite(tb, r, two, old)),
			"both, and again": rewrite(tb, r, one.Union(two), both),
		} {
			if !slices.Equal(got, both) {
				rt.Errorf("%s: %v, want %v", what, got, both)
			}
		}
		for _, id := range both {
			if strings.Contains(r.Git("archive", "--format=tar", string(id)), "s3cret") {
				rt.Errorf("a word is left in %s", id)
			}
		}
	})
}
