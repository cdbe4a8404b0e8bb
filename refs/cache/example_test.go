package cache_test

import (
	"fmt"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/cache"
)

// Read returns what Write kept, and nothing where nobody wrote.
func Example() {
	s, remove := example.Memory()
	defer remove()

	cache.Write(s.Repo(), "terms", "pool connection")
	fmt.Printf("%q %q\n", cache.Read(s.Repo(), "terms"), cache.Read(s.Repo(), "commits"))
	// Output: "pool connection" ""
}
