package expunge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// An exchange knows by their ids what its fetch replaces: an expunge beside it would delete that.
func TestExpungeWaitsForExchanges(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), memtest.New(t)
	r.Git("remote", "add", "origin", "nowhere")
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{}))(t)
	r.Work("main", "use hunter2", 0)
	s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, LockWait: time.Millisecond}))(t)
	t.Cleanup(func() { s.Close() })
	lock := memtest.OK(remote.Lock(ctx, r.Open(), remote.Remote{Name: "origin"}))(t)
	run := func() error {
		_, err := expunge.Run(ctx, s, expunge.Options{Match: "hunter2", Yes: true})
		return err
	}
	if err := run(); !errors.Is(err, fail.ErrStale) {
		t.Errorf("beside an exchange: %v", err)
	}
	has := func() bool { return strings.Contains(r.Git("log", "-p", "refs/context/heads/main"), "hunter2") }
	if !has() {
		t.Error("beside an exchange, and yet it is gone")
	}
	r.Must(lock.Unlock())
	r.Must(run())
	if has() {
		t.Error("it is still there")
	}
}
