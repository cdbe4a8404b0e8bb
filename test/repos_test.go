package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A kind of repository, and how to get one: make returns the directory to work
// in, and what the environment must have.
type kind struct {
	name string
	make func(w *world) (dir string, env []string)
}

// base makes the code repository that others are cloned from.
func (w *world) base() string {
	dir := filepath.Join(filepath.Dir(w.dir), "base")
	w.dir = filepath.Dir(dir)
	w.git("init", "-q", dir)
	w.dir = dir
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "a/one.go", "a/b/two.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("module example.com/m\n\ngo 1.26\n"), 0o666); err != nil {
			w.t.Fatal(err)
		}
	}
	w.git("add", ".")
	for _, m := range []string{"one", "two", "three"} {
		w.git("commit", "-q", "--allow-empty", "-m", m)
	}
	return dir
}

var kinds = []kind{
	{"plain", func(w *world) (string, []string) { return w.base(), nil }},
	{"subdirectory", func(w *world) (string, []string) { return filepath.Join(w.base(), "a", "b"), nil }},
	{"unborn HEAD", func(w *world) (string, []string) {
		w.dir = w.t.TempDir()
		w.git("init", "-q")
		return w.dir, nil
	}},
	{"detached HEAD", func(w *world) (string, []string) {
		dir := w.base()
		w.git("checkout", "-q", "--detach", "HEAD~1")
		return dir, nil
	}},
	{"bare", func(w *world) (string, []string) { return w.cloned("--bare"), nil }},
	{"linked worktree", func(w *world) (string, []string) {
		w.base()
		dir := filepath.Join(w.t.TempDir(), "linked")
		w.git("worktree", "add", "-q", dir)
		return dir, nil
	}},
	{"submodule", func(w *world) (string, []string) {
		sub := w.base()
		w.dir = w.t.TempDir()
		w.git("init", "-q")
		w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "sub")
		return filepath.Join(w.dir, "sub"), nil
	}},
	{"sparse checkout", func(w *world) (string, []string) {
		dir := w.cloned()
		w.dir = dir
		w.git("sparse-checkout", "set", "a/b")
		return dir, nil
	}},
	{"partial clone", func(w *world) (string, []string) { return w.cloned("--filter=blob:none", "--no-local"), nil }},
	{"shallow clone", func(w *world) (string, []string) { return w.cloned("--depth=1", "--no-local"), nil }},
	{"alternates", func(w *world) (string, []string) { return w.cloned("--shared"), nil }},
	{"SHA-256", func(w *world) (string, []string) {
		w.dir = w.t.TempDir()
		w.git("init", "-q", "--object-format=sha256")
		w.git("commit", "-q", "--allow-empty", "-m", "one")
		return w.dir, nil
	}},
	{"GIT_DIR and GIT_WORK_TREE", func(w *world) (string, []string) {
		dir := w.base()
		return w.t.TempDir(), []string{"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + dir}
	}},
	{"spaces and unicode", func(w *world) (string, []string) {
		dir := filepath.Join(w.t.TempDir(), "größe 中文 'x'")
		if err := os.Rename(w.base(), dir); err != nil {
			w.t.Fatal(err)
		}
		return dir, nil
	}},
	{"packed refs", func(w *world) (string, []string) {
		dir := w.base()
		w.git("pack-refs", "--all")
		w.git("gc", "-q")
		return dir, nil
	}},
	{"shared repository", func(w *world) (string, []string) {
		dir := w.base()
		w.git("config", "core.sharedRepository", "group")
		return dir, nil
	}},
}

// cloned clones the base repository.
func (w *world) cloned(args ...string) string {
	base := w.base()
	w.git("config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(w.t.TempDir(), "clone")
	w.git(append(append([]string{"clone", "-q"}, args...), "file://"+base, dir)...)
	return dir
}

// The whole life of a memory works alike in every kind of repository that git
// has, and leaves git nothing to complain of.
func TestKindsOfRepositories(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := newHome(t)
			dir, env := k.make(w)
			w.dir, w.env = dir, append(w.env, env...)
			before := w.git("for-each-ref")
			w.ok("init", "--goal", "Work anywhere")
			first := id(t, w.ok("record", "-o", "seen", "-a", "done", "--json"))
			w.ok("commit", "-m", "First")
			w.ok("branch", "exp", "--purpose", "Try")
			second := id(t, w.ok("record", "-a", "tried", "--json"))
			w.ok("commit", "-m", "Second")
			w.ok("remember", "pool.size", "ten")
			w.ok("switch", "main")
			w.ok("merge", "exp")
			third := id(t, w.ok("record", "-a", "pending", "--json"))
			w.git("gc", "-q")
			w.once("main", []string{first, second, third})
			var v struct {
				Branch  string
				Pending int
				Roadmap struct{ Goal string }
				Commits []struct{ Summary, Commit string }
			}
			if err := json.Unmarshal(w.ok("--json", "-k", "3"), &v); err != nil {
				t.Fatal(err)
			}
			if v.Branch != "main" || v.Pending != 1 || v.Roadmap.Goal != "Work anywhere" || len(v.Commits) != 3 || v.Commits[0].Commit == "" {
				t.Errorf("snapshot %+v", v)
			}
			if got := w.git("show", "CONTEXT_HEAD:topics/pool.size.md"); got != "ten" && got != "ten\n" {
				t.Errorf("topic %q", got)
			}
			after := w.git("for-each-ref", "refs/heads", "refs/tags", "refs/remotes", "refs/stash")
			if !strings.Contains(before, strings.TrimSpace(after)) {
				t.Errorf("refs of the code:\n%s\nbefore:\n%s", after, before)
			}
			for line := range strings.Lines(w.git("fsck", "--strict", "--no-dangling")) {
				if !strings.HasPrefix(line, "notice: HEAD points to an unborn branch") {
					t.Errorf("git fsck: %s", line)
				}
			}
		})
	}
}

// Every worktree has a current memory branch of its own; journals are shared by
// branch.
func TestWorktreesShareJournals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	linked := *w
	linked.dir = filepath.Join(t.TempDir(), "linked")
	w.git("worktree", "add", "-q", linked.dir)
	a := id(t, linked.ok("record", "-a", "starts from the main worktree's branch", "--json"))
	linked.ok("branch", "exp", "--purpose", "Own branch")
	b := id(t, w.ok("record", "-a", "still on main", "--json"))
	c := id(t, linked.ok("record", "-b", "main", "-a", "on main by name", "--json"))
	d := id(t, linked.ok("record", "-a", "on exp", "--json"))
	w.ok("commit", "-m", "All of main's")
	w.once("main", []string{a, b, c})
	linked.once("exp", []string{d})
	if out, err := w.command(nil, w.bin, "branch", "-D", "exp").CombinedOutput(); err == nil {
		t.Errorf("a branch that is current in a linked worktree was deleted: %s", out)
	}
	w.sound()
}
