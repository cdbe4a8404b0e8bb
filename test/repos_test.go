//go:build unix

package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A kind of repository, and how a script gets one.
type kind struct {
	name string
	// born: the code has commits, and HEAD names one.
	born bool
	// life: the kind is a matter of the way to the repository alone, and one script
	// finds out what there is to find.
	life bool
	// env is what the script's environment has besides, for every repository in it.
	env []string
	// prepare makes what is too big to be made for every script, once, in a directory
	// of its own.
	prepare func(t *testing.T, dir string)
	// make makes a repository in a directory that is not there yet, and returns the one
	// to work in, if it is another.
	make func(m maker, dir string) (here string)
}

// A maker makes the repository of one script.
type maker struct {
	*testscript.TestScript
	work     string // the script's directory
	prepared string // the kind's
}

// git runs git in a directory. Code is older than what scripts do with it.
func (m maker) git(dir string, args ...string) {
	const then = "2026-10-01T00:00:00Z"
	m.Check(m.Exec("env", append([]string{"GIT_AUTHOR_DATE=" + then, "GIT_COMMITTER_DATE=" + then, "git", "-C", dir}, args...)...))
}

// base makes a repository with some code, on main.
func (m maker) base(dir string) {
	m.git(m.work, "init", "-q", dir)
	path := filepath.Join(dir, "base", "deep", "file")
	m.Check(os.MkdirAll(filepath.Dir(path), 0o777))
	for _, text := range []string{"one", "two", "three"} {
		m.Check(os.WriteFile(path, []byte(text+"\n"), 0o666))
		m.git(dir, "add", ".")
		m.git(dir, "commit", "-q", "-m", text)
	}
}

// cloned clones the base, and forgets from where.
func (m maker) cloned(dir string, args ...string) {
	base := filepath.Join(m.work, ".base")
	m.base(base)
	m.git(base, "config", "uploadpack.allowFilter", "true")
	m.git(m.work, append(append([]string{"clone", "-q", "-o", "upstream"}, args...), "file://"+base, dir)...)
}

