package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
	"pgregory.net/rapid"
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

func TestStateFiles(t *testing.T) {
	s := newSandbox(t)
	s.Git("", "init", "-q", "--shared=group", "r")
	r := s.open("r")
	must(t, r.WriteStateFile("merge/main", []byte("one")))
	must(t, r.WriteStateFile("merge/main", []byte("two")))
	if got := string(ok(os.ReadFile(r.StateDir() + "/merge/main"))(t)); got != "two" {
		t.Errorf("got %q", got)
	}
	f := ok(r.OpenState("journal/main.jsonl", os.O_RDWR|os.O_APPEND|os.O_CREATE))(t)
	must(t, f.Close())
	f = ok(r.OpenState("journal/main.jsonl", os.O_RDWR))(t)
	must(t, f.Close())
	if _, err := r.OpenState("journal/none", os.O_RDWR); !os.IsNotExist(err) {
		t.Errorf("OpenState made a file: %v", err)
	}
	for path, want := range map[string]os.FileMode{"": os.ModeDir | os.ModeSetgid | 0o775, "merge": os.ModeDir | os.ModeSetgid | 0o775,
		"merge/main": 0o664, "journal/main.jsonl": 0o664} {
		if got := ok(os.Stat(filepath.Join(r.StateDir(), path)))(t).Mode(); got != want {
			t.Errorf("%q: mode %v, want %v", path, got, want)
		}
	}
	for _, name := range []string{"../x", "/x", "a/../../x", ""} {
		if err := r.WriteStateFile(name, nil); err == nil {
			t.Errorf("wrote %q", name)
		}
	}
	if left := ok(filepath.Glob(r.StateDir() + "/*/tmp_*"))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if out := s.Git("r", "status", "--porcelain"); out != "" {
		t.Errorf("the worktree changed: %s", out)
	}
}

func TestFileName(t *testing.T) {
	for _, c := range []struct{ name, suffix, want string }{
		{"main", ".json", "main.json"},
		{"a/b/c.d-e", ".json", "a%2Fb%2Fc.d-e.json"},
		{"origin", "", "origin"},
		{strings.Repeat("x", 200), ".json", strings.Repeat("x", 200) + ".json"},
		{strings.Repeat("a/", 61) + "x", ".json", strings.Repeat("a%2F", 61) + "x.json"}, // the longest in full
		{strings.Repeat("a/", 61) + "xy", ".json", strings.Repeat("a%2F", 45) + "~" +
			"d4c35090dcbe4a994da2cdf648eaf67441f6c2ecc3c5f5fff5e68525d6bf3974.json"},
	} {
		if got := FileName(c.name, c.suffix); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever the names, their files are different, and such as a file system takes.
func TestFileNameIsOneToOne(t *testing.T) {
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`([ab]/){0,99}[ab]`).Draw(t, "name")
		file := FileName(name, ".jsonl")
		if before, ok := seen[file]; ok && before != name {
			t.Fatalf("%s is the file of %s too", file, before)
		}
		seen[file] = name
		if len(file) > maxStateFile || strings.Contains(file, "/") || !strings.HasSuffix(file, ".jsonl") {
			t.Fatalf("%d bytes: %s", len(file), file)
		}
	})
}

func TestReadOnlyRepository(t *testing.T) {
	s, r := newRepo(t)
	id := commit(t, r, "one")
	set(t, r, BranchRef("main"), id, "")
	s.age("r/.git/config", "home/.gitconfig")
	must(t, os.RemoveAll(r.StateDir()))
	must(t, os.WriteFile(r.StateDir(), nil, 0o444)) // not even root can make state here
	again := s.open("r")
	if got := ok(again.Peel(t.Context(), BranchRef("main")))(t); got != id {
		t.Errorf("got %s", got)
	}
	_ = ok(again.Config(t.Context()))(t)
	_ = ok(again.Committer(t.Context()))(t)
	if err := again.WriteStateFile("x", nil); err == nil || !strings.Contains(err.Error(), r.StateDir()) {
		t.Errorf("WriteStateFile: %v", err)
	}
	if _, _, err := again.TryLock("x"); err == nil || !strings.Contains(err.Error(), "lock 'x'") {
		t.Errorf("TryLock: %v", err)
	}
}

