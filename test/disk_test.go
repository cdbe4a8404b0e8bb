//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writing is a command that writes, as it is tried where it cannot.
type writing struct {
	name  string
	core  bool // tried every time, not only in a soak
	args  []string
	stdin string
	// begin makes the repository ready for it, behind what newDisk makes.
	begin func(w *world)
	// steps says that it does one thing after another, each whole: where it fails some
	// are done, and the same command does the others.
	steps bool
	// again is what is run where it failed with a code of its own: what its hint says.
	again map[string][]string
}

func (c writing) String() string { return c.name }

// writings are the commands that write memory, or beside it.
func writings(t testing.TB) []writing {
	foreign, err := filepath.Abs("../refs/peer/testdata/contexa")
	if err != nil {
		t.Fatal(err)
	}
	trace, err := filepath.Abs("testdata/pool.traj")
	if err != nil {
		t.Fatal(err)
	}
	var steps strings.Builder // with ids: what was answered before it failed is not recorded twice
	for i := range 3 {
		fmt.Fprintf(&steps, `{"id":"%d","action":"%s"}`+"\n", i, strings.Repeat("s", 3000))
	}
	conflict := func(w *world) {
		w.ok("remember", "pool", "mine")
		w.ok("-b", "side", "remember", "pool", "theirs")
		w.exits(3, "merge", "side")
	}
	return []writing{
		{name: "init", begin: func(w *world) { w.forget() }, args: []string{"init", "--goal", "Begin"}, steps: true},
		{name: "record", core: true, args: []string{"record", "-a", strings.Repeat("r", 5000)}},
		{name: "record, the first", begin: func(w *world) { w.drop("journal/main.jsonl") }, args: []string{"record", "-a", "first"}},
		{name: "record --stdin", args: []string{"record", "--stdin"}, stdin: steps.String(), steps: true},
		{name: "commit", core: true, args: []string{"commit", "-m", "Next", "--done", "Ship", "--score", "0.5"},
			again: map[string][]string{"note-not-written": {"note", "main", "--score", "0.5"}}},
		{name: "commit, plain", args: []string{"commit", "-m", "Next"}},
		{name: "commit --code", args: []string{"commit", "--code", "-m", "Both"},
			again: map[string][]string{"intent-unfinished": {"fsck", "--fix"}}},
		{name: "branch", core: true, args: []string{"branch", "new/one", "--purpose", "Try"},
			again: map[string][]string{"not-switched": {"switch", "new/one"}}},
		{name: "branch -m", args: []string{"branch", "-m", "side", "aside"}},
		{name: "branch -D", args: []string{"branch", "-D", "side", "--yes"}, steps: true},
		{name: "branch --restore", begin: func(w *world) { w.ok("branch", "-D", "side", "--yes") }, args: []string{"branch", "--restore", "side"}},
		{name: "switch", args: []string{"switch", "side"}},
		{name: "tag", args: []string{"tag", "named"}},
		{name: "merge", core: true, args: []string{"merge", "side", "-m", "Joined"}},
		{name: "merge, conflict", begin: func(w *world) { conflict(w); w.ok("merge", "--abort") }, args: []string{"merge", "side", "-X", "theirs"}},
		{name: "resolve", begin: conflict, args: []string{"resolve", "topics/pool.md", "--ours"}},
		{name: "note", args: []string{"note", "main", "--score", "0.9", "--review", "Good"}},
		{name: "remember", core: true, args: []string{"remember", "k", strings.Repeat("v ", 9000)}},
		{name: "forget", args: []string{"forget", "kept"}},
		{name: "metadata set", args: []string{"metadata", "set", "interfaces.db", "sqlite"}},
		{name: "roadmap", args: []string{"roadmap", "todo", "add", "More"}},
		{name: "rollback", begin: func(w *world) { w.ok("remember", "kept", "otherwise") }, args: []string{"rollback", "main~2"}},
		{name: "sync", args: []string{"sync"}, steps: true},
		{name: "fetch", args: []string{"fetch"}, steps: true},
		{name: "push", args: []string{"push"}, steps: true},
		{name: "import", args: []string{"import", foreign}, steps: true},
		{name: "import --from", args: []string{"import", "--from", "swe-agent", trace}, steps: true},
		{name: "expunge", args: []string{"expunge", "--match", "pass-word", "--yes"}, steps: true},
		{name: "hooks install", args: []string{"hooks", "install", "git"}, steps: true},
		{name: "bisect start", args: []string{"bisect", "start", "main", "main~2"}, steps: true},
	}
}

