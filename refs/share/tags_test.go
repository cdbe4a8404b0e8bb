package share_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
)

// A tag that two clones make at once never moves, not even forward: whoever comes
// second is told, however close it was.
func TestTagNeverMovesOnARemote(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	a, b := f.Clones[0], f.Clones[1]
	a.Work("main", "first", 0)
	f.Settle()
	was := string(a.Tag("best", "").Commit)
	// The other's tag arrives when b has asked the remote and begins to push.
	a.Git("push", "-q", "origin", was+":refs/hidden/x")
	script := filepath.Join(t.TempDir(), "receive")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ngit -C \"$1\" update-ref refs/context/tags/best "+was+"\nexec git-receive-pack \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.Git("config", "remote.origin.receivepack", script)
	b.Work("main", "second", 0)
	b.Tag("best", "")
	res := b.Sync("")
	if got := f.Hub.Git("rev-parse", "refs/context/tags/best"); got != was {
		t.Errorf("it moved from %s to %s", was, got)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "tag 'best' names another commit on 'origin'") {
		t.Errorf("%v", res.Warnings)
	}
	if !slices.Contains(res.Pushed, "refs/context/heads/main") || slices.Contains(res.Pushed, "refs/context/tags/best") {
		t.Errorf("pushed %v", res.Pushed)
	}
}

// Names that cannot stand beside each other keep nothing else back.
func TestTagsThatClash(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	for i, name := range []string{"success", "success/best"} {
		f.Clones[i].Work("main", fmt.Sprint("work of ", i), 0)
		f.Clones[i].Tag(name, "")
	}
	f.Clones[0].Sync("")
	res := f.Clones[1].Sync("")
	if len(res.Warnings) != 2 || !slices.Contains(res.Pushed, "refs/context/heads/main") {
		t.Errorf("%+v", res)
	}
	f.Clones[0].Sync("")
	if a, b := f.Clones[0].Git("rev-parse", "refs/context/heads/main"), f.Clones[1].Git("rev-parse", "refs/context/heads/main"); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

// A tag is deleted here and there; it does not come back, and its name can be given
// to another milestone.
func TestTagDeletedOnTheRemote(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	a, b := f.Clones[0], f.Clones[1]
	ctx := t.Context()
	a.Work("main", "first", 0)
	a.Tag("best", "")
	f.Settle()
	memtest.OK(a.Open().DeleteTag(ctx, "best"))(t)
	if remotes := memtest.OK(remote.WithTag(ctx, a.Open(), "best"))(t); !slices.Equal(remotes, []string{"origin"}) {
		t.Errorf("it is on %v", remotes)
	}
	_, err := share.DeleteRemote(ctx, a.Open(), share.Options{Branches: []string{"best"}})
	if said := memtest.ErrorCode(t, err, "branch-not-found"); said.Hints[0] != "git context push --delete origin tags/best" {
		t.Errorf("%v", said.Hints)
	}
	_, err = share.DeleteRemote(ctx, a.Open(), share.Options{Branches: []string{"tags/bets"}})
	memtest.ErrorCode(t, err, "tag-not-found")
	memtest.OK(share.DeleteRemote(ctx, a.Open(), share.Options{Branches: []string{"tags/best"}}))(t)
	if remotes := memtest.OK(remote.WithTag(ctx, a.Open(), "best"))(t); len(remotes) > 0 {
		t.Errorf("it is still on %v", remotes)
	}
	f.Exchange()
	if got := f.Hub.Git("for-each-ref", "refs/context/tags"); got != "" {
		t.Errorf("it came back: %s", got)
	}
	memtest.OK(b.Open().DeleteTag(ctx, "best"))(t)
	b.Sync("")
	a.Work("main", "second", 0)
	again := a.Tag("best", "")
	f.Settle()
	if got := b.Git("rev-parse", "refs/context/tags/best"); got != string(again.Commit) {
		t.Errorf("the new one is at %s", got)
	}
}
