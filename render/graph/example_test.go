package graph_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render/graph"
)

// Two branches have two lanes.
func Example() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()
	if _, err := s.CreateBranch(ctx, store.BranchOptions{Name: "idea", Purpose: "Try it"}); err != nil {
		log.Fatal(err)
	}
	g, err := history.ReadGraph(ctx, s, history.GraphOptions{})
	if err != nil {
		log.Fatal(err)
	}
	l := graph.Arrange(g, "main")
	for _, row := range l.Rows {
		fmt.Println(row.Lane, graph.Label(row.Node))
	}
	var picture strings.Builder
	err = graph.WriteSVG(&picture, l, graph.Picture{To: len(l.Rows), Text: true, Title: "Memory"})
	fmt.Println(strings.HasPrefix(picture.String(), "<svg "), err)
	// Output:
	// 1 [idea] idea begins: Try it
	// 0 [main] main begins
	// true <nil>
}
