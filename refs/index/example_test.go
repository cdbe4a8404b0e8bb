package index_test

import (
	"fmt"

	"github.com/git-context/git-context/refs/index"
)

// A past case is the same problem from DuplicateAt on; another problem of the same pool
// is not.
func ExampleSimilarity() {
	const title = "Close idle connections before the pool is drained"
	const text = "TestShutdown leaks goroutines because the pool is drained while idle connections are open."
	for _, query := range []string{
		"goroutine leak in TestShutdown: the pool gets drained while idle connections are still open",
		"the pool hands out connections that the server has closed",
	} {
		fmt.Println(index.NewSimilarity(query, nil).To(title, text) >= index.DuplicateAt)
	}
	// Output:
	// true
	// false
}