func TestMerge(t *testing.T) {
	_, r := newRepo(t)
	ctx := t.Context()
	root := commit(t, r, "root")
	a, b, lone := commit(t, r, "a", root), commit(t, r, "b", root), commit(t, r, "lone")
	cross1, cross2 := commit(t, r, "c1", a, b), commit(t, r, "c2", b, a)
	for _, c := range []struct {
		a, b ID
		want int
	}{{a, b, 1}, {a, a, 1}, {a, lone, 0}, {cross1, cross2, 2}, {root, a, 1}} {
		if got := ok(r.MergeBases(ctx, c.a, c.b))(t); len(got) != c.want {
			t.Errorf("MergeBases = %v, want %d", got, c.want)
		}
	}
	if _, err := r.MergeBases(ctx, a, ID(strings.Repeat("1", 40))); err == nil {
		t.Error("a missing commit has no bases: no error")
	}
	for _, c := range []struct {
		a, b ID
		want bool
	}{{root, a, true}, {a, root, false}, {a, a, true}, {lone, a, false}} {
		if got := ok(r.IsAncestor(ctx, c.a, c.b))(t); got != c.want {
			t.Errorf("IsAncestor = %v", got)
		}
	}
	labels := [3]string{"ours", "base", "theirs"}
	merge := func(base, ours, theirs string) (string, bool) {
		t.Helper()
		out, conflict, err := r.MergeFile(ctx, []byte(base), []byte(ours), []byte(theirs), labels)
		must(t, err)
		return string(out), conflict
	}
	if out, conflict := merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"); conflict || out != "A\nb\nC\n" {
		t.Errorf("%v: %q", conflict, out)
	}
	out, conflict := merge("a\n", "b\n", "c\n")
	if want := "<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> theirs\n"; !conflict || out != want {
		t.Errorf("%v: %q", conflict, out)
	}
	if out, conflict := merge("", "", ""); conflict || out != "" {
		t.Errorf("%v: %q", conflict, out)
	}
	if _, conflict, err := r.MergeFile(ctx, nil, []byte("\x00a"), []byte("b"), labels); err == nil || conflict {
		t.Errorf("binary: %v, %v", conflict, err)
	}
	if left := ok(filepath.Glob(r.StateDir() + "/tmp/*"))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRun(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	var failed *Error
	out, err := r.Run(ctx, "-c", "x.y=z", "rev-parse", "--verify", "nothing")
	if !errors.As(err, &failed) || failed.Code != 128 || failed.Err != nil || len(out) != 0 || err.Error() != "git rev-parse: Needed a single revision" {
		t.Errorf("%v: %+v", err, failed)
	}
	if out := ok(r.RunInput(ctx, []byte("in"), "hash-object", "--stdin"))(t); len(out) != 41 {
		t.Errorf("%q", out)
	}
	// Without input there is none, whatever ours is.
	if out := ok(r.Run(ctx, "hash-object", "--stdin"))(t); !strings.HasPrefix(string(out), "e69de29") {
		t.Errorf("%q", out)
	}
	s.Git("r", "config", "alias.env", "!env")
	hook := s.open("r", "GIT_INDEX_FILE=x", "GIT_PREFIX=sub/", "GIT_EDITOR=vi", "LC_ALL=de_DE.UTF-8", "GIT_CONFIG=y", "KEPT=1")
	env := string(ok(hook.RunEnv(ctx, []string{"MORE=2"}, nil, "env"))(t))
	for _, want := range []string{"LC_ALL=C\n", "GIT_OPTIONAL_LOCKS=0\n", "GIT_TERMINAL_PROMPT=0\n", "GIT_NO_REPLACE_OBJECTS=1\n",
		"GIT_EDITOR=:\n", "KEPT=1\n", "MORE=2\n", "GIT_COMMITTER_NAME=A Committer\n", "GIT_DIR=" + r.GitDir() + "\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %q in a child's environment", want)
		}
	}
	for _, not := range []string{"GIT_INDEX_FILE", "GIT_AUTHOR_", "GIT_CONFIG=", "GIT_PREFIX=sub", "vi\n", "de_DE"} {
		if strings.Contains(env, not) {
			t.Errorf("%q in a child's environment", not)
		}
	}
}

