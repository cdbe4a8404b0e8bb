package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

func TestLock(t *testing.T) {
	s, r := newRepo(t)
	other := s.open("r")
	l := ok(r.Lock(t.Context(), "branch/main"))(t)
	if _, taken, err := other.TryLock("branch/main"); taken || err != nil {
		t.Errorf("taken twice: %v, %v", taken, err)
	}
	second, taken, err := other.TryLock("branch%2Fmain")
	if !taken || err != nil {
		t.Errorf("another name: %v, %v", taken, err)
	}
	must(t, second.Unlock())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = other.Lock(ctx, "branch/main")
	wantErr(t, err, context.DeadlineExceeded, "'branch/main'")
	must(t, l.Unlock())
	must(t, l.Unlock())
	l = ok(other.Lock(t.Context(), "branch/main"))(t)
	// Whoever locks a file that was removed holds nothing.
	must(t, os.Remove(l.File().Name()))
	if _, taken, err := r.TryLock("branch/main"); !taken || err != nil {
		t.Errorf("a new file: %v, %v", taken, err)
	}
	must(t, l.Unlock())
	if disk.SameFile(l.File(), r.statePath("lock/branch%2Fmain")) {
		t.Error("a removed file passes for the one that has its name now")
	}
	for _, name := range []string{strings.Repeat("a/", 100), "..", "é", "x\ny"} {
		l := ok(r.Lock(t.Context(), name))(t)
		if dir := filepath.Dir(l.File().Name()); dir != r.statePath("lock") {
			t.Errorf("%q is in %s", name, dir)
		}
		must(t, l.Unlock())
	}
	if lockFile(strings.Repeat("a/", 100)) == lockFile(strings.Repeat("a/", 99)+"b/") {
		t.Error("two long names share a lock")
	}
}

