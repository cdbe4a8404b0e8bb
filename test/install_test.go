//go:build unix

package test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// installing is a user who has the sources, Go, git and make.
type installing struct{ *world }

// newInstalling copies the sources as they stand into the world's folder and commits
// them, so that nothing is built where they are worked on.
func newInstalling(t *testing.T) installing {
	t.Helper()
	for _, name := range []string{"make", "install", "tar"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("*** SKIPPED %s: no %s is installed", t.Name(), name)
		}
	}
	w := newHome(t)
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS").Output()
	if err != nil {
		t.Fatal(err)
	}
	settings := strings.Split(string(out), "\n")
	for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
		w.env = append(w.env, name+"="+settings[i])
	}
	w.env[0] = "PATH=" + filepath.Join(w.home(), ".local", "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	u := installing{w}
	u.sources()
	return u
}

func (w *world) home() string { return strings.TrimPrefix(w.env[1], "HOME=") }

// sources brings them, in a commit that is the same each time.
func (u installing) sources() {
	u.t.Helper()
	script := `git -C "$1" ls-files -z --cached --others --exclude-standard | (cd "$1" && tar -c --null -T - --ignore-failed-read 2>/dev/null) | tar -x`
	if out, err := u.command(nil, "sh", "-c", script, "sh", u.root()).CombinedOutput(); err != nil {
		u.t.Fatalf("copying the sources: %v\n%s", err, out)
	}
	u.git("init", "-q")
	u.git("add", "-A")
	date := []string{"GIT_AUTHOR_DATE=2026-11-21T12:00:00Z", "GIT_COMMITTER_DATE=2026-11-21T12:00:00Z"}
	if out, err := u.command(date, "git", "commit", "-q", "-m", "Sources").CombinedOutput(); err != nil {
		u.t.Fatalf("git commit: %v\n%s", err, out)
	}
}

// root is where the sources are.
func (u installing) root() string {
	u.t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		u.t.Fatal(err)
	}
	return dir
}

func (u installing) make(args ...string) {
	u.t.Helper()
	if out, err := u.command(nil, "make", args...).CombinedOutput(); err != nil {
		u.t.Fatalf("make %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// below lists what stands below a folder: files, and folders that hold nothing.
func below(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if held, err := os.ReadDir(path); err != nil || len(held) > 0 {
				return err
			}
		}
		name, err := filepath.Rel(dir, path)
		list = append(list, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is installed is found by git, man and the shells, and goes without a trace. The
// tilde is what a shell that does not know PREFIX=~/.local leaves.
func TestInstall(t *testing.T) {
	t.Parallel()
	u := newInstalling(t)
	prefix := filepath.Join(u.home(), ".local")
	u.make("install", "PREFIX=~/.local")
	for _, name := range []string{"bin/git-context", "share/man/man1/git-context.1", "share/man/man1/git-context-commit.1",
		"share/man/man5/gitcontext-formats.5", "share/man/man7/gitcontext-errors.7", "share/bash-completion/completions/git-context",
		"share/zsh/site-functions/_git-context", "share/fish/vendor_conf.d/git-context.fish"} {
		if info, err := os.Stat(filepath.Join(prefix, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not installed (%v)", name, err)
		}
	}
	if out := u.git("context", "version"); !strings.HasPrefix(out, "git-context version ") {
		t.Errorf("git context version says %q", out)
	}
	if _, err := exec.LookPath("man"); err != nil {
		t.Logf("*** SKIPPED the manual of %s: no man is installed", t.Name())
	} else {
		for args, page := range map[string]string{
			"context --help": "GIT-CONTEXT(1)", "help context": "GIT-CONTEXT(1)", "help git-context-commit": "GIT-CONTEXT-COMMIT(1)",
		} {
			if out := u.git(strings.Fields(args)...); !strings.Contains(strings.ToUpper(out), page) {
				t.Errorf("git %s shows no %s:\n%.300s", args, page, out)
			}
		}
	}
	u.make("uninstall", "PREFIX="+prefix)
	if _, err := os.Lstat(prefix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("uninstall leaves %v (%v)", below(t, prefix), err)
	}
}

// Two who build a release of one commit, in folders of their own, have the same bytes.
func TestReleaseIsReproducible(t *testing.T) {
	t.Parallel()
	if !soaking() {
		t.Skipf("*** SKIPPED %s: make soak plays it", t.Name())
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	one, other := newInstalling(t), newInstalling(t)
	for _, u := range []installing{one, other} {
		u.make("dist", "SYSTEMS="+system)
	}
	sums := one.read("dist/SHA256SUMS")
	if theirs := other.read("dist/SHA256SUMS"); sums != theirs {
		t.Fatalf("one build is\n%sthe other\n%s", sums, theirs)
	}
	var archive string
	for line := range strings.Lines(sums) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if stem, ok := strings.CutSuffix(name, ".tar.gz"); ok {
			archive = stem
		}
	}
	for _, name := range []string{archive + ".tar.gz", archive + ".deb", archive + ".rpm", "git-context.rb", "install.sh"} {
		linux := strings.HasSuffix(name, ".deb") || strings.HasSuffix(name, ".rpm")
		if (!linux || runtime.GOOS == "linux") && !strings.Contains(sums, "  "+name+"\n") {
			t.Errorf("SHA256SUMS lacks %s:\n%s", name, sums)
		}
	}
	out, err := one.command(nil, "tar", "-tzf", filepath.Join("dist", archive+".tar.gz")).CombinedOutput()
	if err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	for _, want := range []string{"/git-context\n", "/man/man1/git-context-commit.1\n", "/completion/git-context.bash\n", "/LICENSE\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s lacks %q", archive, want)
		}
	}
	one.installsItself()
}

// installsItself runs the install.sh of the release, which knows its version, and takes
// away what it installed.
func (u installing) installsItself() {
	u.t.Helper()
	settings := []string{"FROM=dist", "PREFIX=" + filepath.Join(u.home(), "prefix")}
	for _, args := range [][]string{{"dist/install.sh"}, {"dist/install.sh", "--uninstall"}} {
		out, err := u.command(settings, "sh", args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "prefix\n") {
			u.t.Fatalf("sh %v: %v\n%s", args, err, out)
		}
	}
	if _, err := os.Lstat(filepath.Join(u.home(), "prefix")); !os.IsNotExist(err) {
		u.t.Errorf("the prefix is left: %v", err)
	}
}
