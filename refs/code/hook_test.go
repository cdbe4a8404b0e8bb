package code_test

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
	"github.com/git-context/git-context/refs/githook"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// linksOn is how many milestones are linked to a code commit.
func linksOn(r *memtest.Repo, code string) int {
	r.T.Helper()
	note := r.Git("log", "-1", "--notes=context", "--format=%N", code)
	return strings.Count("\n"+note, "\nContext: ")
}

func TestHooksWithoutMemory(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	r.Git("config", "context.follow", "true")
	r.Git("config", "context.push", "true")
	r.Git("remote", "add", "origin", "nowhere")
	ctx, s := t.Context(), r.Open()
	if err := code.LinkHead(ctx, s, store.Writer{}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("LinkHead: %v", err)
	}
	if _, err := githook.Follow(ctx, s, store.Writer{}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("Follow: %v", err)
	}
	if err := githook.PushWithCode(ctx, s, store.Writer{}, "origin"); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("PushBeside: %v", err)
	}
	head := r.Git("rev-parse", "HEAD")
	if n, err := code.CarryRewritten(ctx, s, store.Writer{}, "rebase", strings.NewReader(head+" "+head+"\n")); n != 0 || !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("CarryRewritten: %d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, ".git", "context")); err == nil {
		t.Error("something was written")
	}
}

// A branch that has no milestone of its own is not linked to those of the branch that
// it started from.
func TestLinkHead(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
		t.Errorf("an unborn HEAD: %v", err)
	}
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	for range 2 {
		if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := linksOn(r, "HEAD"); n != 1 {
		t.Errorf("linked %d times", n)
	}
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "young"}))(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "more")
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil || linksOn(r, "HEAD") != 0 {
		t.Errorf("a branch without milestones: %d links, %v", linksOn(r, "HEAD"), err)
	}
	r.Git("-c", "core.logAllRefUpdates=false", "commit", "-q", "--allow-empty", "-m", "unlogged")
	r.Git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/main")
	if err := code.LinkHead(ctx, r.Open(), store.Writer{}); err != nil || linksOn(r, "HEAD") != 1 {
		t.Errorf("a reflog that ends earlier: %d links, %v", linksOn(r, "HEAD"), err)
	}
}

// A conflict takes away what git says of a cherry-pick; its message may say it.
func TestPickedBehindConflict(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
		t.Fatal(err)
	}
	picked := r.Git("rev-parse", "HEAD")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "two"}))(t)
	for message, want := range map[string]int{
		"by hand": 1,
		"with -x\n\n(cherry picked from commit " + picked + ")": 2,
		"something else\n\n(cherry picked from commit abc)":     1,
	} {
		r.Git("commit", "-q", "--allow-empty", "-m", message)
		if err := code.LinkHead(ctx, s, store.Writer{}); err != nil || linksOn(r, "HEAD") != want {
			t.Errorf("%q: %d links, want %d, %v", message, linksOn(r, "HEAD"), want, err)
		}
	}
}

// A thousand rewritten commits are one commit of the notes.
func TestCarryThousand(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	if err := code.LinkHead(ctx, s, store.Writer{}); err != nil {
		t.Fatal(err)
	}
	head, before := r.Git("rev-parse", "HEAD"), r.Git("rev-list", "--count", git.NotesRef)
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "%s %0*x and more\n", head, len(head), i+1)
	}
	n, err := code.CarryRewritten(ctx, s, store.Writer{}, "rebase", strings.NewReader(lines.String()))
	if n != 1000 || err != nil {
		t.Errorf("carried %d, %v", n, err)
	}
	if after := r.Git("rev-list", "--count", git.NotesRef); before != "2" || after != "3" {
		t.Errorf("notes had %s commits, and have %s", before, after)
	}
	if got := strings.Count(r.Git("notes", "--ref=context", "list"), "\n") + 1; got != 1002 {
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
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
	lock := memtest.OK(s.Repo().Lock(ctx, "notes"))(t)
	hook := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, LockWait: 50 * time.Millisecond}))(t)
	defer hook.Close()
	begin := time.Now()
	err := code.LinkHead(ctx, hook, store.Writer{})
	if took := time.Since(begin); err == nil || took > 30*time.Second { // without the option it is a minute
		t.Errorf("after %v: %v", took, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := code.LinkHead(ctx, hook, store.Writer{}); err != nil || linksOn(r, "HEAD") != 1 {
		t.Errorf("once it is free: %v", err)
	}
}

// A ref that another process has locked is waited for as long as one of our locks.
func TestHookWaitsShortly(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	r := newCode(t)
	memtest.OK(r.Open().Commit(t.Context(), store.CommitOptions{Summary: "one"}))(t)
	writeFile(r, "f", "changed\n")
	r.Git("commit", "-q", "-a", "-m", "code")
	writeFile(r, ".git/refs/notes/context.lock", "")
	s := memtest.OK(refs.Open(t.Context(), store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, LockWait: code.HookLockWait}))(t)
	t.Cleanup(func() { s.Close() })
	begin := time.Now()
	err := code.LinkHead(t.Context(), s, store.Writer{})
	locked := time.Since(begin)
	r.Must(os.Remove(filepath.Join(r.Dir, ".git/refs/notes/context.lock")))
	begin = time.Now()
	r.Must(code.LinkHead(t.Context(), s, store.Writer{}))
	if free := time.Since(begin); !errors.Is(err, git.ErrLocked) || locked > 2*code.HookLockWait+4*free { // it is tried four times
		t.Errorf("after %v, %v once it is free: %v", locked, free, err)
	} else if words := err.Error(); strings.Count(words, "a ref is locked: git update-ref: ") != 1 || strings.Contains(words, "has moved") {
		t.Errorf("it says '%s'", words)
	}
}
