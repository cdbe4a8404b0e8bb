package settings_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/hooks/settings"
)

func ExampleInstall() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	place := settings.Place{Root: root, Getenv: func(string) string { return "" }}
	cursor, _ := settings.Find("cursor")
	for range 2 {
		change, err := settings.Install(cursor, place, settings.Project)
		if err != nil {
			panic(err)
		}
		path, _ := filepath.Rel(root, change.Path)
		fmt.Println(change.Effect, filepath.ToSlash(path))
	}
	// Output:
	// installed .cursor/hooks.json
	// unchanged .cursor/hooks.json
}
