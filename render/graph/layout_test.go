package graph

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
)

// drawn is a random history of branches, children before their parents.
func drawn(t *rapid.T) history.Graph {
	var nodes []history.Node // oldest first
	tips := map[string]git.ID{}
	for i := range rapid.IntRange(1, 40).Draw(t, "nodes") {
		n := history.Node{Commit: git.ID(fmt.Sprintf("%040x", i)), Kind: history.NodeCommit, Summary: rapid.String().Draw(t, "summary"),
			Branch: "b" + fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "branch"))}
		if tip, ok := tips[n.Branch]; ok {
			n.Parents = append(n.Parents, tip)
		} else if i > 0 {
			n.Kind = history.NodeBirth
			n.Parents = append(n.Parents, nodes[rapid.IntRange(0, i-1).Draw(t, "from")].Commit)
		}
		if i > 0 && rapid.IntRange(0, 4).Draw(t, "merge") == 0 {
			if other := nodes[rapid.IntRange(0, i-1).Draw(t, "other")]; other.Branch != n.Branch && !slices.Contains(n.Parents, other.Commit) {
				n.Kind, n.Parents = history.NodeMerge, append(n.Parents, other.Commit)
			}
		}
		tips[n.Branch], nodes = n.Commit, append(nodes, n)
	}
	slices.Reverse(nodes)
	return history.Graph{Nodes: nodes}
}

// No two branches share a lane where both are drawn, every edge leads down, and a branch has one lane.
func TestArrange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t)
		l := Arrange(g, "b0")
		lanes := map[string]int{}
		used := map[[2]int]string{} // lane and row, by the branch that passes
		pass := func(branch string, lane, from, to int) {
			for row := from; row <= to; row++ {
				if other, ok := used[[2]int{lane, row}]; ok && other != branch {
					t.Fatalf("lane %d has '%s' and '%s' in row %d", lane, other, branch, row)
				}
				used[[2]int{lane, row}] = branch
			}
		}
		for i, r := range l.Rows {
			if lane, ok := lanes[r.Branch]; ok && lane != r.Lane || r.Lane < 0 || r.Lane >= l.Lanes {
				t.Fatalf("'%s' is in lanes %d and %d of %d", r.Branch, lane, r.Lane, l.Lanes)
			}
			lanes[r.Branch] = r.Lane
			pass(r.Branch, r.Lane, i, i)
		}
		for _, e := range l.Edges {
			if e.From >= e.To {
				t.Fatalf("edge from row %d to row %d", e.From, e.To)
			}
			from, to := l.Rows[e.From], l.Rows[e.To]
			switch e.Kind {
			case EdgeNext:
				pass(from.Branch, from.Lane, e.From, e.To)
			case EdgeFork:
				pass(from.Branch, from.Lane, e.From, e.To-1)
			case EdgeJoin:
				pass(to.Branch, to.Lane, e.From+1, e.To)
			case EdgeCode, EdgeLink:
				t.Fatal("no code was given")
			}
		}
		if lane, ok := lanes["b0"]; ok && lane != 0 {
			t.Fatalf("the first branch is in lane %d", lane)
		}
	})
}

// Whatever texts say, the picture is XML with the elements of pictures alone.
func TestSVGIsXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Arrange(drawn(t), "b0")
		var b strings.Builder
		p := Picture{To: len(l.Rows), Text: true,
			Title: rapid.String().Draw(t, "title"), Left: rapid.String().Draw(t, "left")}
		if err := WriteSVG(&b, l, p); err != nil {
			t.Fatal(err)
		}
		in := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			token, err := in.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v: %s", err, b.String())
			}
			if e, ok := token.(xml.StartElement); ok && !slices.Contains([]string{"svg", "title", "style", "rect", "path", "circle", "text"}, e.Name.Local) {
				t.Fatalf("element %s", e.Name.Local)
			}
		}
	})
}
