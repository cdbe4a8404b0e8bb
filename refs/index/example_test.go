package index_test

import (
	"bytes"
	"fmt"
	"log"

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

// A shard is built once, kept as a file, and asked through an io.ReaderAt.
func ExampleRank() {
	b := index.NewBuilder()
	b.Unit(index.Key{ID: [20]byte{1}, Kind: index.Commits})
	for i, title := range []string{"Close idle connections", "Center the basket", "The pool leaks connections"} {
		b.Document(index.DocID{byte(i)})
		b.Text(title, 1)
	}
	file := b.Bytes()

	shard, err := index.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		log.Fatal(err)
	}
	hits, err := index.Rank([]index.Source{{Shard: shard, Units: []bool{true}}}, index.Tokens("leaking connection"), 10, nil, index.Counts{})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range hits {
		fmt.Println("document", hit.ID[0])
	}
	// Output:
	// document 2
	// document 0
}
