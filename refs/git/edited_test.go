package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
