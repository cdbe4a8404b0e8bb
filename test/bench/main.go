// Command bench measures what design and README promise of the speed of
// git-context: whole processes, beside git's own commands in the same run, as
// ratios. It asserts nothing: these machines are noisy, and the table is for
// people to read.
//
//	go run ./test/bench [-commits 10,1000,10000] [-objects 400000] [-runs 25] [-search=false]
//
// Every figure is a median of interleaved runs: each round runs every command
// once, so that a busy moment falls on all of them.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// tags are those of the released binary.
const tags = "urfave_cli_no_docs,urfave_cli_no_suggest"

func main() {
	commits := flag.String("commits", "10,1000,10000", "lengths of the history, in milestones of 10 steps")
	objects := flag.Int("objects", 400_000, "objects of the large code repository")
	runs := flag.Int("runs", 25, "interleaved runs of each command")
	search := flag.Bool("search", true, "measure searches, too")
	flag.Parse()
	if err := run(*commits, *objects, *runs, *search); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(commits string, objects, runs int, search bool) error {
	dir, err := os.MkdirTemp("", "git-context-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, runs: runs}
	if err := b.build(); err != nil {
		return err
	}
	var columns []column
	for n := range strings.SplitSeq(commits, ",") {
		size, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		col, err := b.column(size, 0)
		if err != nil {
			return err
		}
		columns = append(columns, col)
	}
	if objects > 0 {
		col, err := b.column(1000, objects)
		if err != nil {
			return err
		}
		columns = append(columns, col)
	}
	if err := cmp.Or(print(os.Stdout, columns, runs), printHooks(os.Stdout, columns)); err != nil {
		return err
	}
	if !search {
		return nil
	}
	searched, err := b.search()
	if err != nil {
		return err
	}
	return searched.print(os.Stdout)
}

// bench is where the programs under test stand.
type bench struct {
	dir   string
	runs  int
	bin   string // git-context
	empty string // a Go program that does nothing
}

// build makes both programs as they are released.
func (b *bench) build() error {
	b.bin = filepath.Join(b.dir, "bin", "git-context")
	b.empty = filepath.Join(b.dir, "bin", "empty")
	src := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"build", "-tags", tags, "-o", b.bin, "github.com/git-context/git-context/cmd/git-context"},
		{"build", "-o", b.empty, src},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}
