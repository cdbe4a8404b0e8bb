package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// repo is a code repository of a test, with settings of its own alone.
type repo struct {
	t   testing.TB
	dir string
	env []string
}

// newRepo makes an empty code repository.
func newRepo(t testing.TB, args ...string) *repo {
	t.Helper()
	home := t.TempDir()
	r := &repo{t: t, dir: filepath.Join(t.TempDir(), "code"), env: append(gittest.Env(t, home, ""), "XDG_CONFIG_HOME="+home,
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
	)}
	if err := os.Mkdir(r.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "-q", "-b", "trunk"}, args...)...)
	return r
}

// git runs git in the repository and returns its output.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// open opens the memory as one process would; each call is another process.
func (r *repo) open(branch ...string) *refs.Store {
	r.t.Helper()
	o := store.Options{Dir: r.dir, Env: r.env, Now: time.Now}
	if len(branch) > 0 {
		o.Branch = branch[0]
	}
	s, err := refs.Open(r.t.Context(), o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { s.Close() })
	return s
}

// ok fails the test on an error and returns the value beside it.
func ok[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// fsck holds that git itself finds nothing wrong, and that ours does not where there is
// memory.
func (r *repo) fsck() {
	r.t.Helper()
	for line := range strings.Lines(r.git("fsck", "--strict", "--no-dangling")) {
		if !strings.HasPrefix(line, "notice: HEAD points to an unborn branch") {
			r.t.Errorf("git fsck: %s", line)
		}
	}
	problems, err := fsck.Run(r.t.Context(), r.open(), fsck.Options{})
	if errors.Is(err, fail.ErrNoMemory) {
		return
	}
	r.must(err)
	for _, p := range problems {
		r.t.Errorf("fsck: %s %s: %s", p.Kind, p.Object, p.Message)
	}
}

func TestOneDay(t *testing.T) {
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	init := ok(share.Init(ctx, s, share.InitOptions{Goal: "Fix the pool", Milestones: []string{"Find it"}, Purpose: "The trunk"}))(t)
	if !init.Created || init.Branch != "main" {
		t.Errorf("Init = %+v", init)
	}
	ok(s.Record(ctx, []store.NewStep{{Observation: "500 on /users", Thought: "pool", Action: "go test"}}))(t)
	got := ok(r.open().Commit(ctx, store.CommitOptions{Summary: "Pool is initialised", Contribution: "It is.\n\nReally."}))(t)
	if got.Steps != (store.StepRange{First: 1, Last: 1, Count: 1}) || len(got.Warnings) > 0 {
		t.Errorf("Commit = %+v", got)
	}
	b := ok(s.CreateBranch(ctx, store.BranchOptions{Name: "exp", Purpose: "Try sqlx"}))(t)
	if !b.Current || b.CreatedFrom == nil || *b.CreatedFrom != "main" {
		t.Errorf("CreateBranch = %+v", b)
	}
	ok(s.Record(ctx, []store.NewStep{{Action: "go get sqlx"}, {Action: "go build"}}))(t)
	ok(s.Commit(ctx, store.CommitOptions{Summary: "sqlx builds"}))(t)
	ok(s.Record(ctx, []store.NewStep{{Action: "go vet"}}))(t)
	ok(s.Switch(ctx, "main"))(t)
	m := ok(merge.Merge(ctx, s, store.MergeOptions{Source: "exp"}))(t)
	if m.Steps != 3 || m.UpToDate || len(m.Conflicts) > 0 || len(m.Warnings) > 0 {
		t.Errorf("Merge = %+v", m)
	}
	again := ok(merge.Merge(ctx, s, store.MergeOptions{Source: "exp"}))(t)
	if !again.UpToDate {
		t.Errorf("second Merge = %+v", again)
	}
	tip := ok(s.Tip(ctx, "main"))(t)
	steps, total, err := history.Steps(ctx, s, tip, 0, 10)
	if err != nil || total != 4 || len(steps) != 4 {
		t.Errorf("Steps: %d of %d, %v", len(steps), total, err)
	}
	commits, total, err := history.Commits(ctx, s, tip, 0, 10)
	if err != nil || total != 3 || len(commits) != 3 {
		t.Errorf("Milestones: %d of %d, %v", len(commits), total, err)
	}
	for _, c := range commits {
		if c.Hash == nil {
			t.Errorf("milestone %s has no commit", c.Summary)
		}
	}
	if n := len(strings.Fields(r.git("notes", "--ref=context", "list"))); n != 2*3 {
		t.Errorf("%d notes, want 3", n/2)
	}
	r.fsck()
}
