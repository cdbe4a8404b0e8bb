package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// linksOn is how many milestones are linked to a code commit.
func (r *repo) linksOn(code string) int {
	r.t.Helper()
	note := r.git("log", "-1", "--notes=context", "--format=%N", code)
	return strings.Count("\n"+note, "\nContext: ")
}

func TestHooksWithoutMemory(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	r.git("config", "context.follow", "true")
	r.git("config", "context.push", "true")
	r.git("remote", "add", "origin", "nowhere")
	ctx, s := t.Context(), r.open()
	if err := code.LinkHead(ctx, s, store.Writer{}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("LinkHead: %v", err)
	}
	if _, err := share.Follow(ctx, s, store.Writer{}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("Follow: %v", err)
	}
	if err := share.PushWithCode(ctx, s, store.Writer{}, "origin"); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("PushBeside: %v", err)
	}
	head := r.git("rev-parse", "HEAD")
	if n, err := code.CarryRewritten(ctx, s, store.Writer{}, "rebase", strings.NewReader(head+" "+head+"\n")); n != 0 || !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("CarryRewritten: %d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".git", "context")); err == nil {
		t.Error("something was written")
	}
}

// A branch that has no milestone of its own is not linked to those of the branch that
// it started from.
func TestLinkHead(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
		t.Errorf("an unborn HEAD: %v", err)
	}
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	ok(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	for range 2 {
		if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.linksOn("HEAD"); n != 1 {
		t.Errorf("linked %d times", n)
	}
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "young"}))(t)
	r.git("commit", "-q", "--allow-empty", "-m", "more")
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil || r.linksOn("HEAD") != 0 {
		t.Errorf("a branch without milestones: %d links, %v", r.linksOn("HEAD"), err)
	}
	r.git("-c", "core.logAllRefUpdates=false", "commit", "-q", "--allow-empty", "-m", "unlogged")
	r.git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/main")
	if err := code.LinkHead(ctx, r.open(), store.Writer{}); err != nil || r.linksOn("HEAD") != 1 {
		t.Errorf("a reflog that ends earlier: %d links, %v", r.linksOn("HEAD"), err)
	}
}

// A conflict takes away what git says of a cherry-pick; its message may say it.
func TestPickedBehindConflict(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	ok(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
		t.Fatal(err)
	}
	picked := r.git("rev-parse", "HEAD")
	ok(s.Commit(ctx, store.CommitOptions{Summary: "two"}))(t)
	for message, want := range map[string]int{
		"by hand": 1,
		"with -x\n\n(cherry picked from commit " + picked + ")": 2,
		"something else\n\n(cherry picked from commit abc)":     1,
	} {
		r.git("commit", "-q", "--allow-empty", "-m", message)
		if err := code.LinkHead(ctx, s, store.Writer{}); err != nil || r.linksOn("HEAD") != want {
			t.Errorf("%q: %d links, want %d, %v", message, r.linksOn("HEAD"), want, err)
		}
	}
}

// A thousand rewritten commits are one commit of the notes.
func TestCarryThousand(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	ok(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
		t.Fatal(err)
	}
	head, before := r.git("rev-parse", "HEAD"), r.git("rev-list", "--count", git.NotesRef)
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "%s %040x and more\n", head, i+1)
	}
	n, err := code.CarryRewritten(ctx, s, store.Writer{}, "rebase", strings.NewReader(lines.String()))
	if n != 1000 || err != nil {
		t.Errorf("carried %d, %v", n, err)
	}
	if after := r.git("rev-list", "--count", git.NotesRef); before != "2" || after != "3" {
		t.Errorf("notes had %s commits, and have %s", before, after)
	}
	if got := strings.Count(r.git("notes", "--ref=context", "list"), "\n") + 1; got != 1002 {
		t.Errorf("%d notes, want 1002", got)
	}
	for _, bad := range []string{head, head + " \n", "HEAD HEAD\n", strings.Repeat("x", 1<<17)} {
		if _, err := code.CarryRewritten(ctx, s, store.Writer{}, "rebase", strings.NewReader(bad)); err == nil {
			t.Errorf("%.50q was taken", bad)
		}
	}
}

