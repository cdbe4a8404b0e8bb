// Command bench measures what docs/speed.md promises of the speed of git-context:
// whole processes, beside git's own commands in the same run, as ratios. It
// asserts nothing: these machines are noisy, and the table is for people to read.
//
//	go run ./test/bench [-tables speed,hooks,search,peers,disk,redact,agents,web,repos] [-commits 10,1000,10000]
//	    [-objects 400000] [-steps 10,1000,10000,100000] [-runs 25]
//
// Every figure is a median of interleaved runs: each round runs every command
// once, so that a busy moment falls on all of them.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// tags are those of the released binary.
const tags = "urfave_cli_no_docs,urfave_cli_no_suggest"

// Tables that can be asked for.
const (
	tableSpeed  = "speed"
	tableHooks  = "hooks"
	tableSearch = "search"
	tablePeers  = "peers"
	tableDisk   = "disk"
	tableRedact = "redact"
	tableAgents = "agents"
	tableWeb    = "web"
	tableRepos  = "repos"
)

func main() {
	b := &bench{}
	tables := flag.String("tables", strings.Join([]string{
		tableSpeed, tableHooks, tableSearch, tablePeers, tableDisk, tableRedact, tableAgents, tableWeb, tableRepos,
	}, ","), "what to measure")
	commits := flag.String("commits", "10,1000,10000", "lengths of the history, in commits of 10 steps")
	steps := flag.String("steps", "10,1000,10000,100000", "lengths of the memory that is kept in other ways, too")
	flag.IntVar(&b.objects, "objects", 400_000, "objects of the large code repository")
	flag.IntVar(&b.runs, "runs", 25, "interleaved runs of each command")
	flag.Parse()
	b.tables = strings.Split(*tables, ",")
	err := numbers(*commits, &b.commits)
	if err = cmp.Or(err, numbers(*steps, &b.steps)); err == nil {
		err = b.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func numbers(list string, to *[]int) error {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		*to = append(*to, n)
	}
	return nil
}

// run prints the tables one after the other, as they are ready.
func (b *bench) run() error {
	var err error
	if b.dir, err = os.MkdirTemp("", "git-context-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := b.build(); err != nil {
		return err
	}
	if err := b.printColumns(os.Stdout); err != nil {
		return err
	}
	if err := b.printLong(os.Stdout); err != nil {
		return err
	}
	if b.wants(tableRepos) {
		if err := b.printRepositories(os.Stdout); err != nil {
			return err
		}
	}
	if b.wants(tableRedact) {
		if err := b.printRedaction(os.Stdout); err != nil {
			return err
		}
	}
	if b.wants(tableAgents) {
		if err := b.printAgents(os.Stdout); err != nil {
			return err
		}
	}
	return b.printFields(os.Stdout)
}

func (b *bench) wants(table string) bool { return slices.Contains(b.tables, table) }

// printColumns measures our commands beside git's, and what hooks add to git's.
func (b *bench) printColumns(w io.Writer) error {
	if !b.wants(tableSpeed) && !b.wants(tableHooks) {
		return nil
	}
	var columns []column
	for _, n := range b.commits {
		col, err := b.column(n, 0)
		if err != nil {
			return err
		}
		columns = append(columns, col)
	}
	if b.objects > 0 {
		col, err := b.column(1000, b.objects)
		if err != nil {
			return err
		}
		columns = append(columns, col)
	}
	if b.wants(tableSpeed) {
		if err := print(w, columns, b.runs); err != nil {
			return err
		}
	}
	if b.wants(tableHooks) {
		return printHooks(w, columns)
	}
	return nil
}

// printFields measures other ways to keep a memory beside ours.
func (b *bench) printFields(w io.Writer) error {
	if !b.wants(tablePeers) && !b.wants(tableDisk) {
		return nil
	}
	var fields []*field
	for _, n := range b.steps {
		f, err := b.newField(n)
		if err != nil {
			return err
		}
		if b.wants(tablePeers) {
			if err := f.peers(); err != nil {
				return err
			}
		}
		fields = append(fields, f)
	}
	if b.wants(tablePeers) {
		if err := printPeers(w, fields, b.runs); err != nil {
			return err
		}
	}
	if b.wants(tableDisk) {
		return printDisk(w, fields)
	}
	return nil
}

// bench is where the programs under test stand.
type bench struct {
	dir    string
	bin    string // git-context
	empty  string // a Go program that does nothing
	folder string // a memory in a folder
	floor  string // what writing costs at the least
	idle   string // where the empty program is called git-context

	tables         []string
	commits, steps []int
	objects, runs  int
}

// build makes the programs, ours as it is released.
func (b *bench) build() error {
	b.bin = filepath.Join(b.dir, "bin", "git-context")
	b.folder = filepath.Join(b.dir, "bin", "folder")
	b.empty = filepath.Join(b.dir, "bin", "empty")
	b.idle = filepath.Join(b.dir, "idle")
	b.floor = filepath.Join(b.dir, "bin", "floor")
	src := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"build", "-tags", tags, "-o", b.bin, "github.com/git-context/git-context/cmd/git-context"},
		{"build", "-tags", tags, "-o", b.bin + "-web", "github.com/git-context/git-context/cmd/git-context-web"},
		{"build", "-o", b.folder, "github.com/git-context/git-context/test/bench/folder"},
		{"build", "-o", b.floor, "github.com/git-context/git-context/test/bench/floor"},
		{"build", "-o", b.empty, src},
		{"build", "-o", filepath.Join(b.idle, "git-context"), src},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}