func TestLockExcludes(t *testing.T) {
	s, _ := newRepo(t)
	// The race detector knows nothing of locks between files: the loads and
	// stores are atomic, their sequence is not.
	var counter atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := s.tryOpen("r")
			if err != nil {
				t.Error(err)
				return
			}
			for range 25 {
				l, err := r.Lock(t.Context(), "x")
				if err != nil {
					t.Error(err)
					return
				}
				before := counter.Load()
				runtime.Gosched()
				counter.Store(before + 1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := counter.Load(); n != 200 {
		t.Errorf("counted %d of 200", n)
	}
}

// A lock is taken for left only if no process that was there when it was made has it
// open, or is git's and at work in the repository.
func TestAbandoned(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("*** SKIPPED: only Linux shows its processes")
	}
	// Not in parallel: until it becomes its program, a child of another test has open what
	// this one has, and so the lock.
	_, r := newRepo(t)
	path := filepath.Join(r.CommonDir(), "packed-refs.lock")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	abandoned := func(age time.Duration) bool {
		t.Helper()
		locks, err := r.RefLocks()
		if err != nil || len(locks) != 1 || locks[0].Path != path {
			t.Fatalf("locks %+v, %v", locks, err)
		}
		gone, err := r.Abandoned(locks[0], age)
		if err != nil {
			t.Fatal(err)
		}
		return gone
	}
	if !abandoned(time.Second) {
		t.Error("taken for used, and nobody is there")
	}
	for _, c := range []struct {
		name string
		cmd  *exec.Cmd
		used bool
	}{
		{"who has it open", &exec.Cmd{Args: []string{"sleep", "60"}, ExtraFiles: []*os.File{file}}, true},
		{"git at work", &exec.Cmd{Args: []string{"git", "update-ref", "--stdin"}, Dir: r.CommonDir()}, true},
		{"git that reads", &exec.Cmd{Args: []string{"git", "cat-file", "--batch"}, Dir: r.CommonDir()}, false},
		{"git elsewhere", &exec.Cmd{Args: []string{"git", "hash-object", "--stdin"}, Dir: t.TempDir()}, false},
		{"a shell there", &exec.Cmd{Args: []string{"sleep", "60"}, Dir: r.CommonDir()}, false},
	} {
		if c.cmd.Path, err = exec.LookPath(c.cmd.Args[0]); err != nil {
			t.Fatal(err)
		}
		in, err := c.cmd.StdinPipe() // which it waits for
		if err != nil {
			t.Fatal(err)
		}
		if err := c.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if used := !abandoned(time.Second); used != c.used {
			t.Errorf("%s: in use %v, want %v", c.name, used, c.used)
		}
		if !abandoned(time.Hour) {
			t.Errorf("%s: made the lock before it was there", c.name)
		}
		in.Close()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
}

// A lock that somebody has taken since stays.
func TestRemoveLockLeavesANewOne(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	path := filepath.Join(r.CommonDir(), "packed-refs.lock")
	must(t, os.WriteFile(path, nil, 0o666))
	was := ok(r.RefLocks())(t)[0]
	now := was.Made.Add(time.Second)
	must(t, os.Chtimes(path, now, now))
	if err := r.RemoveLock(was); err == nil || !disk.Exists(path) {
		t.Errorf("it went: %v", err)
	}
	must(t, r.RemoveLock(ok(r.RefLocks())(t)[0]))
	if disk.Exists(path) {
		t.Error("the one that was found stays")
	}
}

// The file of a lock is forgotten only where it is old, free and of no use any more: of
// another file there could be another holder.
// A killed git leaves the locks of the tables that it united, and of the list of tables.
func TestLocksOfReftables(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	s.Git("r", "commit", "-q", "--allow-empty", "-m", "x")
	s.Git("r", "worktree", "add", "-q", "../linked")
	const table = "0x000000000001-0x000000000002-0a1b2c3d.ref"
	want := map[string]LeftLock{
		"reftable/tables.list.lock":                  {},
		"reftable/" + table + ".lock":                {Table: table},
		"worktrees/linked/reftable/tables.list.lock": {Ref: "worktrees/linked/" + HeadName},
	}
	for name := range want {
		s.Write("r/.git/"+name, "x")
	}
	s.Write("r/.git/reftable/"+table, "a table")
	found := ok(r.RefLocks())(t)
	for _, l := range found {
		name := filepath.ToSlash(strings.TrimPrefix(l.Path, s.Path("r", ".git")+string(filepath.Separator)))
		if w, ok := want[name]; !ok || l.Ref != w.Ref || l.Table != w.Table || l.Made.IsZero() || l.size != 1 {
			t.Errorf("found %+v, want %+v", l, w)
		}
		must(t, r.RemoveLock(l))
	}
	if left := ok(r.RefLocks())(t); len(found) != len(want) || len(left) > 0 {
		t.Errorf("found %+v; left: %+v", found, left)
	}
}

func TestForgetLocks(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	file := func(name string) string { return r.statePath("lock/" + lockFile(name)) }
	old := time.Now().Add(-2 * time.Hour)
	held := taken(r.TryLock("branch-held"))(t)
	for _, name := range []string{"branch-held", "branch-used", "branch-young", "branch-old", "notes"} {
		if name != "branch-held" {
			must(t, taken(r.TryLock(name))(t).Unlock())
		}
		if name != "branch-young" {
			must(t, os.Chtimes(file(name), old, old))
		}
	}
	must(t, r.ForgetLocks("branch-", []string{"branch-used"}, old.Add(time.Hour)))
	for name, want := range map[string]bool{"branch-held": true, "branch-used": true, "branch-young": true, "branch-old": false, "notes": true} {
		if disk.Exists(file(name)) != want {
			t.Errorf("%s: there %v, want %v", name, !want, want)
		}
	}
	must(t, held.Unlock())
}

// taken takes what must be there.
func taken(l *Lock, free bool, err error) func(*testing.T) *Lock {
	return func(t *testing.T) *Lock {
		t.Helper()
		if err != nil || !free {
			t.Fatalf("free: %v, %v", free, err)
		}
		return l
	}
}
