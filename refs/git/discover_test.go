package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// Wherever a repository is looked for, we must find what git finds.
func TestOpenFindsWhatGitFinds(t *testing.T) {
	s := newSandbox(t)
	s.Git("", "init", "-q", "plain")
	s.Git("plain", "commit", "-q", "--allow-empty", "-m", "one")
	s.Write("plain/sub/deep/f", "")
	must(t, os.Symlink(s.Path("plain", "sub"), s.Path("link")))
	must(t, os.Symlink(s.Path("plain"), s.Path("toplink")))
	s.Git("plain", "worktree", "add", "-q", "-b", "w", s.Path("linked wörk tree"))
	linkedDir := s.Git("linked wörk tree", "rev-parse", "--git-dir")
	s.Git("", "init", "-q", "--bare", "bare.git")
	s.Git("", "init", "-q", "ünï cödé/with space")
	s.Git("", "init", "-q", "--separate-git-dir", "elsewhere.git", "gitfile")
	s.Git("plain", "submodule", "--quiet", "add", s.Path("plain"), "module")
	s.Git("", "clone", "-q", "-s", "plain", "borrows")
	s.Git("", "clone", "-q", "--depth=1", "file://"+s.Path("plain"), "shallow")
	s.Git("", "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+s.Path("plain"), "partial")
	s.Git("", "init", "-q", "sparse")
	s.Git("sparse", "sparse-checkout", "init")
	s.Git("", "init", "-q", "--object-format=sha256", "sha256")
	s.Git("", "init", "-q", "movedtree")
	s.Write("elsewhere/f", "")
	s.Git("movedtree", "config", "core.worktree", s.Path("elsewhere"))
	s.Git("", "init", "-q", "barewithdot")
	s.Git("barewithdot", "config", "core.bare", "true")
	s.Git("", "init", "-q", "--bare", "barewt.git")
	s.Git("barewt.git", "config", "extensions.worktreeConfig", "true")
	s.Git("barewt.git", "config", "core.repositoryFormatVersion", "1")
	s.Git("barewt.git", "fetch", "-q", "../plain", "trunk:trunk")
	s.Git("barewt.git", "worktree", "add", "-q", "../ofbare", "trunk")
	s.Write("plain/empty/.git/x", "") // not a repository: git goes on upwards

	cases := []struct {
		dir string
		env []string
	}{
		{dir: "plain"}, {dir: "plain/sub/deep"}, {dir: "link/deep"}, {dir: "toplink"}, {dir: "plain/empty"},
		{dir: "linked wörk tree"}, {dir: "bare.git"}, {dir: "bare.git/refs"}, {dir: "ünï cödé/with space"},
		{dir: "gitfile"}, {dir: "plain/module"}, {dir: "borrows"}, {dir: "shallow"}, {dir: "partial"},
		{dir: "sparse"}, {dir: "sha256"}, {dir: "movedtree"}, {dir: "barewithdot"}, {dir: "barewt.git"}, {dir: "ofbare"}, {dir: "plain/.git"}, {dir: "plain/.git/hooks"},
		{"plain/sub", []string{"GIT_DIR=../.git"}},
		{"", []string{"GIT_DIR=" + s.Path("plain", ".git")}},
		{"elsewhere", []string{"GIT_DIR=" + s.Path("plain", ".git"), "GIT_WORK_TREE=" + s.Path("plain")}},
		{"plain", []string{"GIT_WORK_TREE=sub"}},
		{"", []string{"GIT_DIR=" + s.Path("bare.git")}},
		{"", []string{"GIT_DIR=" + s.Path("gitfile", ".git")}},
		{"linked wörk tree", []string{"GIT_DIR=" + linkedDir}},
		{"", []string{"GIT_DIR=" + linkedDir, "GIT_COMMON_DIR=" + s.Path("plain", ".git")}},
		{"plain/sub/deep", []string{"GIT_CEILING_DIRECTORIES=" + s.Dir}},
	}
	for _, c := range cases {
		t.Run(strings.Join(append([]string{c.dir}, c.env...), ","), func(t *testing.T) {
			box := *s.Sandbox
			asked := sandbox{&box}
			asked.T, asked.Env = t, append(s.Env[:len(s.Env):len(s.Env)], c.env...)
			r := asked.open(c.dir)
			dir := func(what string) string { return asked.Git(c.dir, "rev-parse", "--path-format=absolute", what) }
			if got, want := r.GitDir(), dir("--git-dir"); got != want {
				t.Errorf("GitDir = %s, git says %s", got, want)
			}
			if got, want := r.CommonDir(), dir("--git-common-dir"); got != want {
				t.Errorf("CommonDir = %s, git says %s", got, want)
			}
			top, err := asked.Try(c.dir, "rev-parse", "--show-toplevel")
			if err != nil {
				top = ""
			}
			if got := r.WorkTree(); got != top {
				t.Errorf("WorkTree = %s, git says %s", got, top)
			}
			if got, want := r.ObjectFormat(), asked.Git(c.dir, "rev-parse", "--show-object-format"); got != want {
				t.Errorf("ObjectFormat = %s, git says %s", got, want)
			}
			// A child sees the same, wherever it runs.
			if got := string(ok(r.Run(t.Context(), "rev-parse", "--path-format=absolute", "--git-dir"))(t)); got != r.GitDir()+"\n" {
				t.Errorf("a child sees %s", got)
			}
			if r.Linked() != (r.GitDir() != r.CommonDir()) || r.StateDir() != filepath.Join(r.CommonDir(), "context") {
				t.Error("Linked or StateDir disagree with the directories")
			}
		})
	}
}

// The plain cases must not cost a process: they do not even need git.
func TestOpenWithoutGit(t *testing.T) {
	gittest.NeedRefFiles(t)
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	s.Git("r", "commit", "-q", "--allow-empty", "-m", "one")
	s.Git("r", "worktree", "add", "-q", "../w")
	s.Git("", "init", "-q", "--bare", "b.git")
	s.Git("", "init", "-q", "--object-format=sha256", "sha256")
	s.Env = append(s.Env, "PATH=/nowhere")
	for _, dir := range []string{"r", "r/.git/../", "w", "sha256"} {
		s.open(dir)
	}
	s.open("", "GIT_DIR="+s.Path("b.git"))
	if head := ok(s.open("w").Ref(t.Context(), "HEAD"))(t); len(head) < 40 {
		t.Errorf("HEAD = %s", head)
	}
	_, err := s.tryOpen("")
	wantErr(t, err, ErrNotRepository, s.Dir)
}

func TestOpenRefuses(t *testing.T) {
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	_, err := s.tryOpen("home")
	wantErr(t, err, ErrNotRepository, "'"+s.Path("home")+"'")
	_, err = s.tryOpen("r", "GIT_DIR="+s.Path("nowhere"))
	wantErr(t, err, ErrNotRepository, "nowhere")
	_, err = s.tryOpen("missing")
	wantErr(t, err, os.ErrNotExist, "missing")

	var refused *Error
	_, err = s.tryOpen("r", "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
	if !errors.As(err, &refused) || !strings.Contains(refused.Stderr, "safe.directory") || errors.Is(err, ErrNotRepository) {
		t.Errorf("another owner: %v; want git's refusal and its advice", err)
	}
	s.Git("", "config", "--global", "safe.directory", s.Path("r"))
	s.open("r", "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")

	for _, config := range []string{
		"[core]\nrepositoryformatversion = 2\n",
		"[core]\nrepositoryformatversion = 1\n[extensions]\nunheardof = true\n",
		"[core]\nrepositoryformatversion = 0\n[extensions]\nobjectformat = sha256\n",
		"[core\n",
	} {
		s.Write("r/.git/config", config)
		if _, err := s.tryOpen("r"); !errors.As(err, &refused) {
			t.Errorf("config %q: %v; want git's refusal", config, err)
		}
	}
	s.Write("r2/.git", "gitdir: ../nowhere\n")
	if _, err := s.tryOpen("r2"); !errors.As(err, &refused) {
		t.Errorf("a .git file that names nothing: %v", err)
	}
}

func TestOpenOfAnotherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can make a repository of another owner")
	}
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	for _, path := range []string{"r", "r/.git"} {
		must(t, os.Lchown(s.Path(path), 4711, 4711))
		if _, err := s.tryOpen("r"); err == nil || !strings.Contains(err.Error(), "dubious") {
			t.Errorf("%s of another owner: %v", path, err)
		}
		must(t, os.Lchown(s.Path(path), 0, 0))
	}
	s.open("r")
}