// newDisk makes what every one of them is tried on: memory of two branches, with
// steps that are pending, beside a remote that has news.
func newDisk(t testing.TB) *world {
	w := newHome(t)
	w.git("init", "-q")
	w.write("go.mod", "module example.com/m\n\ngo 1.26\n")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "code")
	w.ok("init", "--goal", "Keep every step", "--milestone", "Ship", "--todo", "Test")
	w.ok("remember", "kept", "a topic")
	for i := range 3 {
		w.ok("record", "-a", fmt.Sprint("step ", i))
		w.ok("commit", "-m", fmt.Sprint("Milestone ", i))
	}
	w.ok("record", "-o", "the pass-word is x")
	w.ok("commit", "-m", "Secret")
	w.ok("branch", "side", "--purpose", "Try", "--no-switch")
	w.ok("record", "-b", "side", "-a", "aside")
	w.ok("commit", "-b", "side", "-m", "On side")
	remote := filepath.Join(filepath.Dir(w.dir), "remote.git")
	w.git("init", "-q", "--bare", remote)
	w.git("remote", "add", "origin", "../remote.git")
	w.git("push", "-q", "origin", "main")
	w.ok("init")
	w.ok("push", "--yes")
	other := *w
	other.dir = filepath.Join(filepath.Dir(w.dir), "other")
	w.git("clone", "-q", remote, other.dir)
	other.ok("init")
	other.ok("record", "-a", "elsewhere")
	other.ok("commit", "-m", "Elsewhere")
	other.ok("sync")
	w.ok("record", "-a", "pending")
	w.ok("record", "-b", "side", "-a", "pending aside")
	w.write("go.mod", "module example.com/m\n\ngo 1.26.1\n")
	w.git("add", ".")
	return w
}

// drop takes a file of local state away.
func (w *world) drop(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, ".git/context", name)); err != nil {
		w.t.Fatal(err)
	}
}

// forget takes all memory away.
func (w *world) forget() {
	w.t.Helper()
	for ref := range strings.Lines(w.git("for-each-ref", "--format=%(refname)", "refs/context", "refs/notes")) {
		w.git("update-ref", "-d", strings.TrimSpace(ref))
	}
	w.git("symbolic-ref", "-d", "CONTEXT_HEAD")
	w.git("remote", "remove", "origin")
	w.drop("")
}

// exits runs git-context, which must end with a code.
func (w *world) exits(code int, args ...string) {
	w.t.Helper()
	out, err := w.command(nil, w.bin, args...).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code {
		w.t.Fatalf("git-context %s: %v, want exit code %d\n%s", strings.Join(args, " "), err, code, out)
	}
}

// placed is the world in another directory.
func (w *world) placed(t testing.TB, dir string) *world {
	other := *w
	other.t, other.dir = t, dir
	return &other
}

// take makes a world that is another one's copy, with its times, so that git's index
// still holds. The remote stands somewhere else.
func (w *world) take(from *world) {
	w.t.Helper()
	parent, away := filepath.Dir(w.dir), w.t.TempDir()
	for _, c := range [][]string{
		{"mkdir", "-p", filepath.Join(parent, "tmp")},
		{"cp", "-a", from.dir, w.dir},
		{"cp", "-a", filepath.Join(filepath.Dir(from.dir), "remote.git") + "/.", away},
		{"ln", "-s", away, filepath.Join(parent, "remote.git")},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			w.t.Fatalf("%v: %v: %s", c, err, out)
		}
	}
	w.env = append(from.env[:len(from.env):len(from.env)], "TMPDIR="+filepath.Join(parent, "tmp"))
}

// tried is what came of a command.
type tried struct {
	code     int
	out, err string
}

