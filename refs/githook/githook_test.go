package githook_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/githook"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func TestHookFailures(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	if list := memtest.OK(githook.Failures(ctx, s))(t); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if err := githook.RecordFailure(ctx, s, "post-commit", errors.New("first\nof all")); err != nil {
		t.Fatal(err)
	}
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	if err := githook.RecordFailure(ctx, s, "pre-push", errors.New("second")); err != nil {
		t.Fatal(err)
	}
	list := memtest.OK(githook.Failures(ctx, s))(t)
	if len(list) != 2 || list[0].Message != "first of all" || list[0].Code != "" || list[0].Branch != "main" ||
		list[1].Event != "pre-push" || string(list[1].Code) != r.Git("rev-parse", "HEAD") || list[1].Worktree != s.Repo().WorkTree() {
		t.Errorf("%+v", list)
	}
	if err := githook.DropFailures(ctx, s, func(f githook.Failure) bool { return f.Event == "pre-push" }); err != nil {
		t.Fatal(err)
	}
	if list := memtest.OK(githook.Failures(ctx, s))(t); len(list) != 1 || list[0].Message != "second" {
		t.Errorf("kept %+v", list)
	}
	path := filepath.Join(r.Dir, ".git", "context", "hooks.jsonl")
	big := strings.Repeat("{\"other\":1}\n", 6000)
	if err := os.WriteFile(path, []byte(big), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := githook.RecordFailure(ctx, s, "pre-push", errors.New("the newest")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 64<<10 || info.Size() < 60<<10 {
		t.Errorf("%v, %v", info.Size(), err)
	}
	if list := memtest.OK(githook.Failures(ctx, s))(t); len(list) != 1 || list[0].Message != "the newest" {
		t.Errorf("bounded: %+v", list)
	}
	if err := githook.DropFailures(ctx, s, func(githook.Failure) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "newest") || len(data) == 0 {
		t.Errorf("lines of others went: %d bytes, %v", len(data), err)
	}
}

// Who pushes waits no longer than it was said.
func TestPushBesideIsBounded(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("remote", "add", "slow", "ext::sleep 600")
	r.Git("config", "protocol.ext.allow", "always")
	for _, set := range []struct{ push, timeout, remote, want string }{
		{"false", "1", "slow", ""},
		{"true", "1", "ext::sleep 600", ""},
		{"true", "0", "slow", "context.pushTimeout is 0; it must be 1 to 3600"},
		{"true", "soon", "slow", "bad numeric value"},
		{"perhaps", "1", "slow", "bad boolean value"},
		{"true", "1", "slow", "the push of memory to 'slow' did not finish within 1 second"},
	} {
		r.Git("config", "context.push", set.push)
		r.Git("config", "context.pushTimeout", set.timeout)
		begin := time.Now()
		err := githook.PushWithCode(ctx, r.Open(), store.Writer{}, set.remote)
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
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("config", "context.follow", "true")
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	r.Git("checkout", "-q", "-b", "topic")
	made := make(chan string, 4)
	for range cap(made) {
		go func() {
			f, err := githook.Follow(ctx, r.Open(), store.Writer{})
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
	if n != 1 || r.Git("symbolic-ref", "CONTEXT_HEAD") != "refs/context/heads/topic" {
		t.Errorf("made %d times, on %s", n, r.Git("symbolic-ref", "CONTEXT_HEAD"))
	}
	r.Git("checkout", "-q", "-b", "Topic/below")
	f, err := githook.Follow(ctx, r.Open(), store.Writer{})
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
		r := memtest.New(t)
		r.Git("config", "context.follow", "true")
		if c.config != nil {
			r.Git("config", c.config[0], c.config[1])
		}
		if c.origin != "" {
			r.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/"+c.origin)
		}
		memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
		memtest.OK(r.Open().CreateBranch(t.Context(), store.BranchOptions{Name: "feature", Purpose: "Try"}))(t)
		r.Git("checkout", "-q", "-b", c.code)
		_, err := githook.Follow(t.Context(), r.Open(), store.Writer{})
		if got := r.Git("symbolic-ref", "CONTEXT_HEAD"); err != nil || got != "refs/context/heads/"+c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}

// A branch that only a remote has is taken from there.
func TestFollowAdopts(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	b := memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "far", Purpose: "Theirs"}))(t)
	r.Git("remote", "add", "origin", "nowhere")
	r.Git("update-ref", "refs/context/remotes/origin/heads/far", string(b.Tip))
	memtest.OK(s.Switch(ctx, "main"))(t)
	r.Git("update-ref", "-d", "refs/context/heads/far")
	r.Git("config", "context.follow", "yes")
	r.Git("checkout", "-q", "-b", "far")
	f, err := githook.Follow(ctx, r.Open(), store.Writer{})
	if err != nil || f != (githook.FollowResult{}) || r.Git("rev-parse", "CONTEXT_HEAD") != string(b.Tip) {
		t.Errorf("%+v, %v", f, err)
	}
}
