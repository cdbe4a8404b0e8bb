//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// yard is a bare repository with tasks, and the scripts of docs/workers.
type yard struct {
	*world // who makes the tasks and collects them
	hub    string
	tasks  int
	mark   string
	wait   string // the job of a worker named wait-… lasts until this file exists
}

// job is the command of a worker. It takes a moment, so that workers meet.
const job = `git context record -o "$1" -a "does $WORKERS_TASK" >/dev/null || exit 9
case $WORKERS_NAME in wait-*) while [ ! -e "$WAIT" ]; do sleep 0.05; done ;; *) sleep 0.1 ;; esac
echo "$WORKERS_TASK was done by $WORKERS_NAME"
[ "$WORKERS_TASK" != "$FAILS" ] || exit 3
`

func newYard(t *testing.T, tasks int) *yard {
	t.Helper()
	y := &yard{world: newHome(t), hub: filepath.Join(t.TempDir(), "hub.git"), tasks: tasks}
	y.mark, y.wait = userMark+y.dir, filepath.Join(t.TempDir(), "go on")
	y.env = append(y.env, y.mark, "WAIT="+y.wait, "WORKERS_BEAT=1", "WORKERS_LEASE=3", "WORKERS_POLL=0.1")
	y.git("init", "-q", "--bare", "-b", "trunk", y.hub)
	y.git("init", "-q", "-b", "trunk")
	y.git("remote", "add", "origin", "file://"+y.hub)
	y.git("commit", "-q", "--allow-empty", "-m", "code")
	y.git("push", "-q", "-u", "origin", "trunk")
	y.ok("init", "--goal", "Do every task once")
	y.ok("push", "--yes")
	var list strings.Builder
	for n := range tasks {
		fmt.Fprintf(&list, "%s Do number %d, \"$(touch x)\"\n", taskName(n), n)
	}
	add := y.script(nil, "workers/tasks.sh", "add")
	add.Stdin = strings.NewReader(list.String())
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("tasks.sh add: %v\n%s", err, out)
	}
	return y
}

// unreliable lets the bare repository refuse a push of main once, and break one connection of
// eight after it moved the refs, so that the answer is lost.
func (y *yard) unreliable() (mend func()) {
	y.t.Helper()
	hooks := filepath.Join(y.hub, "hooks")
	for name, text := range map[string]string{
		"update":       `[ "$1" != refs/context/heads/main ] || ! mkdir refused 2>/dev/null`,
		"post-receive": `[ $(od -An -N1 -tu1 /dev/urandom) -ge 32 ] || kill -9 $PPID`,
	} {
		if err := os.WriteFile(filepath.Join(hooks, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			y.t.Fatal(err)
		}
	}
	return func() {
		if err := os.RemoveAll(hooks); err != nil {
			y.t.Error(err)
		}
		if err := os.Remove(filepath.Join(y.hub, "refused")); err != nil {
			y.t.Errorf("no push of main was refused: %v", err)
		}
	}
}

func taskName(n int) string { return fmt.Sprintf("t%03d", n) }

// script is a script of docs, in this clone.
func (w *world) script(env []string, name string, args ...string) *exec.Cmd {
	w.t.Helper()
	path, err := filepath.Abs("../docs/" + name)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.command(env, "sh", append([]string{path}, args...)...)
}

// worker clones the repository and begins to work. Its process group can be killed.
func (y *yard) worker(name string) *exec.Cmd {
	y.t.Helper()
	w := *y.world
	w.dir = filepath.Join(y.t.TempDir(), name)
	y.git("clone", "-q", "file://"+y.hub, w.dir)
	w.ok("init")
	cmd := w.script([]string{"WORKERS_NAME=" + name}, "workers/worker.sh", "sh", "-c", job, "job")
	cmd.Stderr, cmd.Cancel = &logged{y.t, name}, nil
	cmd.WaitDelay = gittest.Patience
	if err := cmd.Start(); err != nil {
		y.t.Fatal(err)
	}
	y.t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // gone, if the test passed
	return cmd
}

// logged keeps what a worker says in the log of the test.
type logged struct {
	t    testing.TB
	name string
}

func (l *logged) Write(p []byte) (int, error) {
	l.t.Logf("%s: %s", l.name, strings.TrimSpace(string(p)))
	return len(p), nil
}

// claims returns the state of every claim at the bare repository: "STATE TRY WORKER", by task.
func (y *yard) claims() map[string]string {
	y.t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(y.git("-C", y.hub, "for-each-ref", "--format=%(refname:lstrip=3) %(contents:subject)", "refs/notes/workers")) {
		name, state, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = state
	}
	return all
}

// holds waits until a worker holds a task, and returns its name.
func (y *yard) holds(worker string) (task string) {
	y.t.Helper()
	gittest.Wait(y.t, worker+" holds a task", func() bool {
		for name, state := range y.claims() {
			if strings.Contains(state, " "+worker+"-") && !strings.HasPrefix(state, "done ") {
				task = name
			}
		}
		return task != ""
	})
	return task
}

// open counts the tasks that no worker has finished.
func (y *yard) open() int {
	y.t.Helper()
	open := y.tasks
	for _, state := range y.claims() {
		if strings.HasPrefix(state, "done ") {
			open--
		}
	}
	return open
}

// collect runs as many collect.sh at once.
func (y *yard) collect(at int) {
	y.t.Helper()
	var wg sync.WaitGroup
	for range at {
		cmd := y.script(nil, "workers/collect.sh")
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				y.t.Errorf("collect.sh: %v\n%s", err, out)
			}
		})
	}
	wg.Wait()
}

