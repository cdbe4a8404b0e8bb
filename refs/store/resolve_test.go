package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// What stands behind a name means what it means to git, and an id is found however
// its time and that of its commit compare.
func TestRevisionIsGits(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	ctx := t.Context()
	s := r.Open()
	if _, err := share.Init(ctx, s, share.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for i := range 30 {
		made, err := s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("milestone ", i)})
		if err != nil {
			t.Fatal(err)
		}
		ids[made.ID] = string(made.Commit)
	}
	for _, suffix := range []string{"", "~", "^", "~0", "~1", "~2", "~007", "~20", "~21", "~29", "^1", "~1^", "@{0}"} {
		want := r.Git("rev-parse", "refs/context/heads/main"+suffix)
		c, err := s.Revision(ctx, "main"+suffix)
		if err != nil || string(c.ID) != want {
			t.Errorf("main%s: %v, %v; git says %s", suffix, c, err, want)
		}
		if c, err := s.Revision(ctx, want); err != nil || string(c.ID) != want {
			t.Errorf("%s: %v, %v", want, c, err)
		}
	}
	for _, rev := range []string{"main~31", "main^2", "main~+1", "main~-1", "main~x", r.Git("rev-parse", "HEAD^{tree}"), "0123456789012345678901234567890123456789"} {
		if c, err := s.Revision(ctx, rev); err == nil {
			t.Errorf("%s is %v", rev, c)
		}
	}
	for id, want := range ids {
		if c, err := s.Revision(ctx, id); err != nil || string(c.ID) != want {
			t.Errorf("%s: %v, %v", id, c, err)
		}
	}
}

// A clock that was hours ahead gave ids that are younger than the commits that
// later ones stand in.
func TestRevisionByAnIDOfTheFuture(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	ctx := t.Context()
	ahead, err := refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: func() time.Time { return time.Now().Add(9 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	defer ahead.Close()
	if _, err := share.Init(ctx, ahead, share.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := ahead.Commit(ctx, store.CommitOptions{Summary: "ahead"}); err != nil {
		t.Fatal(err)
	}
	made, err := r.Open().Commit(ctx, store.CommitOptions{Summary: "after it, by a right clock"})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Open().Revision(ctx, made.ID); err != nil || c.ID != made.Commit {
		t.Errorf("%v, %v; want %s", c, err, made.Commit)
	}
}

// A branch means its newest commit also where another writer moves it meanwhile.
func TestCommitMeantOfABranchThatMoves(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	ctx := t.Context()
	s := r.Open()
	if _, err := share.Init(ctx, s, share.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	made, err := s.Commit(ctx, store.CommitOptions{Summary: "milestone"})
	if err != nil {
		t.Fatal(err)
	}
	other, stop := r.Open(), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := other.Remember(ctx, store.TopicOptions{Key: "k", Text: fmt.Sprint("text ", i)}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 300 {
		if c, err := s.CommitMeant(ctx, "main"); err != nil || c.ID != made.Commit {
			t.Errorf("%v, %v; want %s", c, err, made.Commit)
			break
		}
	}
	close(stop)
	wg.Wait()
}