// try runs a command that may fail, through other programs if any are given.
func (w *world) try(c writing, through ...string) tried {
	w.t.Helper()
	var out, errs bytes.Buffer
	args := append(slices.Concat(through, []string{w.bin}), c.args...)
	args = append(args, "--json")
	cmd := w.command(nil, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return tried{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// refusal holds that a command that failed says so in the one voice: a JSON error
// that names its cause, with what can be done about it. It returns its code.
func (r tried) refusal(t testing.TB, causes ...string) (code string) {
	t.Helper()
	var v struct {
		Error struct{ Code, Message, Hint string }
	}
	last := r.err[strings.LastIndex(strings.TrimSpace(r.err), "\n")+1:]
	if err := json.Unmarshal([]byte(last), &v); err != nil || r.code != 1 {
		t.Errorf("exit code %d, want 1 with a JSON error: %q", r.code, r.err)
		return ""
	}
	said := slices.ContainsFunc(causes, func(c string) bool { return strings.Contains(strings.ToLower(v.Error.Message), c) })
	if v.Error.Code == "code-refused" && !said {
		said = len(last) < len(r.err) // git has said it before, in its own words
	}
	if !said || v.Error.Hint == "" || strings.Contains(v.Error.Message, "\n") {
		t.Errorf("an error that does not say it all: %s", r.err)
	}
	return v.Error.Code
}

// image is every byte of a repository that a command which fails must leave as it
// was: refs, journals, settings, hooks and the state of operations. Objects
// and reflogs may grow; locks, caches and empty directories are nobody's truth.
func (w *world) image() map[string]string {
	w.t.Helper()
	files := map[string]string{}
	git := filepath.Join(w.dir, ".git")
	err := filepath.WalkDir(git, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, git+"/")
		if e.IsDir() {
			if name == "objects" || name == "logs" || name == "context/lock" || name == "context/cache" {
				return fs.SkipDir
			}
			return nil
		}
		if name == "index" || name == "COMMIT_EDITMSG" {
			return nil // git's own to write, whatever comes of a commit
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// unchanged holds that a repository is as it was.
func (w *world) unchanged(before map[string]string) {
	w.t.Helper()
	after := w.image()
	for name, data := range after {
		if was, ok := before[name]; !ok {
			w.t.Errorf("'%s' was left: %.200q", name, data)
		} else if was != data && !(name == "context/written" && strings.HasPrefix(data, was)) {
			// Commits are listed there before refs move, also those that get none.
			w.t.Errorf("'%s' was %.300q and is %.300q", name, was, data)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			w.t.Errorf("'%s' is gone", name)
		}
	}
}

// litter holds that no file was left which nothing ever takes away. Below objects
// `git prune` does.
func (w *world) litter() {
	w.t.Helper()
	_ = filepath.WalkDir(filepath.Dir(w.dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name := e.Name()
		if below := filepath.Base(filepath.Dir(filepath.Dir(path))); below == "objects" {
			return nil
		}
		if strings.HasPrefix(name, "tmp_") || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".new") ||
			strings.HasSuffix(name, ".torn") || strings.HasPrefix(name, "git-context") {
			info, _ := e.Info()
			w.t.Errorf("'%s' was left, %d bytes", path, info.Size())
		}
		return nil
	})
}

// outcome is what memory says, without what differs from one run to the next: ids,
// hashes, times, and where exactly a branch that was imported starts.
func (w *world) outcome() string {
	w.t.Helper()
	var out strings.Builder
	for ref := range strings.Lines(w.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/context", "refs/notes")) {
		if name, ok := strings.CutPrefix(ref, "refs/context/deleted/"); ok {
			ref = "deleted " + name[:strings.LastIndex(name, "-")] + "\n"
		}
		out.WriteString(ref)
		branch, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/context/heads/")
		if !ok {
			continue
		}
		var v struct {
			Commits []struct{ Branch, Summary string }
		}
		if err := json.Unmarshal(w.ok("log", branch, "--json"), &v); err != nil {
			w.t.Fatal(err)
		}
		for _, c := range v.Commits {
			if c.Branch == branch {
				fmt.Fprintf(&out, "\t%s\n", c.Summary)
			}
		}
		for _, s := range w.steps(branch) {
			fmt.Fprintf(&out, "\t%d %.80s %v\n", s.Step, s.Action, s.Pending)
		}
		out.WriteString(w.git("ls-tree", "-r", "--name-only", strings.TrimSpace(ref), "topics"))
	}
	out.Write(w.ok("roadmap", "show"))
	out.WriteString(w.git("symbolic-ref", "CONTEXT_HEAD"))
	out.WriteString(w.git("log", "--format=%s"))
	out.WriteString(w.facts())
	return out.String()
}

// facts are the kinds of facts in the notes, and how many of each there are. Those
// that say again what a milestone's trailers say are left out: the next command may
// have to write them.
func (w *world) facts() string {
	count := map[string]int{}
	if w.command(nil, "git", "rev-parse", "-q", "--verify", "refs/notes/context").Run() != nil {
		return ""
	}
	for line := range strings.Lines(w.git("grep", "-h", `"kind":`, "refs/notes/context")) {
		var v struct{ Kind string }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			w.t.Errorf("note %q: %v", line, err)
		}
		count[v.Kind]++
	}
	delete(count, "commit")
	return fmt.Sprint(count)
}

// after holds what must be after a command that failed for a cause, and runs it, or what
// its hint says, once more: there is nothing in its way now.
func (w *world) after(c writing, r tried, before map[string]string, causes ...string) (again tried) {
	w.t.Helper()
	code := r.refusal(w.t, causes...)
	w.litter()
	if args, ok := c.again[code]; ok {
		c.args = args
	} else if !c.steps {
		w.unchanged(before)
	}
	if again = w.try(c); again.code != 0 && !c.forgotten(again) {
		w.t.Errorf("again: exit code %d: %s", again.code, again.err)
	}
	return again
}

// complete holds that memory says what it is to say, and is sound. What the last
// command warned of, if it did, is what the next one makes up for.
func (w *world) complete(r tried, want string) {
	w.t.Helper()
	if strings.Contains(r.err, "warning: ") {
		w.ok("fsck", "--fix")
	}
	if got := w.outcome(); got != want {
		w.t.Errorf("the outcome is\n%s\nnot\n%s", got, want)
	}
	w.litter()
	w.sound()
	if problems, _ := w.fsck(); len(problems) > 0 {
		w.t.Errorf("fsck: %v", problems)
	}
}

// forgotten says that an expunge found nothing left to forget: the next command of
// any kind, this one, has finished what the full disk interrupted.
func (c writing) forgotten(r tried) bool {
	return c.args[0] == "expunge" && strings.Contains(r.err, "interrupted expunge is finished now") && strings.Contains(r.err, "nothing-holds")
}
