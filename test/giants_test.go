//go:build linux

package test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a view may take of a memory that is far larger than any command makes. JSON and what git log and
// git diff print contain whole texts, for which they may take more. The time is generous, because
// other tests run beside this one: what it must refuse, reading all or comparing each with each, took minutes.
const (
	mostPeak   = 200 << 10 // KiB of the largest process, git's among them
	mostOutput = 8 << 20   // bytes; lists have a line for each of their things
	mostTime   = 2 * time.Minute
)

// giantViews are the commands that only show memory. TOPIC is a topic, and COMMIT the newest commit.
var giantViews = []string{
	"", "-k 3", "--log", "--branch main", "--commit COMMIT", "--budget 0", "log", "log --json", "search failed", "recall case_of_module_failed_with_error",
	"topics", "topics TOPIC", "topics TOPIC --json", "show", "show TOPIC", "status", "stats", "branch", "roadmap", "roadmap --json", "blame TOPIC",
	"diff CONTEXT_HEAD~1", "diff CONTEXT_HEAD~1 --json", "--log --json", "--log --lines 20", "--commit COMMIT --json", "--json",
}

// traceJSON is written while it is read.
const traceJSON = "--log --json"

// Every view of every giant stays within bounds.
func TestGiants(t *testing.T) {
	t.Parallel()
	all := []giant{
		{giantStep, 1, 20 << 20},
		{giantSummary, 1, 4 << 20},
		{giantTopics, 2, 16 << 20},
		{giantTopics, 5_000, 100},
		{giantBranches, 2_000, 0},
		{giantToDos, 200_000, 0},
	}
	if soaking() {
		all = []giant{
			{giantStep, 1, 8 << 20},
			{giantStep, 1, 28 << 20},
			{giantSummary, 1, 8 << 20},
			{giantTexts, 12, 20 << 20},
			{giantTopics, 60, 31 << 20},
			{giantTopics, 50_000, 100},
			{giantBranches, 20_000, 0},
			{giantToDos, 1_000_000, 0},
		}
	}
	for _, g := range all {
		t.Run(fmt.Sprintf("%s-%d-%d", g.kind, g.n, g.size), func(t *testing.T) {
			w := newWorld(t)
			w.git("config", "maintenance.auto", "false")
			w.ok("record", "-o", "the pool fails")
			w.ok("commit", "-m", "Look at the pool")
			w.ok("remember", "pool", "It has ten connections")
			if err := g.make(w.dir, w.env); err != nil {
				t.Fatal(err)
			}
			topic := "pool"
			if g.kind == giantTopics {
				topic = "giant-000001"
			}
			commit := strings.TrimSpace(w.git("rev-parse", giantMain))
			words := strings.NewReplacer("TOPIC", topic, "COMMIT", commit)
			for _, view := range giantViews {
				whole := strings.HasSuffix(view, "--json") && view != traceJSON
				if g.kind == giantTexts && (whole || strings.HasPrefix(view, "diff")) {
					continue // whole texts, of which there are many
				}
				w.bounded(words.Replace(view))
			}
			if g.kind != giantTexts { // of which git's index-pack unpacks several at once
				w.exchanged()
			}
		})
	}
}

// exchanged shares the memory with a second clone, within the same bounds.
func (w *world) exchanged() {
	w.t.Helper()
	remote := w.beside("origin.git")
	w.git("init", "-q", "--bare", remote)
	w.git("remote", "add", "origin", remote)
	w.git("config", "pack.window", "0") // git looks for deltas of two gigabytes for many minutes
	w.bounded("push --yes")
	w.bounded("sync")
	other := w.inDir(w.beside("other"))
	w.git("clone", "-q", remote, other.dir)
	other.bounded("init")
	other.bounded("sync")
	other.ok("record", "-o", "the pool works")
	other.ok("commit", "-m", "Use the pool")
	other.bounded("sync")
	w.bounded("sync")
	if a, b := w.tip("main"), other.tip("main"); a != b {
		w.t.Errorf("main is %s in one clone and %s in the other", a, b)
	}
}

func init() { programs["measure"] = measure }

// measure runs a command and writes the memory of its largest process, in KiB, to the descriptor 3. It is a process
// of its own because the kernel counts for a child what its parent had when it was made, which in a test is much.
func measure() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// That of the process and of the children that it has waited for.
	fmt.Fprintln(os.NewFile(3, "report"), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}

// bounded runs a view and checks what it took.
func (w *world) bounded(view string) {
	w.t.Helper()
	var args []string
	for _, word := range strings.Fields(view) {
		if word != "CONTEXT_HEAD~1" { // '_' stands for a space in a text
			word = strings.ReplaceAll(word, "_", " ")
		}
		args = append(args, word)
	}
	peak, took, out, errs, err := w.measure(args...)
	if err != nil {
		w.t.Errorf("git context %s: %v\n%.500s", view, err, errs)
		return
	}
	if testing.Verbose() {
		w.t.Logf("%-40s %4d MiB %6d KiB of output %s", view, peak>>10, len(out)>>10, took.Round(time.Millisecond))
	}
	allowed, limit := int64(mostPeak), mostOutput
	switch {
	case view == traceJSON:
		limit = math.MaxInt
	case strings.HasSuffix(view, "--json"):
		allowed, limit = max(allowed, int64(len(out)>>10)*7), 64<<20
	case strings.HasPrefix(view, "diff"), strings.HasPrefix(view, "log"):
		limit = math.MaxInt
	}
	if peak > allowed || len(out) > limit || took > mostTime {
		w.t.Errorf("git context %s took %d MiB and %s for %d bytes of output", view, peak>>10, took, len(out))
	}
}

// measured runs a command, which must succeed, and returns the memory of its largest process, in KiB.
func (w *world) measured(args ...string) (peak int64, out []byte) {
	w.t.Helper()
	peak, _, out, errs, err := w.measure(args...)
	if err != nil {
		w.t.Fatalf("git context %s: %v\n%.500s", strings.Join(args, " "), err, errs)
	}
	return peak, out
}

func (w *world) measure(args ...string) (peak int64, took time.Duration, out, errs []byte, err error) {
	w.t.Helper()
	meter, err := exec.LookPath("measure")
	if err != nil {
		w.t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := w.command(nil, meter, append([]string{w.bin}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	report, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer report.Close()
	cmd.ExtraFiles = []*os.File{in}
	begin := time.Now()
	err = cmd.Run()
	took = time.Since(begin)
	_ = in.Close()
	if _, scan := fmt.Fscan(report, &peak); err == nil {
		err = scan
	}
	return peak, took, stdout.Bytes(), stderr.Bytes(), err
}
