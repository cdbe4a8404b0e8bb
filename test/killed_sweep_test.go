//go:build unix

package test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// killing is one command that is killed at each point that it passes.
type killing struct {
	name     string
	prepare  func(*killWorld) // what it needs besides what all have
	args     []string
	git      bool // it is git that runs, and what its hooks start that is killed
	stdin    string
	ends     int                      // how it ends where nothing kills it
	again    []int                    // how it may end besides when it is run again: what it is to do may be done
	first    bool                     // it must be run again before anything else works
	together []string                 // refs that one transaction moves; one that ends in '-' is a prefix
	lasting  bool                     // it has children that go on when it is killed
	holds    func(t *killed)          // what must hold in the end, besides what always must
	acked    func(*killWorld, []byte) // takes down what its output acknowledges
}

// A command that dies at any point leaves memory such that what was acknowledged is
// there once, what was not is there once or not at all, and every command works: the
// same one again, others, fsck. The points are found by running it once.
func TestKilledEverywhere(t *testing.T) {
	t.Parallel()
	base := newKillWorld(t)
	for _, c := range killings(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.sweep(t, base)
		})
	}
}

func (c killing) sweep(t *testing.T, base *killWorld) {
	w := base.copied(t)
	if c.prepare != nil {
		c.prepare(w)
	}
	before := w.refs()
	whole := &killed{killWorld: w.copied(t), c: c}
	whole.run("none")
	points := whole.passed()
	if len(points) == 0 {
		t.Fatal("it passes no point")
	}
	kills := 0
	for n := 0; n < len(points) || soaking(); n++ {
		if !soaking() && !tells(points, n) {
			continue
		}
		k := &killed{killWorld: w.copied(t), c: c, n: n, before: before}
		if !k.run(fmt.Sprint("any:", n)) {
			break
		}
		kills++
		k.judge()
		if t.Failed() {
			t.Fatalf("killed at point %d, %s, of: %s", n, k.point, strings.Join(points, " "))
		}
		if err := os.RemoveAll(k.root); err != nil {
			t.Fatal(err)
		}
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
	t.Logf("%d kills at %d points", kills, len(points))
}

// tells reports whether a passing is the first or the last of its point: what lies
// between is tried when there is time for it. To no lock and to no new object does
// anything point yet: one is like another.
func tells(points []string, n int) bool {
	point := points[n]
	if !slices.Contains(points[:n], point) {
		return true
	}
	return point != "after-lock" && point != "before-object-rename" && !slices.Contains(points[n+1:], point)
}

// killed is one kill and what came after it.
type killed struct {
	*killWorld
	c      killing
	n      int // which passing it died at
	point  string
	before map[string]string // where refs stood before it
	after  map[string]string // and once it was dead
	out    []byte            // what it said
	first  int               // with which code it ended the second time
}

func (k *killed) log() string { return filepath.Join(k.root, "points") }

// passed are the names of the points that were passed.
func (k *killed) passed() []string {
	k.t.Helper()
	data, err := os.ReadFile(k.log())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		k.t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// run runs the command with a fault, and reports whether it died of it.
func (k *killed) run(fault string) bool {
	k.t.Helper()
	out, errs, code := k.try("GIT_CONTEXT_FAULT="+fault, "GIT_CONTEXT_FAULT_LOG="+k.log())
	points := k.passed()
	died := code == -int(syscall.SIGKILL)
	if k.c.git { // it must not suffer from what its hooks do
		died = fault != "none" && (len(points) == k.n+1 ||
			exists(k.gitPath("reftable")) && len(points) > k.n) // there post-commit passes points, too, and the next hook goes on
	}
	if !died || k.c.git {
		if code != k.c.ends {
			k.t.Fatalf("it ends with %d, want %d:\n%s", code, k.c.ends, errs)
		}
	}
	if !died {
		return false
	}
	k.out, k.point = out, points[k.n]
	if k.c.lasting {
		nothingRuns(k.t, k.root)
	}
	return true
}

// try runs the command, and says how it ended: the negative number of a signal.
func (k *killed) try(env ...string) (out, errs []byte, code int) {
	k.t.Helper()
	name := k.bin
	if k.c.git {
		name = "git"
	}
	var stdout, stderr bytes.Buffer
	cmd := k.command(env, name, k.c.args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(k.c.stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			code = -int(status.Signal())
		}
	} else if err != nil {
		k.t.Fatal(err)
	}
	return stdout.Bytes(), stderr.Bytes(), code
}

// judge looks at what was left. Whoever comes next may be anybody: the same command,
// another one, or fsck.
func (k *killed) judge() {
	k.after = k.refs()
	k.movedTogether()
	k.currentIsOpen()
	if k.c.acked != nil {
		k.c.acked(k.killWorld, k.out)
	}
	orders := [][]func(){{k.again, k.next, k.mend}, {k.next, k.again, k.mend}, {k.mend, k.again, k.next, k.mend}}
	if k.c.first {
		orders = orders[:1]
	}
	for _, do := range orders[k.n%len(orders)] {
		do()
	}
	if k.c.holds != nil {
		k.c.holds(k)
	}
	for line := range strings.Lines(k.git("fsck", "--strict", "--no-dangling")) {
		k.t.Errorf("git fsck: %s", line)
	}
}

// moved reports whether the kill left a ref elsewhere than it was.
func (k *killed) moved(ref string) bool { return k.before[ref] != k.after[ref] }

func (k *killed) movedTogether() {
	k.t.Helper()
	moved := func(ref string) bool {
		if !strings.HasSuffix(ref, "-") {
			return k.moved(ref)
		}
		return len(beginning(k.before, ref)) != len(beginning(k.after, ref))
	}
	for _, ref := range k.c.together {
		if moved(ref) != moved(k.c.together[0]) {
			k.t.Errorf("'%s' and '%s' have not moved together", ref, k.c.together[0])
		}
	}
}

// currentIsOpen holds that no closed branch is current: what is recorded next would go to it.
func (k *killed) currentIsOpen() {
	k.t.Helper()
	ref, ok := strings.CutPrefix(k.after["CONTEXT_HEAD"], "ref: ")
	if !ok || k.after[ref] == "" {
		return
	}
	if status := strings.TrimSpace(k.git("log", "-1", "--format=%(trailers:key=Context-Status,valueonly)", ref)); status == "merged" || status == "abandoned" {
		k.t.Errorf("'%s' is current, and %s", ref, status)
	}
}

// again runs the command once more.
func (k *killed) again() {
	k.t.Helper()
	_, errs, code := k.try()
	k.first = code
	if code != k.c.ends && !slices.Contains(k.c.again, code) {
		k.t.Errorf("run again it ends with %d:\n%s", code, errs)
	}
}

// next is whoever comes next and knows of nothing.
func (k *killed) next() {
	k.t.Helper()
	out := k.ok("record", "-a", "after", "--json")
	var step struct{ ID, Branch string }
	if err := json.Unmarshal(out, &step); err != nil {
		k.t.Fatal(err)
	}
	k.kept[step.Branch] = append(k.kept[step.Branch], step.ID)
	k.ok("commit", "-m", "next")
	k.once(step.Branch, k.kept[step.Branch])
}

// mend holds that fsck finds nothing that it cannot mend.
func (k *killed) mend() {
	k.t.Helper()
	fsck := func(args ...string) error {
		return k.command(nil, k.bin, append([]string{"fsck"}, args...)...).Run()
	}
	if fsck() == nil {
		return
	}
	if err := fsck("--fix"); err == nil && fsck() == nil {
		return
	}
	out, err := k.command(nil, k.bin, "fsck", "--fix").CombinedOutput()
	k.t.Errorf("fsck --fix leaves problems: %v\n%s", err, out)
}

// count is how many milestones of a branch have a summary.
func (k *killed) count(branch, summary string) int {
	k.t.Helper()
	var v struct {
		Commits []struct{ Summary string }
	}
	if err := json.Unmarshal(k.ok("--branch", branch, "--limit", "100", "--json"), &v); err != nil {
		k.t.Fatal(err)
	}
	n := 0
	for _, c := range v.Commits {
		if c.Summary == summary {
			n++
		}
	}
	return n
}

// milestone holds that a milestone stands once; and once more if it was there already
// when the command was run again, as nobody can tell it from a new one.
func (k *killed) milestone(branch, summary string) {
	k.t.Helper()
	want := 1
	if k.moved("refs/context/heads/" + branch) {
		want = 2
	}
	if n := k.count(branch, summary); n != want {
		k.t.Errorf("'%s' is %d milestones of %s, want %d", summary, n, branch, want)
	}
}

// is holds that a command's output is a text.
func (k *killed) is(want string, args ...string) {
	k.t.Helper()
	if got := strings.TrimSpace(string(k.ok(args...))); got != want {
		k.t.Errorf("git-context %s says '%s', want '%s'", strings.Join(args, " "), cmp.Or(got, "nothing"), want)
	}
}

// says holds that a command's output has a text so many times.
func (k *killed) says(text string, n int, args ...string) {
	k.t.Helper()
	out := string(k.ok(args...))
	if got := strings.Count(out, text); got != n {
		k.t.Errorf("git-context %s has '%s' %d times, want %d:\n%s", strings.Join(args, " "), text, got, n, out)
	}
}

// killings are all of them.
func killings(t *testing.T) []killing {
	return slices.Concat(recordKillings(), commitKillings(t), branchKillings(), leavingKillings(), shareKillings(), codeKillings(), bulkKillings(t))
}