// A child and what it started end with ctx.
func TestRunStops(t *testing.T) {
	s, r := newRepo(t)
	s.Git("r", "config", "alias.slow", "!echo $$ >pid; trap '' TERM; sleep 60 & wait; sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := r.Run(ctx, "slow")
	wantErr(t, err, context.DeadlineExceeded, "git slow")
	if took := time.Since(begin); took > process.Grace+2*time.Second {
		t.Errorf("took %v", took)
	}
	pid := strings.TrimSpace(string(ok(os.ReadFile(s.Path("r/pid")))(t)))
	for range 100 {
		if _, err = os.Stat("/proc/" + pid); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err == nil {
		state, _ := os.ReadFile("/proc/" + pid + "/stat")
		if !strings.Contains(string(state), ") Z ") {
			t.Errorf("descendant %s lives on", pid)
		}
	}
}

func TestTrace(t *testing.T) {
	s, _ := newRepo(t)
	var trace strings.Builder
	r := ok(Open(t.Context(), Options{Dir: s.Path("r"), Env: s.Env, Trace: &trace}))(t)
	_, _ = r.Run(t.Context(), "rev-parse", "--verify", "a b")
	_ = ok(r.Peel(t.Context(), string(commit(t, r, "x"))))(t)
	must(t, r.Close())
	for _, want := range []string{"(exit status 128): git rev-parse --verify \"a b\"\n", "(exit status 0): git cat-file --batch-command\n"} {
		if !strings.Contains(trace.String(), want) {
			t.Errorf("no %q in\n%s", want, trace.String())
		}
	}
}

// Neither the code's attributes nor the user's settings reach a view.
func TestView(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	s.Write("r/.gitattributes", "*.md -diff merge=binary\n")
	s.Git("r", "add", ".gitattributes")
	s.Git("r", "commit", "-qm", "attributes")
	s.Write("home/attributes", "*.md -diff\n")
	for _, kv := range [][2]string{{"core.attributesFile", s.Path("home/attributes")}, {"log.showSignature", "true"},
		{"i18n.logOutputEncoding", "latin1"}, {"diff.external", "false"}, {"core.pager", "false"}} {
		s.Git("", "config", "--global", kv[0], kv[1])
	}
	s.Git("r", "worktree", "add", "-q", "../w")
	one := commit(t, r, "öne\n")
	two := commit(t, r, "twö\n", one)
	for _, r := range []*Repo{s.open("r"), s.open("w")} {
		diff := string(ok(r.View(ctx, "diff", "--no-ext-diff", "--no-textconv", string(one), string(two)))(t))
		if !strings.Contains(diff, "-öne\n+twö\n") {
			t.Errorf("diff: %s", diff)
		}
		if log := string(ok(r.View(ctx, "log", "-1", "--format=%s", string(two)))(t)); log != "twö\n" {
			t.Errorf("log: %q", log)
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"git log: bad revision":         {Args: []string{"-c", "a=b", "log"}, Code: 128, Stderr: "warning: x\nfatal: bad revision\nhint: y\n"},
		"git log: exit status 3":        {Args: []string{"log"}, Code: 3},
		"git: said so":                  {Code: 1, Stderr: "said so\nand more\n"},
		"git gc: bad: context canceled": {Args: []string{"gc"}, Stderr: "error: bad", Err: context.Canceled},
		"git fetch: context canceled":   {Args: []string{"-C", "dir", "fetch"}, Err: context.Canceled},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
