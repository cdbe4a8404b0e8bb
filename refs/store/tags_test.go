package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func (r *repo) tag(t *testing.T, name, rev string) store.Change {
	t.Helper()
	return ok(r.open().SetTag(t.Context(), store.Writer{}, name, rev))(t)
}

func TestTagNames(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 3)
	ctx := t.Context()
	r.tag(t, "success/best", m[1])
	r.tag(t, "success/a/b", m[0])
	r.tag(t, "old", "main~2")
	for _, c := range []struct {
		patterns, want string
	}{
		{"", "old success/a/b success/best"},
		{"success/*", "success/a/b success/best"},
		{"success", ""},
		{"?ld *best", "old success/best"},
		{"[^s]*", "old"},
	} {
		var names []string
		for _, tag := range ok(r.open().Tags(ctx, strings.Fields(c.patterns)...))(t) {
			names = append(names, tag.Name)
			if tag.ID == "" || tag.Branch != "main" || !slices.Contains(m, string(tag.Commit)) || tag.Summary[0] != 'm' {
				t.Errorf("%+v", tag)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q: %s", c.patterns, got)
		}
	}
	_, err := r.open().Tags(ctx, "[x")
	deniedAs(t, err, "pattern-invalid")
	for name, code := range map[string]string{"success": "tag-exists", "old/x": "tag-exists", "OLD": "tag-exists", "old": "tag-exists",
		"success/*": "tag-name", "-x": "tag-name"} {
		_, err := r.open().SetTag(ctx, store.Writer{}, name, m[2])
		deniedAs(t, err, code)
	}
	if ch := r.tag(t, "main", m[0]); len(ch.Warnings) != 1 {
		t.Errorf("a branch's name: %+v", ch)
	}
	// Revisions begin at a tag too; what is a branch as well is the branch.
	for rev, want := range map[string]string{"success/best": m[1], "success/best~1": m[0], "main": m[2]} {
		if c := ok(r.open().FindCommit(ctx, rev))(t); string(*c.Hash) != want {
			t.Errorf("%s is %s", rev, c.Summary)
		}
	}
	b := ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: "again", From: "success/best", NoSwitch: true}))(t)
	if b.Commits != 1 && b.Name != "again" {
		t.Errorf("%+v", b)
	}
}

// A tag that two clones make at once never moves, not even forward: whoever comes
// second is told, however close it was.
func TestTagNeverMovesOnARemote(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	a, b := f.clones[0], f.clones[1]
	a.work("main", "first", 0)
	f.settle()
	was := string(a.tag(t, "best", "").Commit)
	// The other's tag arrives when b has asked the remote and begins to push.
	a.git("push", "-q", "origin", was+":refs/hidden/x")
	script := filepath.Join(t.TempDir(), "receive")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ngit -C \"$1\" update-ref refs/context/tags/best "+was+"\nexec git-receive-pack \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.git("config", "remote.origin.receivepack", script)
	b.work("main", "second", 0)
	b.tag(t, "best", "")
	res := b.sync("")
	if got := f.hub.git("rev-parse", "refs/context/tags/best"); got != was {
		t.Errorf("it moved from %s to %s", was, got)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "tag 'best' names another milestone on 'origin'") {
		t.Errorf("%v", res.Warnings)
	}
	if !slices.Contains(res.Pushed, "refs/context/heads/main") || slices.Contains(res.Pushed, "refs/context/tags/best") {
		t.Errorf("pushed %v", res.Pushed)
	}
}

// Names that cannot stand beside each other keep nothing else back.
func TestTagsThatClash(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	for i, name := range []string{"success", "success/best"} {
		f.clones[i].work("main", fmt.Sprint("work of ", i), 0)
		f.clones[i].tag(t, name, "")
	}
	f.clones[0].sync("")
	res := f.clones[1].sync("")
	if len(res.Warnings) != 2 || !slices.Contains(res.Pushed, "refs/context/heads/main") {
		t.Errorf("%+v", res)
	}
	f.clones[0].sync("")
	if a, b := f.clones[0].git("rev-parse", "refs/context/heads/main"), f.clones[1].git("rev-parse", "refs/context/heads/main"); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

// A tag is deleted here and there; it does not come back, and its name can be given
// to another milestone.
func TestTagDeletedOnTheRemote(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	a, b := f.clones[0], f.clones[1]
	ctx := t.Context()
	a.work("main", "first", 0)
	a.tag(t, "best", "")
	f.settle()
	ok(a.open().DeleteTag(ctx, "best"))(t)
	if remotes := ok(a.open().TagRemotes(ctx, "best"))(t); !slices.Equal(remotes, []string{"origin"}) {
		t.Errorf("it is on %v", remotes)
	}
	_, err := share.DeleteRemote(ctx, a.open(), share.Options{Branches: []string{"best"}})
	if said := deniedAs(t, err, "branch-not-found"); said.Hints[0] != "git context push --delete origin tags/best" {
		t.Errorf("%v", said.Hints)
	}
	_, err = share.DeleteRemote(ctx, a.open(), share.Options{Branches: []string{"tags/bets"}})
	deniedAs(t, err, "tag-not-found")
	ok(share.DeleteRemote(ctx, a.open(), share.Options{Branches: []string{"tags/best"}}))(t)
	if remotes := ok(a.open().TagRemotes(ctx, "best"))(t); len(remotes) > 0 {
		t.Errorf("it is still on %v", remotes)
	}
	f.exchange()
	if got := f.hub.git("for-each-ref", "refs/context/tags"); got != "" {
		t.Errorf("it came back: %s", got)
	}
	ok(b.open().DeleteTag(ctx, "best"))(t)
	b.sync("")
	a.work("main", "second", 0)
	again := a.tag(t, "best", "")
	f.settle()
	if got := b.git("rev-parse", "refs/context/tags/best"); got != string(again.Commit) {
		t.Errorf("the new one is at %s", got)
	}
}
