// Command resume measures what one call of git-context tells the successor of an agent. For
// each memory of half-done work below testdata it replays the calls that made the memory, and
// counts which of the facts that the successor needs are in the first 6,000 bytes of:
//
//   - the brief, `git context`
//   - the hand-off note that the agent wrote besides
//   - the summary and contribution of the newest commit
//   - the end of the transcript of the session
//
// Below captured are sessions in which the agent made no call: the hooks of its client captured its
// turns, with its words and the names of what it called; longer results and source code are left out.
//
// Below imported are real sessions of strangers, cut in the middle and imported; see [imported]. They are
// compared with the user's first words, and with the last record besides. Those below later were counted
// after the rules of the brief were chosen.
//
// The facts of the first two were written down by the agent that worked, before it looked at what the memory
// shows. Calls that only repaired what a fault of the program had done are left out, and so is
// source code of others in a transcript. See [memory] for the files.
//
//	go run ./test/resume [-v]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	verbose := flag.Bool("v", false, "name the facts that a text does not tell")
	flag.Parse()
	if err := run(*verbose); err != nil {
		fmt.Fprintln(os.Stderr, "resume:", err)
		os.Exit(1)
	}
}

func run(verbose bool) error {
	dir, err := os.MkdirTemp("", "git-context-resume")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := build(context.Background(), dir)
	if err != nil {
		return err
	}
	if err := table(bin, dir, "memory", "test/resume/testdata", verbose); err != nil {
		return err
	}
	fmt.Println()
	if err := table(bin, dir, "captured session", "test/resume/captured", verbose); err != nil {
		return err
	}
	fmt.Println()
	if err := importedTable(bin, dir, "imported session", "test/resume/imported", verbose); err != nil {
		return err
	}
	fmt.Println()
	return importedTable(bin, dir, "later session", "test/resume/later", verbose)
}

// table prints what each text tells, for the memories in a folder.
func table(bin, dir, title, from string, verbose bool) error {
	memories, err := readMemories(from)
	if err != nil {
		return err
	}
	fmt.Println("| " + title + " | facts | the brief | the note | the newest commit | the transcript's end |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, m := range memories {
		texts, err := m.play(context.Background(), bin, filepath.Join(dir, m.name))
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Printf("| %s | %d |", m.name, len(m.facts))
		for _, t := range texts {
			fmt.Printf(" %d in %d bytes |", len(m.facts)-len(m.missing(t.text)), len(t.text))
		}
		fmt.Println()
		for _, t := range texts {
			for _, f := range m.missing(t.text) {
				if verbose {
					fmt.Printf("  %s: not told: %s\n", t.name, f.text)
				}
			}
		}
	}
	return nil
}

// build builds git-context as it is released.
func build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "git-context")
	out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", bin,
		"github.com/git-context/git-context/cmd/git-context").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}
