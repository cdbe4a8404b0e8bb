package history

import (
	"fmt"
	"testing"

	"github.com/git-context/git-context/refs/git"
)

// TestGraphJoinOfManySides joins thousands of commits by a chain of merges that are no nodes: each would pass on all nodes below it.
func TestGraphJoinOfManySides(t *testing.T) {
	const sides = 3000
	id := func(kind string, n int) git.ID { return git.ID(fmt.Sprint(kind, n)) }
	r := &graphReader{passed: map[git.ID][]git.ID{}}
	add := func(c git.ID, node string, parents ...git.ID) {
		r.all = append(r.all, passing{id: c, parents: parents, branch: "main"})
		r.g.Nodes = append(r.g.Nodes, Node{Commit: c, ID: node})
	}
	for n := sides; n > 1; n-- { // the newest first
		add(id("merge", n), "", id("merge", n-1), id("side", n))
	}
	add("merge1", "", "birth", "side1")
	for n := range sides {
		add(id("side", sides-n), "id", "birth")
	}
	add("birth", "")
	r.join()
	if len(r.g.Nodes) != sides+1 {
		t.Errorf("%d nodes, not %d", len(r.g.Nodes), sides+1)
	}
	for c, nodes := range r.passed {
		if len(nodes) > mostStandIns {
			t.Fatalf("%s passes on %d nodes", c, len(nodes))
		}
	}
	if got := len(r.passed["merge2"]); got != 3 {
		t.Errorf("the merge of few sides passes on %d nodes, not 3", got)
	}
}