// Somebody waits for git: a lock that is held keeps a hook for a short time only.
func TestHookGivesUpOnALock(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	ok(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	lock := ok(s.Repo().Lock(ctx, "notes"))(t)
	hook := ok(refs.Open(ctx, store.Options{Dir: r.dir, Env: r.env, Now: time.Now, LockWait: 50 * time.Millisecond}))(t)
	defer hook.Close()
	begin := time.Now()
	err := code.LinkHead(ctx, hook, store.Writer{})
	if took := time.Since(begin); err == nil || took > 30*time.Second { // without the option it is a minute
		t.Errorf("after %v: %v", took, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := code.LinkHead(ctx, hook, store.Writer{}); err != nil || r.linksOn("HEAD") != 1 {
		t.Errorf("once it is free: %v", err)
	}
}

func TestHookFailures(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	if list := ok(share.HookFailures(ctx, s))(t); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if err := share.RecordHookFailure(ctx, s, "post-commit", errors.New("first\nof all")); err != nil {
		t.Fatal(err)
	}
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	if err := share.RecordHookFailure(ctx, s, "pre-push", errors.New("second")); err != nil {
		t.Fatal(err)
	}
	list := ok(share.HookFailures(ctx, s))(t)
	if len(list) != 2 || list[0].Message != "first of all" || list[0].Code != "" || list[0].Branch != "main" ||
		list[1].Event != "pre-push" || string(list[1].Code) != r.git("rev-parse", "HEAD") || list[1].Worktree != s.Repo().WorkTree() {
		t.Errorf("%+v", list)
	}
	if err := share.DropHookFailures(ctx, s, func(f share.HookFailure) bool { return f.Event == "pre-push" }); err != nil {
		t.Fatal(err)
	}
	if list := ok(share.HookFailures(ctx, s))(t); len(list) != 1 || list[0].Message != "second" {
		t.Errorf("kept %+v", list)
	}
	path := filepath.Join(r.dir, ".git", "context", "hooks.jsonl")
	big := strings.Repeat("{\"other\":1}\n", 6000)
	if err := os.WriteFile(path, []byte(big), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := share.RecordHookFailure(ctx, s, "pre-push", errors.New("the newest")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 64<<10 || info.Size() < 60<<10 {
		t.Errorf("%v, %v", info.Size(), err)
	}
	if list := ok(share.HookFailures(ctx, s))(t); len(list) != 1 || list[0].Message != "the newest" {
		t.Errorf("bounded: %+v", list)
	}
	if err := share.DropHookFailures(ctx, s, func(share.HookFailure) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "newest") || len(data) == 0 {
		t.Errorf("lines of others went: %d bytes, %v", len(data), err)
	}
}

// Who pushes waits no longer than it was said.
func TestPushBesideIsBounded(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.git("remote", "add", "slow", "ext::sleep 600")
	r.git("config", "protocol.ext.allow", "always")
	for _, set := range []struct{ push, timeout, remote, want string }{
		{"false", "1", "slow", ""},
		{"true", "1", "ext::sleep 600", ""},
		{"true", "0", "slow", "context.pushTimeout is 0; it must be 1 to 3600"},
		{"true", "soon", "slow", "bad numeric value"},
		{"perhaps", "1", "slow", "bad boolean value"},
		{"true", "1", "slow", "'slow' did not take the memory within 1 second"},
	} {
		r.git("config", "context.push", set.push)
		r.git("config", "context.pushTimeout", set.timeout)
		begin := time.Now()
		err := share.PushWithCode(ctx, r.open(), store.Writer{}, set.remote)
		if got := fmt.Sprint(err); (err == nil) != (set.want == "") || err != nil && !strings.Contains(got, set.want) {
			t.Errorf("%+v: %v", set, err)
		}
		if took := time.Since(begin); took > gittest.Patience {
			t.Errorf("%+v took %v", set, took)
		}
	}
}

// Two worktrees that meet a code branch for the first time at once.
func TestFollowAtOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.git("config", "context.follow", "true")
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	r.git("checkout", "-q", "-b", "topic")
	made := make(chan string, 4)
	for range cap(made) {
		go func() {
			f, err := share.Follow(ctx, r.open(), store.Writer{})
			if err != nil {
				t.Error(err)
			}
			made <- f.Made
		}()
	}
	n := 0
	for range cap(made) {
		if <-made != "" {
			n++
		}
	}
	if n != 1 || r.git("symbolic-ref", "CONTEXT_HEAD") != "refs/context/heads/topic" {
		t.Errorf("made %d times, on %s", n, r.git("symbolic-ref", "CONTEXT_HEAD"))
	}
	r.git("checkout", "-q", "-b", "Topic/below")
	f, err := share.Follow(ctx, r.open(), store.Writer{})
	if err != nil || !strings.Contains(f.Stayed, "the memory stays on 'topic'") {
		t.Errorf("a name like another: %+v, %v", f, err)
	}
}

// The code's trunk is one, whatever it is called.
func TestFollowTrunk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, code string
		config     []string // key and value
		origin     string
		want       string
	}{
		{"a branch like any other", "trunk", nil, "", "trunk"},
		{"what all know", "master", nil, "", "main"},
		{"what new repositories get", "trunk", []string{"init.defaultBranch", "trunk"}, "", "main"},
		{"what origin has", "devel/next", nil, "devel/next", "main"},
		{"memory's default is another", "trunk", []string{"context.defaultBranch", "base"}, "trunk", "base"},
		{"a name that no memory has", "master", []string{"init.defaultBranch", "no..name"}, "", "main"},
	} {
		r := newRepo(t)
		r.git("config", "context.follow", "true")
		if c.config != nil {
			r.git("config", c.config[0], c.config[1])
		}
		if c.origin != "" {
			r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/"+c.origin)
		}
		ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
		ok(r.open().CreateBranch(t.Context(), store.BranchOptions{Name: "feature", Purpose: "Try"}))(t)
		r.git("checkout", "-q", "-b", c.code)
		_, err := share.Follow(t.Context(), r.open(), store.Writer{})
		if got := r.git("symbolic-ref", "CONTEXT_HEAD"); err != nil || got != "refs/context/heads/"+c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}

// A branch that only a remote has is taken from there.
func TestFollowAdopts(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx, s := t.Context(), r.open()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	b := ok(s.CreateBranch(ctx, store.BranchOptions{Name: "far", Purpose: "Theirs"}))(t)
	r.git("remote", "add", "origin", "nowhere")
	r.git("update-ref", "refs/context/remotes/origin/heads/far", string(b.Tip))
	ok(s.Switch(ctx, "main"))(t)
	r.git("update-ref", "-d", "refs/context/heads/far")
	r.git("config", "context.follow", "yes")
	r.git("checkout", "-q", "-b", "far")
	f, err := share.Follow(ctx, r.open(), store.Writer{})
	if err != nil || f != (share.FollowResult{}) || r.git("rev-parse", "CONTEXT_HEAD") != string(b.Tip) {
		t.Errorf("%+v, %v", f, err)
	}
}

// A ref that another process has locked is waited for as long as one of our locks.
func TestHookWaitsShortly(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	ok(r.open().Commit(t.Context(), store.CommitOptions{Summary: "one"}))(t)
	r.put("f", "changed\n")
	r.git("commit", "-q", "-a", "-m", "code")
	r.put(".git/refs/notes/context.lock", "")
	s := ok(refs.Open(t.Context(), store.Options{Dir: r.dir, Env: r.env, Now: time.Now, LockWait: code.HookLockWait}))(t)
	t.Cleanup(func() { s.Close() })
	begin := time.Now()
	err := code.LinkHead(t.Context(), s, store.Writer{})
	locked := time.Since(begin)
	r.must(os.Remove(filepath.Join(r.dir, ".git/refs/notes/context.lock")))
	begin = time.Now()
	r.must(code.LinkHead(t.Context(), s, store.Writer{}))
	if free := time.Since(begin); !errors.Is(err, git.ErrLocked) || locked > 2*code.HookLockWait+4*free { // it is tried four times
		t.Errorf("after %v, %v once it is free: %v", locked, free, err)
	} else if words := err.Error(); strings.Count(words, "a ref is locked: git update-ref: ") != 1 || strings.Contains(words, "has moved") {
		t.Errorf("it says '%s'", words)
	}
}