func TestOldGit(t *testing.T) {
	s, r := newRepo(t)
	fake := s.Path("bin")
	s.Write("bin/git", "#!/bin/sh\necho git version 2.30.1 '(Some Vendor)'\n")
	must(t, os.Chmod(fake+"/git", 0o755))
	old := s.open("r", "PATH="+fake)
	_, err := old.Run(t.Context(), "status")
	wantErr(t, err, ErrOldGit, "'"+fake+"/git' is version '2.30.1 (Some Vendor)'")
	_, err = r.Run(t.Context(), "version")
	must(t, err)
	_, err = s.open("r", "PATH=relative:/nowhere").Run(t.Context(), "version")
	if err == nil || !strings.Contains(err.Error(), "cannot run git") {
		t.Errorf("without git: %v", err)
	}
	for version, good := range map[string]bool{"2.39.0": true, "2.39": true, "2.39.5 (Apple Git-154)": true,
		"2.100.0": true, "3.0.0": true, "2.45.1.windows.1": true, "2.38.9": false, "1.99": false, "rubbish": false, "": false} {
		if err := checkVersion("git", version); (err == nil) != good {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

// What the scanner makes of a file is what `git config` makes of it; it may
// refuse more, and leave it to git.
func TestScanConfigLikeGit(t *testing.T) {
	s := newSandbox(t)
	for _, text := range []string{
		"", "# nothing\n; at all", "[a]\nb=c", "[A] B = C ; comment", "[a \"Sub \\\"x\\\\\"]\n\tb = c d   \n",
		"[a.SUB]\nb = c", "[a]\nb\n[c]\nd = \"x ; y # z\" w\n", "[a]\nb = one\\\n two\\n\\t\\\"\n", "\ufeff[a]\r\nb = c\r\n",
		"[a]\nb = \"  x  \"  ", "[a]\nb = x\"y z\"w", "[a]\nb =\nc = \"\"", "[a] b = 1\n[a] b = 2\n", "[a]b=c\n[d]e=f#g",
		"[a]\nb = x  \"\"  ", "[a]\n b-c = d\n", "[a]\nb = c\\", "[a", "[a]\nb = \"c", "[a]\n=c", "b = c", "[a \"x]\n", "[a]\nb = \\q",
		"[]\na=b", "[a]\n1b = c", "[a]\nb c", "[a \"b\" ]\nc = d", "[a]\n\x00",
	} {
		s.Write("c", text)
		want, gitErr := s.Try("", "config", "--file", s.Path("c"), "--list", "-z")
		var got strings.Builder
		err := scanConfig(text, func(key, value string, bare bool) {
			got.WriteString(key)
			if !bare {
				got.WriteString("\n" + value)
			}
			got.WriteByte(0)
		})
		refusesMore := text == "[a]\nb = c\\" || text == "b = c"
		if (err != nil) != (gitErr != nil || refusesMore) {
			t.Errorf("%q: error %v, git's %v: %s", text, err, gitErr, want)
		} else if err == nil && got.String() != want {
			t.Errorf("%q: got %q, git has %q", text, got.String(), want)
		}
	}
}

func FuzzScanConfig(f *testing.F) {
	f.Add("[a \"b\"]\nc = \"d\\\n\" # e\n")
	f.Add("[core]\n\tbare")
	f.Fuzz(func(t *testing.T, text string) {
		_ = scanConfig(text, func(key, _ string, _ bool) {
			if !strings.Contains(key, ".") {
				t.Errorf("key %q", key)
			}
		})
	})
}

// A path is read from where one stands, as git reads it.
func TestInside(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	s.Git("", "init", "-q", "--bare", "bare")
	top := s.Path("r")
	s.Write("r/sub/deep/g.go", "1")
	s.Write("r/top.go", "1")
	s.Write("beside.go", "1")
	links := map[string]string{"link": "r", "r/loop": ".", "elsewhere": "r/sub"}
	for name, target := range links {
		if err := os.Symlink(target, s.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dir, name, want string }{ // "" is outside
		{"r", "top.go", "top.go"},
		{"r", "./sub//deep/", "sub/deep"},
		{"r", ".", "."},
		{"r", "..", ""},
		{"r", "../r/top.go", ""}, // git says so too: it does not look where the top stands
		{"r", "sub/../../out", ""},
		{"r", "..out", "..out"},
		{"r", "none/at all.go", "none/at all.go"},
		{"r", "", ""},
		{"r/sub", "g.go", "sub/g.go"},
		{"r/sub", ".", "sub"},
		{"r/sub", "..", "."},
		{"r/sub", "../top.go", "top.go"},
		{"r/sub", "../../beside.go", ""},
		{"r/sub/deep", "../../x", "x"},
		{"link/sub", "g.go", "sub/g.go"},
		{"elsewhere", "g.go", "sub/g.go"},
		{"elsewhere", "../top.go", "top.go"}, // from where one really stands
		{"r/sub", s.Path("r", "top.go"), "top.go"},
		{"r", s.Path("r"), "."},
		{"r", s.Path("r") + "/sub/../none", "none"},
		{"r", s.Path("link", "sub", "g.go"), "sub/g.go"},
		{"r", s.Path("link"), "."},
		{"r", s.Path("r2"), ""},
		{"r", s.Path("beside.go"), ""},
		{"r", "/etc/passwd", ""},
		{"r", "/", ""},
		{"bare", "a/./b", "a/b"},
		{"bare", "../a", ""},
		{"bare", s.Path("bare", "a"), ""},
	} {
		got, ok := s.open(c.dir).Inside(filepath.FromSlash(c.name))
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.dir, c.name, got, c.want)
		}
	}
	for _, env := range []string{"GIT_WORK_TREE=" + top, "GIT_WORK_TREE=" + s.Path("link")} {
		r := s.open("", "GIT_DIR="+s.Path("r", ".git"), env)
		if got, ok := r.Inside("sub/g.go"); !ok || got != "sub/g.go" {
			t.Errorf("outside of the worktree: %q %v", got, ok)
		}
		if got, ok := r.Inside(s.Path("link", "top.go")); !ok || got != "top.go" {
			t.Errorf("outside of the worktree: %q %v", got, ok)
		}
	}
}
