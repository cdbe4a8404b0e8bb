//go:build unix

package gogit

import (
	"fmt"
	"log"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

func Example() {
	dir, remove := repositoryOfExample()
	defer remove()

	repo, err := git.PlainOpen(dir)
	if err != nil {
		log.Fatal(err)
	}
	list, err := repo.References()
	if err != nil {
		log.Fatal(err)
	}
	if err := list.ForEach(func(ref *plumbing.Reference) error {
		if name, ok := strings.CutPrefix(ref.Name().String(), "refs/context/heads/"); ok {
			fmt.Println("branch", name)
		}
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	// show returns what `git show REF:PATH` prints, and the commit that REF names.
	show := func(ref plumbing.ReferenceName, path string) (*object.Commit, string) {
		target, err := repo.Reference(ref, true)
		if err != nil {
			log.Fatal(err)
		}
		commit, err := repo.CommitObject(target.Hash())
		if err != nil {
			log.Fatal(err)
		}
		file, err := commit.File(path)
		if err != nil {
			log.Fatal(err)
		}
		text, err := file.Contents()
		if err != nil {
			log.Fatal(err)
		}
		return commit, text
	}
	tip, text := show("CONTEXT_HEAD", "commit.md") // of the current memory branch
	// No line of an entry but its first begins with "## "; the id is the last word there.
	entry := text[strings.LastIndex(text, "\n## Commit ")+1:]
	heading, _, _ := strings.Cut(entry, "\n")
	id := heading[strings.LastIndex(heading, " ")+1:]
	fmt.Print(strings.ReplaceAll(entry, id, "ID")) // each time another one
	// The memory commit that wrote the entry names it in a trailer, and has the note.
	history, err := repo.Log(&git.LogOptions{From: tip.Hash})
	if err != nil {
		log.Fatal(err)
	}
	if err := history.ForEach(func(c *object.Commit) error {
		if !strings.Contains(c.Message, "\nContext-Id: "+id+"\n") {
			return nil
		}
		hash := c.Hash.String()
		_, note := show("refs/notes/context", hash[:2]+"/"+hash[2:])
		fmt.Print(strings.ReplaceAll(note, id, "ID"))
		return storer.ErrStop
	}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// branch lazy-pool
	// branch main
	// ## Commit 1 · 2026-11-21T01:37:05Z · claude-code · ID
	// - steps: 1-1 (1)
	//
	// It opens on first use
	//
	// **Branch Purpose**
	//
	// > Make /users answer
	//
	// > Open it on first use
	//
	// **This Commit's Contribution**
	//
	// > It opens on first use
	// {"v":1,"id":"ID","kind":"commit","time":"2026-11-21T01:37:05Z","agent":"claude-code","branch":"lazy-pool","steps":"1-1"}
}
