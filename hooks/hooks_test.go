package hooks_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/hooks"
)

// world is a repository's directories, as far as hooks know them.
type world struct {
	t     *testing.T
	root  string
	place hooks.Place
}

func newWorld(t *testing.T, dir string) *world {
	t.Helper()
	root := filepath.Join(t.TempDir(), "it's code with spaces")
	w := &world{t: t, root: root, place: hooks.Place{Dir: filepath.Join(root, dir), Roots: []string{root}}}
	if err := os.MkdirAll(w.place.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.place.Dir, name) }

func (w *world) write(name, text string, mode fs.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(w.path(name), mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(target, name string) {
	w.t.Helper()
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.Remove(w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

// snapshot is all files with their modes, contents and targets.
func (w *world) snapshot() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text, _ := os.Readlink(path)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		all[strings.TrimPrefix(path, w.root)] = fmt.Sprintf("%v %q", info.Mode(), text)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// same holds that all files are as they were.
func (w *world) same(before map[string]string, when string) {
	w.t.Helper()
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		w.t.Errorf("%s: (-before +after)\n%s", when, diff)
	}
}

func (w *world) install() []hooks.Change {
	w.t.Helper()
	changes, err := hooks.Install(w.place)
	if err != nil {
		w.t.Fatal(err)
	}
	return changes
}

func (w *world) uninstall() []hooks.Change {
	w.t.Helper()
	changes, err := hooks.Uninstall(w.place)
	if err != nil {
		w.t.Fatal(err)
	}
	return changes
}

// state is how the hook of an event stands.
func (w *world) state(event string) (state, owner string) {
	w.t.Helper()
	list, err := hooks.Status(w.place)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, h := range list {
		if h.Name == event {
			return h.State, h.Owner
		}
	}
	w.t.Fatalf("no hook '%s'", event)
	return "", ""
}

// run runs a hook as git does, and returns what it prints and its exit code. The git
// that it finds has no git-context, says so and reads all input: hooks have to go on.
func (w *world) run(name, input string, args ...string) (out string, code int) {
	w.t.Helper()
	bin := w.t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\ncat >/dev/null\necho \"no $2\" >&2\nexit 1\n"), 0o777); err != nil {
		w.t.Fatal(err)
	}
	env := append(os.Environ(), "TMPDIR="+w.t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stdout bytes.Buffer
	run := func() error {
		cmd := exec.Command(w.path(name), args...)
		cmd.Dir, cmd.Env = w.root, env
		cmd.Stdin, cmd.Stdout = strings.NewReader(input), &stdout
		return cmd.Run()
	}
	err := run()
	// A process that another test starts at the moment in which this one writes the file has it open until it executes.
	for deadline := time.Now().Add(10 * time.Second); errors.Is(err, syscall.ETXTBSY) && time.Now().Before(deadline); err = run() {
		time.Sleep(time.Millisecond)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stdout.String(), exit.ExitCode()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return stdout.String(), 0
}

// prints is a script that shows all that it was given, and ends with 3.
const prints = "echo \"$0|$*|\"; cat; exit 3\n"

// Whatever stands where a hook belongs is as it was when git-context is gone again.
func TestFilesAreLeftAsTheyWereFound(t *testing.T) {
	t.Parallel()
	type layout struct {
		name, text  string
		mode        fs.FileMode
		state, of   string // once installed
		moved, runs bool
	}
	for _, l := range []layout{
		{"sh", "#!/bin/sh\n" + prints, 0o755, "installed", "another", false, true},
		{"env", "#!/usr/bin/env -S sh -eu\n" + prints, 0o750, "installed", "another", false, true},
		{"no end", "#! /bin/sh -e\n" + strings.TrimSuffix(prints, "\n"), 0o700, "installed", "another", false, true},
		{"empty script", "#!/bin/sh\n", 0o755, "installed", "another", false, false},
		{"only a first line", "#!/bin/sh", 0o755, "kept", "another", true, false},
		{"no first line", prints, 0o755, "kept", "another", true, true},
		{"another language", "#!/usr/bin/awk -f\nBEGIN { exit 3 }\n", 0o755, "kept", "another", true, false},
		{"two languages", "#!/bin/sh\n'''exec' sh \"$0\" \"$@\"\n' '''\n", 0o755, "kept", "another", true, false},
		{"counted lines", "#!/bin/sh\ntail -n +3 \"$0\" | sh -s \"$0\" \"$@\"; exit 3\necho \"$1|a b c|\"\n", 0o755, "kept", "another", true, false},
		{"payload", "#!/bin/sh\n" + prints + "\x00\x01", 0o755, "kept", "another", true, true},
		{"carriage returns", "#!/bin/sh\r\nexit 3\r\n", 0o755, "kept", "another", true, false},
		{"not executable", "#!/bin/sh\n" + prints, 0o644, "kept", "another", true, false},
		{"empty", "", 0o755, "kept", "another", true, false},
		{"large", "#!/bin/sh\n" + prints + "#" + strings.Repeat("x", 1<<20), 0o755, "kept", "another", true, true},
		{"lefthook", "#!/bin/sh\n# LEFTHOOK\n" + prints, 0o755, "installed", "lefthook", false, true},
		{"pre-commit", "#!/bin/sh\n# File generated by pre-commit: x\n" + prints, 0o755, "installed", "pre-commit", false, true},
		{"git-lfs", "#!/bin/sh\n: git lfs\n" + prints, 0o755, "installed", "git-lfs", false, true},
	} {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ".git/hooks")
			for _, event := range hooks.Events() {
				w.write(event, l.text, l.mode)
			}
			before := w.snapshot()
			w.install()
			for _, event := range hooks.Events() {
				if state, of := w.state(event); state != l.state || of != l.of {
					t.Errorf("%s is %s by %s, want %s by %s", event, state, of, l.state, l.of)
				}
				for _, input := range []string{"", "one two\n", "no end", "\n\n"} {
					w.checkRun(event, input, l.runs, l.moved)
				}
			}
			installed := w.snapshot()
			for _, c := range w.install() {
				if c.Effect != hooks.Unchanged {
					t.Errorf("a second install: %+v", c)
				}
			}
			w.same(installed, "a second install")
			w.uninstall()
			w.same(before, "uninstall")
			if changes := w.uninstall(); len(changes) > 0 {
				t.Errorf("a second uninstall: %+v", changes)
			}
		})
	}
}

