package git

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"
)

// What is stored is what `git stash` stores, and nothing else changes.
func TestCreateStash(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "-b", "main", "repo")
	s.Write("repo/f", "one\n")
	s.Write("repo/.gitignore", "*.log\n")
	s.Git("repo", "add", ".")
	s.Git("repo", "commit", "-q", "-m", "one")
	by := Signature{Name: "A", Email: "a@b", When: time.Unix(1_800_000_000, 0)}
	create := func() *Stash {
		t.Helper()
		r := s.open("repo")
		untracked := ok(r.UntrackedFiles(t.Context()))(t)
		return ok(r.CreateStash(t.Context(), "mine", by, untracked))(t)
	}
	if st := create(); st != nil {
		t.Errorf("of nothing: %+v", st)
	}
	s.Write("repo/x.log", "ignored")
	s.Write("repo/dir/new", "new")
	s.Git("repo", "init", "-q", "inner")
	s.Git("repo/inner", "commit", "-q", "--allow-empty", "-m", "inner")
	st := create()
	if st == nil || st.Untracked == "" || st.Subject != "On main: mine" {
		t.Fatalf("of an untracked file: %+v", st)
	}
	c := ok(s.open("repo").StashContent(t.Context(), st))(t)
	if len(c.Paths) != 0 || len(c.Untracked) != 1 || c.Untracked["dir/new"] == "" || c.Bytes != 3 || c.Files() != 1 {
		t.Errorf("it contains %+v", c)
	}
	s.Write("repo/f", "two\n")
	s.Git("repo", "add", "f")
	s.Write("repo/f", "three\n")
	before := read(t, s, "repo/.git/index")
	st = create()
	if read(t, s, "repo/.git/index") != before {
		t.Error("the index was changed")
	}
	c = ok(s.open("repo").StashContent(t.Context(), st))(t)
	if !slices.Equal(c.Paths, []string{"f"}) || len(c.Blobs) != 3 || c.Bytes != 3+4+6 || c.Largest != "f" {
		t.Errorf("it contains %+v", c)
	}
	s.Write("repo/intended", "5 five")
	s.Git("repo", "add", "-N", "intended")
	if st = create(); !slices.Contains(ok(s.open("repo").StashContent(t.Context(), st))(t).Paths, "intended") {
		t.Error("a file that is intended to be added is left out")
	}
	s.Git("repo", "checkout", "-q", "--detach")
	s.Git("repo", "reset", "-q", "--hard")
	if st := create(); st.Subject != "On (no branch): mine" {
		t.Errorf("of a detached HEAD: '%s'", st.Subject)
	}
}

func read(t *testing.T, s *sandbox, name string) string {
	t.Helper()
	return string(ok(os.ReadFile(s.Path(name)))(t))
}

// A symbolic link on the way to an untracked file is in its way.
func TestStashState(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "-b", "main", "repo")
	s.Write("repo/f", "one\n")
	s.Git("repo", "add", ".")
	s.Git("repo", "commit", "-q", "-m", "one")
	s.Write("repo/dir/new", "new")
	s.Write("repo/f", "two\n")
	r, ctx := s.open("repo"), t.Context()
	st := ok(r.CreateStash(ctx, "mine", Signature{Name: "A", Email: "a@b", When: time.Unix(1_800_000_000, 0)}, []string{"dir/new"}))(t)
	c := ok(r.StashContent(ctx, st))(t)
	state := func() StashState { t.Helper(); return *ok(r.StashState(ctx, st, c))(t) }
	if v := state(); !v.Whole() {
		t.Errorf("at once: %+v", v)
	}
	s.Git("repo", "reset", "-q", "--hard")
	if v := state(); v.Tracked || len(v.Absent)+len(v.Blocked) > 0 {
		t.Errorf("without the tracked file: %+v", v)
	}
	s.Git("repo", "clean", "-q", "-d", "-f")
	if v := state(); !slices.Equal(v.Absent, []string{"dir/new"}) {
		t.Errorf("without both: %+v", v)
	}
	if err := r.RestoreUntracked(ctx, st, state().Absent); err != nil || read(t, s, "repo/dir/new") != "new" {
		t.Errorf("restored: %v", err)
	}
	s.Write("repo/dir/new", "another")
	if v := state(); !slices.Equal(v.Blocked, []string{"dir/new"}) {
		t.Errorf("another content: %+v", v)
	}
	var failed *Error
	if err := r.RestoreUntracked(ctx, st, []string{"dir/new"}); !errors.As(err, &failed) || read(t, s, "repo/dir/new") != "another" {
		t.Errorf("over another content: %v", err)
	}
	s.Git("repo", "clean", "-q", "-d", "-f")
	s.Write("outside/new", "new")
	if err := os.Symlink("../outside", s.Path("repo/dir")); err != nil {
		t.Fatal(err)
	}
	if v := state(); !slices.Equal(v.Blocked, []string{"dir"}) {
		t.Errorf("a link in the way: %+v", v)
	}
}

func TestTrackedWork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ref  string
		want bool
	}{
		{"refs/context/remotes/origin/work/main", true},
		{"refs/context/remotes/origin/heads/x/work/y", false},
		{"refs/context/remotes/origin/tags/work/y", false},
		{"refs/context/remotes/my/work/heads/main", false},
		{"refs/context/remotes/my/work/work/main", true},
		{"refs/context/remotes/gone/work/heads/x", true},
		{"refs/context/remotes/gone/heads/x/work/y", false},
		{"refs/context/bundle/work/main", true},
		{"refs/context/bundle/heads/work/main", false},
		{"refs/context/heads/work/main", false},
		{"refs/context/deleted/a/work/b-1", false},
	} {
		if got := TrackedWork(test.ref, []string{"origin", "my/work"}); got != test.want {
			t.Errorf("%s: %v", test.ref, got)
		}
	}
}

// A file that was edited in the clock tick of the index, to the same size, goes along.
func TestStashOfARacyEdit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "-b", "main", "repo")
	s.Git("repo", "config", "core.trustctime", "false")
	s.Write("repo/f", "one\n")
	s.Git("repo", "add", ".")
	s.Git("repo", "commit", "-q", "-m", "one")
	tick := time.Now().Add(-time.Hour)
	at := func(names ...string) {
		for _, name := range names {
			if err := os.Chtimes(s.Path(name), tick, tick); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Write("repo/f", "two\n")
	at("repo/f")
	s.Git("repo", "add", "f")
	s.Write("repo/f", "six\n")
	at("repo/f", "repo/.git/index")
	by := Signature{Name: "A", Email: "a@b", When: time.Unix(1_800_000_000, 0)}
	st := ok(s.open("repo").CreateStash(t.Context(), "mine", by, nil))(t)
	if got := s.Git("repo", "show", string(st.ID)+":f"); got != "six" {
		t.Errorf("the worktree's file is %q", got)
	}
}
