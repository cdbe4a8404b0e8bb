package folder_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/refs/store"
)

// Export writes the folder that other implementations read; Import reads it.
func ExampleImport() {
	ctx := context.Background()
	ann, removeAnn := example.Memory()
	defer removeAnn()
	bob, removeBob := example.Memory()
	defer removeBob()

	if _, err := ann.Commit(ctx, store.CommitOptions{Summary: "Close idle connections"}); err != nil {
		log.Fatal(err)
	}
	dir := filepath.Join(ann.Repo().WorkTree(), "out")
	if err := os.Mkdir(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	if _, err := folder.Export(ctx, ann, folder.ExportOptions{Dir: dir}); err != nil {
		log.Fatal(err)
	}
	res, err := folder.Import(ctx, bob, folder.ImportOptions{Dir: dir})
	fmt.Println(res.Dialect, res.Commits, err)
	// Output: contexa 1 <nil>
}