// again opens a failed task.
func (y *yard) again(name string) {
	y.t.Helper()
	if out, err := y.script(nil, "workers/tasks.sh", "again", name).CombinedOutput(); err != nil {
		y.t.Errorf("tasks.sh again: %v\n%s", err, out)
	}
}

// settled holds that main has the result of every task once, and nothing of the attempts that
// failed or were dropped.
func (y *yard) settled(failed int) {
	y.t.Helper()
	y.ok("sync")
	var v struct{ Commits []struct{ Summary string } }
	if err := json.Unmarshal(y.ok("--branch", "main", "--limit", "100000", "--json"), &v); err != nil {
		y.t.Fatal(err)
	}
	found := map[string]int{}
	for _, c := range v.Commits {
		found[c.Summary]++
	}
	steps := map[string]int{}
	for _, s := range y.steps("main") {
		steps[strings.TrimPrefix(s.Action, "does ")]++
	}
	for n := range y.tasks {
		name := taskName(n)
		if done, merged := found["Task "+name+": success"], found["Merge task "+name]; done != 1 || merged != 1 || steps[name] != 1 {
			y.t.Errorf("task %s: %d results, %d merges, %d steps in main", name, done, merged, steps[name])
		}
		if state := y.claims()[name]; !strings.HasPrefix(state, "merged ") {
			y.t.Errorf("the claim of %s says %q", name, state)
		}
	}
	if len(v.Commits) != 2*y.tasks || len(steps) != y.tasks {
		y.t.Errorf("main has %d commits and steps of %d tasks", len(v.Commits), len(steps))
	}
	// An attempt that was taken over has pushed nothing.
	if pushed := strings.Count(y.git("-C", y.hub, "for-each-ref", "refs/context/heads/try"), "\n"); pushed != y.tasks+failed {
		y.t.Errorf("%d attempts were pushed, of %d tasks and %d that failed", pushed, y.tasks, failed)
	}
	if left := y.git("-C", y.hub, "for-each-ref", "refs/context/heads/task"); left != "" {
		y.t.Errorf("tasks were left:\n%s", left)
	}
	y.sound()
	y.ok("fsck")
	y.git("-C", y.hub, "fsck", "--strict", "--no-dangling")
}

