package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// git is asked, so that its own rules hold: relative to the worktree's top, `~`, a
// setting of one worktree.
func TestHooksPath(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	s.Git("repo", "commit", "-q", "--allow-empty", "-m", "one")
	s.Git("repo", "worktree", "add", "-q", "../linked")
	s.Git(".", "init", "-q", "--bare", "bare.git")
	s.Write("repo/sub/file", "")
	for _, test := range []struct{ dir, set, want string }{
		{"repo/sub", "", "repo/.git/hooks"},
		{"linked", "", "repo/.git/hooks"},
		{"bare.git", "", "bare.git/hooks"},
		{"repo/sub", "our hooks/../x", "repo/x"},
		{"linked", ".githooks", "linked/.githooks"},
		{"bare.git/refs", "own", "bare.git/own"},
		{"repo", "~/hooks", "home/hooks"},
	} {
		var env []string
		if test.set != "" {
			env = []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + test.set}
		}
		got, err := s.open(test.dir, env...).HooksPath(t.Context())
		if err != nil || got != s.Path(test.want) {
			t.Errorf("%+v: %s, %v", test, got, err)
		}
	}
	_, err := s.open("repo", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=").HooksPath(t.Context())
	if err == nil {
		t.Error("an empty path was taken")
	}
	for dir, want := range map[string]string{"repo": s.Path("repo"), "linked": s.Path("repo"), "bare.git": ""} {
		if got := s.open(dir).MainWorkTree(); got != want {
			t.Errorf("main worktree of %s: %s", dir, got)
		}
	}
}

func TestLastMove(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t)
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	r, ctx := s.open("repo"), t.Context()
	for _, last := range []func(context.Context) (HeadMove, error){r.LastMove, r.askLastMove} {
		if _, err := last(ctx); !errors.Is(err, ErrNotFound) {
			t.Errorf("no reflog: %v", err)
		}
	}
	s.Git("repo", "commit", "-q", "--allow-empty", "-m", "one")
	one := ID(s.Git("repo", "rev-parse", "HEAD"))
	check := func(want HeadMove) {
		t.Helper()
		for name, last := range map[string]func() (HeadMove, error){
			"read":  func() (HeadMove, error) { return r.LastMove(ctx) },
			"asked": func() (HeadMove, error) { return r.askLastMove(ctx) },
		} {
			got, err := last()
			if got.Old.IsZero() {
				got.Old = ""
			}
			if err != nil || got != want {
				t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
			}
		}
	}
	check(HeadMove{New: one, Reason: "commit (initial): one"})
	long := strings.Repeat("two ", 5000)
	s.Git("repo", "commit", "-q", "--allow-empty", "-m", long)
	check(HeadMove{Old: one, New: ID(s.Git("repo", "rev-parse", "HEAD")), Reason: "commit: " + strings.TrimSpace(long)})
	s.Write("repo/.git/logs/HEAD", "torn")
	if _, err := r.LastMove(ctx); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a torn line: %v", err)
	}
}

func TestRebasing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	for _, m := range []string{"one", "two"} {
		s.Git("repo", "commit", "-q", "--allow-empty", "-m", m)
	}
	r := s.open("repo")
	rebasing := func(want bool) {
		t.Helper()
		if got, err := r.Rebasing(); got != want || err != nil {
			t.Errorf("rebasing: %v, %v", got, err)
		}
	}
	rebasing(false)
	if out, err := s.Try("repo", "rebase", "-q", "--exec", "false", "--root"); err == nil {
		t.Fatalf("a rebase went through: %s", out)
	}
	rebasing(true)
	s.Git("repo", "rebase", "--abort")
	rebasing(false)
}

// What git commit would commit, and what a checkout would lose.
func TestEdited(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	ctx := t.Context()
	s.Write("r/a", "a\n")
	s.Write("r/b", "b\n")
	edited := func(want string, env ...string) {
		t.Helper()
		r := s.open("r", env...)
		staged, worktree := ok(r.Edited(ctx, true))(t), ok(r.Edited(ctx, false))(t)
		if got := strings.Join(staged, " ") + "|" + strings.Join(worktree, " "); got != want {
			t.Errorf("staged|edited is %q, want %q", got, want)
		}
	}
	edited("|")
	s.Git("r", "add", ".")
	edited("a b|a b")
	s.Git("r", "commit", "-q", "-m", "one")
	index := ok(os.ReadFile(s.Path("r/.git/index")))(t)
	must(t, os.Chtimes(s.Path("r/a"), time.Unix(1, 0), time.Unix(1, 0)))
	edited("|") // touched only
	s.Write("r/b", "changed\n")
	s.Write("r/untracked", "")
	edited("|b")
	if after := ok(os.ReadFile(s.Path("r/.git/index")))(t); string(after) != string(index) {
		t.Error("the index was written")
	}
	s.Git("r", "add", "-N", "untracked")
	edited("|b untracked")
	s.Git("r", "rm", "-q", "--cached", "untracked")
	s.Git("r", "add", "b")
	edited("b|b")
	s.Write("r/b", "b\n")
	edited("b|") // staged, and taken back in the worktree
	must(t, os.Rename(s.Path("r/.git/index"), s.Path("other")))
	edited("b|", "GIT_INDEX_FILE="+s.Path("other"))
}

