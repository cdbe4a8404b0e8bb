package hooks_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/hooks"
)

// A hook that stands there already keeps its lines, and has them back to the byte.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	theirs := filepath.Join(dir, hooks.PostCommit)
	if err := os.WriteFile(theirs, []byte("#!/bin/sh\nmake tags\n"), 0o755); err != nil {
		log.Fatal(err)
	}

	place := hooks.Place{Dir: dir, Roots: []string{dir}} // what `git rev-parse --git-path hooks` names
	if _, err := hooks.Install(place); err != nil {
		log.Fatal(err)
	}
	list, err := hooks.Status(place)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range list {
		fmt.Println(h.Name, h.State, h.Owner)
	}
	if _, err := hooks.Uninstall(place); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(theirs)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// post-checkout installed git-context
	// post-commit installed another
	// post-merge installed git-context
	// post-rewrite installed git-context
	// pre-push installed git-context
	// #!/bin/sh
	// make tags
	// <nil>
}