// checkRun holds that the hook that stood there gets what git gives, and that its exit
// status is the hook's.
func (w *world) checkRun(event, input string, runs, moved bool) {
	w.t.Helper()
	if !runs {
		return
	}
	at := w.path(event)
	if moved {
		at = w.path("kept-by-git-context/" + event)
	}
	out, code := w.run(event, input, "a b", "c")
	if want := at + "|a b c|\n" + input; out != want || code != 3 {
		w.t.Errorf("%s of %q: %q, exit %d, want %q", event, input, out, code, want)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".git/hooks")
	w.write("../../tools/hook", "#!/bin/sh\necho \"${0##*/}\"; exit 3\n", 0o755)
	w.link("../../tools/hook", hooks.PostCommit)
	w.link(filepath.Join(w.root, "tools", "hook"), hooks.PrePush)
	before := w.snapshot()
	w.install()
	for _, event := range []string{hooks.PostCommit, hooks.PrePush} {
		if out, code := w.run(event, ""); out != event+"\n" || code != 3 {
			t.Errorf("%s: %q, exit %d", event, out, code)
		}
	}
	if err := os.Rename(filepath.Join(w.root, "tools"), filepath.Join(w.root, "away")); err != nil {
		t.Fatal(err)
	}
	if _, code := w.run(hooks.PostCommit, ""); code != 0 {
		t.Errorf("a link that leads nowhere: exit %d", code)
	}
	w.uninstall()
	if err := os.Rename(filepath.Join(w.root, "away"), filepath.Join(w.root, "tools")); err != nil {
		t.Fatal(err)
	}
	w.same(before, "uninstall")
}

// What cannot be done for one hook is done for none.
func TestRefusals(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	kept := map[string]bool{"half a block": true, "a block without end": true, "another one kept": true}
	for name, make := range map[string]func(w *world, path string) error{
		"a directory":        func(w *world, path string) error { return os.Mkdir(path, 0o777) },
		"a link out":         func(w *world, path string) error { return os.Symlink(outside, path) },
		"a link to nothing":  func(w *world, path string) error { return os.Symlink("nothing", path) },
		"a link to a folder": func(w *world, path string) error { return os.Symlink("..", path) },
		"half a block": func(w *world, path string) error {
			return os.WriteFile(path, []byte("#!/bin/sh\n# git-context: end\n"), 0o777)
		},
		"a block without end": func(w *world, path string) error {
			return os.WriteFile(path, []byte("# git-context: begin x\n"), 0o777)
		},
		"another one kept": func(w *world, path string) error {
			w.write("kept-by-git-context/post-rewrite", "one", 0o755)
			return os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o777)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ".git/hooks")
			w.write(hooks.PostCommit, "#!/bin/sh\n", 0o755)
			if err := make(w, w.path(hooks.PostRewrite)); err != nil {
				t.Fatal(err)
			}
			before := w.snapshot()
			_, err := hooks.Install(w.place)
			var refused *hooks.Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), "post-rewrite'") {
				t.Errorf("installed: %v", err)
			}
			w.same(before, "a refused install")
			want := hooks.StateMissing // it is nobody's business what stands there
			if kept[name] {
				want = hooks.StateBroken
			}
			if state, _ := w.state(hooks.PostRewrite); state != want {
				t.Errorf("it is %s", state)
			}
		})
	}
}

// What was installed before one failed is taken back.
func TestFailureIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".git/hooks")
	w.write(hooks.PostCommit, "#!/bin/sh\nexit 3\n", 0o755)
	w.write(hooks.PostRewrite, "#!/usr/bin/awk -f\n", 0o755)
	w.write(hooks.PrePush, "#!/usr/bin/awk -f\n", 0o755)
	w.write(".pre-push.git-context-tmp/in/the/way", "", 0o644)
	before := w.snapshot()
	if _, err := hooks.Install(w.place); err == nil || !strings.Contains(err.Error(), "cannot install hook") {
		t.Errorf("installed: %v", err)
	}
	w.same(before, "a failed install")
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("*** SKIPPED: root may read every file ***")
	}
	w := newWorld(t, ".git/hooks")
	w.write(hooks.PostCommit, "#!/bin/sh\n", 0o311)
	if _, err := hooks.Install(w.place); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("installed: %v", err)
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".git/hooks")
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, w.path("out")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{elsewhere, filepath.Join(elsewhere, "new"), w.path("out"), w.path("out/new"), os.DevNull} {
		_, err := hooks.Install(hooks.Place{Dir: dir, Roots: w.place.Roots})
		var refused *hooks.Error
		if !errors.As(err, &refused) || len(refused.Hints) != len(hooks.Events()) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if list, err := os.ReadDir(elsewhere); err != nil || len(list) > 0 {
		t.Errorf("written outside: %v, %v", list, err)
	}
	inside := hooks.Place{Dir: w.path("new/deep"), Roots: w.place.Roots}
	if _, err := hooks.Install(inside); err != nil {
		t.Errorf("a directory that has to be made: %v", err)
	}
}