// What a commit of everything would change of some paths.
func TestEditedOf(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	ctx := t.Context()
	for _, name := range []string{"a", "b", "dir/c", "dir/d", "d*"} {
		s.Write("r/"+name, "as it was\n")
	}
	s.Write("r/.gitignore", "ignored\n")
	s.Git("r", "add", ".")
	s.Git("r", "commit", "-q", "-m", "one")
	of := func(want string, paths ...string) {
		t.Helper()
		if got := strings.Join(ok(s.open("r").EditedOf(ctx, paths))(t), " "); got != want {
			t.Errorf("edited of %q: %q, want %q", paths, got, want)
		}
	}
	of("", "a", ".", "absent")
	of("")
	must(t, os.Chtimes(s.Path("r/a"), time.Unix(1, 0), time.Unix(1, 0)))
	s.Write("r/ignored", "")
	of("", "a", ".", "ignored") // touched only
	s.Write("r/dir/c", "changed\n")
	of("dir dir/c .", "a", "dir", "dir/c", "dir/d", ".")
	of("", "d*") // no pattern
	s.Git("r", "add", ".")
	s.Write("r/dir/c", "as it was\n")
	of("dir/c", "dir/c", "dir/d") // staged, and taken back in the worktree
	s.Write("r/new/file", "")
	of("new/file new", "new/file", "new", "news")
	must(t, os.Remove(s.Path("r/b")))
	of("b", "a", "b")
	if of := ok(s.open("r/.git").EditedOf(ctx, []string{"b"}))(t); len(of) > 0 && s.open("r/.git").WorkTree() == "" {
		t.Errorf("without a worktree: %q", of)
	}
}

func TestInProgress(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	commit := func(text string) {
		s.Write("r/f", text)
		s.Git("r", "add", ".")
		s.Git("r", "commit", "-q", "-m", text)
	}
	commit("base")
	s.Git("r", "checkout", "-q", "-b", "side")
	commit("side")
	s.Git("r", "checkout", "-q", "trunk")
	commit("main")
	for _, c := range []struct {
		want  string
		begin []string
		end   []string
	}{
		{"merge", []string{"merge", "side"}, []string{"merge", "--abort"}},
		{"rebase", []string{"rebase", "side"}, []string{"rebase", "--abort"}},
		{"cherry-pick", []string{"cherry-pick", "side"}, []string{"cherry-pick", "--abort"}},
		{"revert", []string{"revert", "trunk~1"}, []string{"revert", "--abort"}},
		{"bisect", []string{"bisect", "start"}, []string{"bisect", "reset"}},
	} {
		if got := ok(r.InProgress(t.Context()))(t); got != "" {
			t.Errorf("before %s: %q", c.want, got)
		}
		_, _ = s.Try("r", c.begin...) // most end in a conflict
		if got := ok(r.InProgress(t.Context()))(t); got != c.want {
			t.Errorf("%q is in progress, want %q", got, c.want)
		}
		s.Git("r", c.end...)
	}
	s.Git("r", "format-patch", "-q", "-1", "side")
	_, _ = s.Try("r", "am", "0001-side.patch")
	if got := ok(r.InProgress(t.Context()))(t); got != "am" {
		t.Errorf("%q is in progress, want am", got)
	}
}

// Whatever git does not track is named where a file would come to stand on it.
func TestInTheWay(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	ctx := t.Context()
	for _, name := range []string{"plain", "dir/deep/file", "ignored", "folder", "link/file", "swap", "kept"} {
		s.Write("r/"+name, name)
	}
	s.Git("r", "add", ".")
	s.Git("r", "commit", "-q", "-m", "full")
	full := ID(s.Git("r", "rev-parse", "HEAD"))
	s.Git("r", "rm", "-q", "-r", "plain", "dir", "ignored", "folder", "link", "swap")
	s.Write("r/.gitignore", "ignored\n*.o\ndir\nlink\n")
	s.Write("r/swap/file", "tracked: it goes away itself")
	s.Git("r", "add", "-f", ".")
	s.Git("r", "commit", "-q", "-m", "empty")
	empty := ID(s.Git("r", "rev-parse", "HEAD"))
	if got := ok(r.InTheWay(ctx, empty, full))(t); len(got) != 0 {
		t.Errorf("%q in the way of nothing", got)
	}
	s.Write("r/plain", "untracked")
	s.Write("r/ignored", "ignored")
	s.Write("r/dir", "an ignored file where a directory is to be")
	s.Write("r/folder/x.o", "an ignored file in a directory where a file is to be")
	must(t, os.Symlink(t.TempDir(), filepath.Join(s.Path("r"), "link")))
	s.Write("r/swap/other", "untracked, beside what goes away")
	got := strings.Join(ok(r.InTheWay(ctx, empty, full))(t), " ")
	if want := "dir folder/x.o ignored link plain swap/other"; got != want {
		t.Errorf("%q in the way, want %q", got, want)
	}
}
