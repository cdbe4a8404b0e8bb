package render_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

func ExampleCommit_Text() {
	at := time.Date(2026, 11, 21, 1, 40, 12, 0, time.UTC)
	p := &render.Printer{W: os.Stdout, Now: at.Add(2 * time.Hour), Self: "git context"}
	v := render.Commit{Commit: store.Commit{
		ID: "01JD5K6T3V7Q3M9K2A4B5C6D7E", Branch: "main", Time: at, Agent: "claude-code",
		Summary: "Pool is initialised before the router", Contribution: "# No heading\nof the view's.",
	}}
	v.Text(p)
	// Output:
	// # Commit 01JD5K6T3V7Q3M9K2A4B5C6D7E
	//
	// > Pool is initialised before the router
	//
	// - id: 01JD5K6T3V7Q3M9K2A4B5C6D7E
	// - commit: beyond the edge of this shallow clone
	// - branch: main
	// - time: 2026-11-21T01:40:12Z (2 hours ago)
	// - agent: claude-code
	//
	// **This Commit's Contribution**
	//
	// > # No heading
	// > of the view's.
}

func ExampleSafe() {
	fmt.Println(render.Safe("\x1b[2Juser\u202enimda"))
	// Output: ^[[2Juser<U+202E>nimda
}

// CONTEXT for a prompt: Markdown in which no text of memory can forge a heading.
func ExampleNewSnapshot() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	env := []string{"HOME=" + dir, "PATH=" + gittest.Path(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com"}
	init := exec.Command("git", "init", "-q", dir)
	init.Env = env
	if err := init.Run(); err != nil {
		log.Fatal(err)
	}
	s, err := refs.Open(ctx, store.Options{Dir: dir, Env: env})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := share.Init(ctx, s, share.InitOptions{Goal: "Serve a hundred users", Todo: []string{"Read the profile"}}); err != nil {
		log.Fatal(err)
	}

	snapshot, err := render.NewSnapshot(ctx, s, render.Where{}, render.SnapshotOptions{Branches: 20})
	if err != nil {
		log.Fatal(err)
	}
	var prompt bytes.Buffer
	snapshot.Text(&render.Printer{W: &prompt, Now: time.Now(), Self: "git context"})
	_, text, _ := strings.Cut(prompt.String(), "\n## ") // behind the line about memory and code
	text, _, _ = strings.Cut(text, "\nMore: ")
	fmt.Print(text)
	// Output:
	// Goal
	//
	// - Serve a hundred users
	//
	// ## To do
	//
	// - Read the profile
}
