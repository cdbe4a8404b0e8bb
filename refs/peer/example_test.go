package peer_test

import (
	"fmt"
	"log"
	"testing/fstest"

	"github.com/git-context/git-context/refs/peer"
)

// The folder of another implementation, here from memory; os.DirFS reads one from a disk.
func ExampleRead() {
	folder, err := peer.Read(fstest.MapFS{
		"main.md":                 {Data: []byte("# Project Roadmap\n\nShip it\n")},
		"branches/main/log.md":    {Data: []byte("### Step 1\n**Observation:** 500 on /users\n**Action:** go test\n")},
		"branches/main/commit.md": {Data: []byte("## Commit 1\n**Branch Purpose:** ship\n**This Commit's Contribution:** The pool is up\n")},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(folder.Dialect)
	for _, b := range folder.Branches {
		fmt.Println(b.Name, len(b.Steps), "step,", len(b.Commits), "milestone")
	}
	// Output:
	// gcc-paper
	// main 1 step, 1 milestone
}