var kinds = []kind{
	{name: "plain", make: func(m maker, dir string) string {
		m.git(m.work, "init", "-q", dir)
		return dir
	}},
	{name: "bare", make: func(m maker, dir string) string {
		m.git(m.work, "init", "-q", "--bare", dir)
		return dir
	}},
	{name: "worktree", born: true, make: func(m maker, dir string) string {
		main := filepath.Join(m.work, ".main")
		m.base(main)
		m.git(main, "checkout", "-q", "-b", "elsewhere")
		m.git(main, "worktree", "add", "-q", dir, "main")
		return dir
	}},
	{name: "submodule", born: true, make: func(m maker, dir string) string {
		m.base(dir)
		m.git(m.work, "init", "-q")
		m.git(m.work, "submodule", "--quiet", "add", "./"+filepath.Base(dir))
		m.git(m.work, "submodule", "--quiet", "absorbgitdirs")
		return dir
	}},
	{name: "sparse", born: true, make: func(m maker, dir string) string {
		m.base(dir)
		m.git(dir, "sparse-checkout", "set", "--no-cone", "/*", "!/base/deep/")
		return dir
	}},
	{name: "partial", born: true, make: func(m maker, dir string) string {
		m.cloned(dir, "--filter=blob:none")
		return dir
	}},
	{name: "shallow", born: true, make: func(m maker, dir string) string {
		m.cloned(dir, "--depth=1", "--no-single-branch")
		m.git(dir, "remote", "remove", "upstream")
		return dir
	}},
	{name: "alternates", born: true, make: func(m maker, dir string) string {
		m.cloned(dir, "--shared")
		m.git(dir, "remote", "remove", "upstream")
		return dir
	}},
	{name: "core.worktree", make: func(m maker, dir string) string {
		m.git(m.work, "init", "-q", "--separate-git-dir", filepath.Join(m.work, ".separate.git"), dir)
		m.git(dir, "config", "core.worktree", dir)
		return dir
	}},
	{name: "sha256", env: []string{"GIT_DEFAULT_HASH=sha256"}, make: func(m maker, dir string) string {
		m.git(m.work, "init", "-q", dir)
		return dir
	}},
	{name: "shared", make: func(m maker, dir string) string {
		m.git(m.work, "init", "-q", "--shared=group", dir)
		return dir
	}},
	{name: "unborn", make: func(m maker, dir string) string {
		m.base(dir)
		m.git(dir, "branch", "-q", "-m", "old")
		m.git(dir, "checkout", "-q", "--orphan", "main")
		m.git(dir, "rm", "-rfq", ".")
		return dir
	}},
	{name: "detached", born: true, make: func(m maker, dir string) string {
		m.base(dir)
		m.git(dir, "checkout", "-q", "--detach")
		return dir
	}},
	{name: "refs", born: true, prepare: manyRefs, make: func(m maker, dir string) string {
		m.Check(m.Exec("cp", "-R", m.prepared, dir))
		return dir
	}},
	{name: "objects", born: true, prepare: manyObjects, make: func(m maker, dir string) string {
		m.git(m.work, "clone", "-q", "--local", "-o", "upstream", m.prepared, dir) // the pack is linked, not copied
		m.git(dir, "remote", "remove", "upstream")
		return dir
	}},
	{name: "reftable", prepare: needReftable, env: []string{"GIT_DEFAULT_REF_FORMAT=reftable"}, make: func(m maker, dir string) string {
		m.git(m.work, "init", "-q", dir)
		return dir
	}},
	{name: "subdirectory", born: true, life: true, make: func(m maker, dir string) string {
		m.base(dir)
		return filepath.Join(dir, "base", "deep")
	}},
	{name: "GIT_DIR and GIT_WORK_TREE", born: true, life: true, make: func(m maker, dir string) string {
		m.base(dir)
		m.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
		m.Setenv("GIT_WORK_TREE", dir)
		return m.work
	}},
	{name: "spaces and unicode", born: true, life: true, make: func(m maker, dir string) string {
		here := filepath.Join(m.work, "größe 中文 'x'")
		m.base(here)
		return here
	}},
	{name: "packed refs", born: true, life: true, make: func(m maker, dir string) string {
		m.base(dir)
		m.git(dir, "gc", "-q")
		return dir
	}},
	{name: "symbolic link", born: true, life: true, make: func(m maker, dir string) string {
		m.base(dir)
		elsewhere := filepath.Join(m.work, "elsewhere.git")
		m.Check(os.Rename(filepath.Join(dir, ".git"), elsewhere))
		m.Check(os.Symlink(elsewhere, filepath.Join(dir, ".git")))
		return dir
	}},
	{name: "worktreeConfig", born: true, life: true, make: func(m maker, dir string) string {
		bare := filepath.Join(m.work, "bare.git")
		m.cloned(bare, "--bare")
		m.git(bare, "config", "extensions.worktreeConfig", "true")
		m.git(bare, "config", "--unset", "core.bare")
		m.git(bare, "config", "--worktree", "core.bare", "true")
		m.git(bare, "worktree", "add", "-q", dir)
		return dir
	}},
	{name: "worktree of a bare one", born: true, life: true, make: func(m maker, dir string) string {
		bare := filepath.Join(m.work, "bare.git")
		m.cloned(bare, "--bare")
		m.git(bare, "worktree", "add", "-q", dir)
		return dir
	}},
	{name: "treeless", born: true, life: true, make: func(m maker, dir string) string {
		m.cloned(dir, "--filter=tree:0")
		return dir
	}},
}

// manyRefs makes a repository with 100,000 refs.
func manyRefs(t *testing.T, dir string) {
	early(t, nil, "init", "-q", dir)
	early(t, nil, "-C", dir, "commit", "-q", "--allow-empty", "-m", "code")
	head := early(t, nil, "-C", dir, "rev-parse", "HEAD")
	var tags bytes.Buffer
	tags.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 100_000 {
		fmt.Fprintf(&tags, "%s refs/changes/%05d/1\n", head, i)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "packed-refs"), tags.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// manyObjects makes a repository whose one pack has 400,000 objects, and whose HEAD has one.
func manyObjects(t *testing.T, dir string) {
	const commits, files = 400, 1000
	var stream bytes.Buffer
	for c := range commits {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter Ada <ada@example.com> %d +0000\ndata 0\n", 1_700_000_000+c)
		for f := range files {
			text := fmt.Sprintf("%d %d\n", c, f)
			fmt.Fprintf(&stream, "M 644 inline many/%d\ndata %d\n%s", f, len(text), text)
		}
	}
	fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter Ada <ada@example.com> 1700009999 +0000\ndata 0\ndeleteall\nM 644 inline file\ndata 4\none\n")
	early(t, nil, "init", "-q", dir)
	early(t, &stream, "-C", dir, "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--depth=0")
}

// needReftable skips the kind where git has none.
func needReftable(t *testing.T, dir string) {
	cmd := exec.Command("git", "init", "-q", "--ref-format=reftable", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("*** SKIPPED REFTABLE: this git has none: %s ***", strings.SplitN(string(out), "\n", 2)[0])
	}
}

// early runs git before any script does.
func early(t *testing.T, in *bytes.Buffer, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main")
	if in != nil {
		cmd.Stdin = in
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
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
	if out, err := w.command(nil, w.bin, "branch", "-D", "exp", "--yes").CombinedOutput(); err == nil {
		t.Errorf("a branch that is current in a linked worktree was deleted: %s", out)
	}
	w.sound()
}