// suspend stops a worker while none of its pushes has a lock of the hub: a reftable has one lock for all refs, for which
// all others would wait as long as it is stopped.
func (y *yard) suspend(t *testing.T, worker *exec.Cmd) {
	t.Helper()
	for {
		signal(t, worker, syscall.SIGSTOP)
		time.Sleep(10 * time.Millisecond) // each process of the group stops by itself
		locked := false
		_ = filepath.WalkDir(y.hub, func(path string, _ fs.DirEntry, _ error) error { // files go while it looks
			locked = locked || strings.HasSuffix(path, ".lock")
			return nil
		})
		if !locked {
			return
		}
		signal(t, worker, syscall.SIGCONT)
		time.Sleep(50 * time.Millisecond)
	}
}

// A worker is killed at work, another is suspended beyond its lease and goes on; a task fails
// and is tried again. The others do all tasks, each once.
func TestWorkers(t *testing.T) {
	t.Parallel()
	if soaking() {
		t.Skip("TestWorkersSoak does more")
	}
	y := newYard(t, 12)
	mend := y.unreliable()
	killed, stopped := y.worker("wait-killed"), y.worker("wait-stopped")
	orphaned, suspended := y.holds("wait-killed"), y.holds("wait-stopped")
	y.suspend(t, stopped)
	signal(t, killed, syscall.SIGKILL)
	_ = killed.Wait() // killed
	y.env = append(y.env, "FAILS="+taskName(3))
	others := []*exec.Cmd{y.worker("w2"), y.worker("w3")}
	for _, w := range others {
		succeeds(t, w)
	}
	for _, name := range []string{orphaned, suspended} {
		if state := y.claims()[name]; !strings.Contains(state, " 2 w") {
			t.Errorf("%s was not taken over: %q", name, state)
		}
	}
	if err := os.WriteFile(y.wait, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	signal(t, stopped, syscall.SIGCONT)
	succeeds(t, stopped)
	y.collect(1) // the other one of two could do what this one left undone
	y.again(taskName(3))
	y.env[len(y.env)-1] = "FAILS="
	succeeds(t, y.worker("w4"))
	y.collect(2)
	nothingRuns(t, y.mark)
	mend()
	y.settled(1)
}

// Eight workers and fifty tasks: some worker is killed or suspended again and again, and
// another one takes its place.
func TestWorkersSoak(t *testing.T) {
	t.Parallel()
	if !soaking() {
		t.Skip("make soak")
	}
	y := newYard(t, 50)
	mend := y.unreliable()
	begin, rng := time.Now(), rand.New(rand.NewPCG(1, 1))
	var all, current []*exec.Cmd
	start := func() *exec.Cmd {
		w := y.worker(fmt.Sprint("w", len(all)))
		all = append(all, w)
		return w
	}
	for range 8 {
		current = append(current, start())
	}
	kills, stops := 0, 0
	for y.open() > 8 {
		time.Sleep(time.Duration(300+rng.IntN(700)) * time.Millisecond)
		i := rng.IntN(len(current))
		group := -current[i].Process.Pid
		if kills > stops {
			_ = syscall.Kill(group, syscall.SIGSTOP) // unless it was killed
			time.AfterFunc(6*time.Second, func() { _ = syscall.Kill(group, syscall.SIGCONT) })
			stops++
			continue
		}
		signal(t, current[i], syscall.SIGKILL)
		kills++
		current[i] = start()
	}
	for _, w := range all {
		_ = w.Wait() // some were killed
	}
	succeeds(t, start())
	y.collect(2)
	nothingRuns(t, y.mark)
	mend()
	y.settled(0)
	tries := 0
	for _, state := range y.claims() {
		var try int
		if _, err := fmt.Sscanf(state, "merged %d", &try); err != nil {
			t.Errorf("%q: %v", state, err)
		}
		tries += try
	}
	t.Logf("figures: 8 workers, %d tasks, %d workers killed, %d suspended, %d attempts, each task done once, %s",
		y.tasks, kills, stops, tries, time.Since(begin).Round(time.Second))
}

func signal(t *testing.T, cmd *exec.Cmd, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(-cmd.Process.Pid, s); err != nil {
		t.Fatalf("%v: %v", s, err)
	}
}

func succeeds(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %v", cmd.Args[1], err)
	}
}

// A shell reads all scripts of the pages.
func TestDocsScripts(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("../docs", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".sh" {
			return err
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
