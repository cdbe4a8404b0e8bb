package loss_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/store"
)

// node is a commit of a history that anybody may push.
type node struct {
	parents []int
	topics  map[string]string
	removes []string // with a record
}

// histories draws a history: each commit begins from what one of its parents has, and then writes, drops and removes topics.
func histories(t *rapid.T, records bool) []node {
	names := []string{"a", "b", "c"}
	list := []node{{topics: map[string]string{"a": "old", "b": "old"}}}
	for range rapid.IntRange(4, 9).Draw(t, "commits") {
		var n node
		for range rapid.IntRange(1, 3).Draw(t, "parents") {
			if p := len(list) - 1 - rapid.IntRange(0, min(3, len(list)-1)).Draw(t, "parent"); !slices.Contains(n.parents, p) {
				n.parents = append(n.parents, p)
			}
		}
		n.topics = maps.Clone(list[n.parents[0]].topics)
		for _, name := range names {
			switch rapid.SampledFrom([]string{"keep", "write", "drop", "drop", "remove", "record"}).Draw(t, "act") {
			case "write":
				n.topics[name] = "new"
			case "drop":
				delete(n.topics, name)
			case "remove":
				if delete(n.topics, name); records {
					n.removes = append(n.removes, name)
				}
			case "record": // of what is there still
				if records && n.topics[name] != "" {
					n.removes = append(n.removes, name)
				}
			}
		}
		list = append(list, n)
	}
	return list
}

// written is a history in a repository.
type written struct {
	s    *refs.Store
	ids  []git.ID
	news map[git.ID]*incoming.Commit
}

// write writes a history, its parents in their order or in the other one.
func write(t *testing.T, r *memtest.Repo, s *refs.Store, list []node, back bool) written {
	w := written{s: s, news: map[git.ID]*incoming.Commit{}}
	for i, n := range list {
		edit := s.Repo().Edit("")
		for name, text := range n.topics {
			r.Must(edit.Put(t.Context(), "topics/"+name+".md", memtest.OK(s.Repo().WriteBlob(t.Context(), []byte(text)))(t)))
		}
		tree, err := edit.Write(t.Context())
		r.Must(err)
		c := &incoming.Commit{Tree: tree}
		for _, p := range n.parents {
			c.Parents = append(c.Parents, w.ids[p])
		}
		if back {
			slices.Reverse(c.Parents)
		}
		message := fmt.Sprintf("Commit %d\n\nContext-Branch: main\n", i)
		for _, name := range n.removes {
			message += store.TrailerRemoves + ": topics/" + name + ".md\n"
		}
		who := git.Signature{Name: "Eve", Email: "eve@example.com", When: time.Unix(1e9, 0)}
		c.ID, err = s.Repo().WriteCommit(t.Context(), &git.Commit{Tree: tree, Parents: c.Parents, Author: who, Committer: who, Message: message})
		r.Must(err)
		w.ids, w.news[c.ID] = append(w.ids, c.ID), c
	}
	return w
}

// lost returns the names of the topics that a commit has to get back, as a clone finds it that has another one; -1 for none.
func (w written) lost(t testing.TB, tip, have int) string {
	r := loss.Range{Tip: w.ids[tip], Branch: "main", News: maps.Clone(w.news), Judge: true}
	if have >= 0 {
		r.Have = w.ids[have]
		for queue := []git.ID{r.Have}; len(queue) > 0; queue = queue[1:] {
			if n := r.News[queue[0]]; n != nil {
				delete(r.News, n.ID)
				queue = append(queue, n.Parents...)
			}
		}
	}
	b, err := loss.OfBranch(t.Context(), w.s, r)
	if err != nil {
		t.Fatal(err)
	}
	return b.What()
}

// named reports whether a record names a topic.
func named(list []node, name string) bool {
	return slices.ContainsFunc(list, func(n node) bool { return slices.Contains(n.removes, name) })
}

// below lists what a commit comes from, and itself.
func below(list []node, tip int) []int {
	seen := map[int]bool{tip: true}
	for queue := []int{tip}; len(queue) > 0; queue = queue[1:] {
		for _, p := range list[queue[0]].parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// What is lost does not depend on the order of a merge's parents, nor on how much of a sound history a clone has.
func TestWhatIsLostIsOneThing(t *testing.T) {
	r := memtest.New(t)
	s := r.Open()
	rapid.Check(t, func(rt *rapid.T) {
		list := histories(rt, true)
		tip := len(list) - 1
		w := write(t, r, s, list, false)
		all := w.lost(t, tip, -1)
		if back := write(t, r, s, list, true).lost(t, tip, -1); back != all {
			rt.Fatalf("%+v\nlost: %s; with the parents in the other order: %s", list, all, back)
		}
		sound := map[int]bool{}
		for i := range list {
			sound[i] = !slices.ContainsFunc(list[i].parents, func(p int) bool { return !sound[p] }) && w.lost(t, i, -1) == ""
		}
		for _, have := range below(list, tip) {
			if sound[have] {
				if here := w.lost(t, tip, have); here != all {
					rt.Fatalf("%+v\nlost: %s; for a clone at commit %d: %s", list, all, have, here)
				}
			}
		}
	})
}

// A topic that the ref of a clone has removed is not lost where two merge bases disagree about it.
func TestOwnRemovalIsNoLoss(t *testing.T) {
	r := memtest.New(t)
	s := r.Open()
	list := []node{
		{topics: map[string]string{"a": "old", "b": "old"}},
		{parents: []int{0}, topics: map[string]string{"b": "old"}, removes: []string{"a"}},
		{parents: []int{0}, topics: map[string]string{"a": "new", "b": "new", "c": "new"}},
		{parents: []int{2, 1}, topics: map[string]string{"a": "new", "c": "new"}},
		{parents: []int{1}, removes: []string{"b"}},
		{parents: []int{2, 1, 4}, topics: map[string]string{"c": "new"}, removes: []string{"a"}},
		{parents: []int{5, 3}, topics: map[string]string{"b": "new", "c": "new"}, removes: []string{"c"}},
	}
	w := write(t, r, s, list, false)
	for _, have := range []int{-1, 5} {
		if lost := w.lost(t, 6, have); lost != "" {
			t.Errorf("for a clone at commit %d: lost: %s", have, lost)
		}
	}
}

// Absence never means deletion: what any commit has, and no record names, is in the tip or comes back.
func TestWithoutARecordNothingIsGone(t *testing.T) {
	r := memtest.New(t)
	s := r.Open()
	rapid.Check(t, func(rt *rapid.T) {
		list := histories(rt, rapid.Bool().Draw(rt, "records"))
		tip := len(list) - 1
		var want []string
		for _, i := range below(list, tip) {
			for name := range list[i].topics {
				if _, has := list[tip].topics[name]; !has && !named(list, name) && !slices.Contains(want, "topic '"+name+"'") {
					want = append(want, "topic '"+name+"'")
				}
			}
		}
		slices.Sort(want)
		lost := write(t, r, s, list, false).lost(t, tip, -1)
		for _, topic := range want {
			if !strings.Contains(lost, topic) {
				rt.Fatalf("%+v\nlost: %s; want %s", list, lost, want)
			}
		}
	})
}
