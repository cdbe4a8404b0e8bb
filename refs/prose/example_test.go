package prose_test

import (
	"fmt"

	"github.com/git-context/git-context/refs/prose"
)

// The functions shorten texts for one line of output and quote words for a shell.
func Example() {
	fmt.Println(prose.Count(1, "step"), "and", prose.Count(3, "commit"))
	fmt.Println(prose.OneLine("Close idle connections\nThe pool leaked them.", 30))
	fmt.Println("git context switch", prose.ShellWord("it's"))
	// Output:
	// 1 step and 3 commits
	// Close idle connections The po…
	// git context switch 'it'\''s'
}
