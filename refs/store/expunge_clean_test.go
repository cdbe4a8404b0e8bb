package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/share"
)

// A branch of the remote that is not here is looked at once, and again when it stands
// elsewhere.
func TestExpungeLooksOnce(t *testing.T) {
	t.Parallel()
	hub := newRepo(t, "--bare")
	clone := func() *repo {
		r := newRepo(t)
		r.git("remote", "add", "origin", hub.dir)
		return r
	}
	ann, dan := clone(), clone()
	ok(share.Init(t.Context(), ann.open(), share.InitOptions{}))(t)
	for _, name := range []string{"one", "two", "three", "use hunter2", "four"} {
		ann.work("main", name, 0)
	}
	old := ann.git("rev-parse", "refs/context/heads/main")
	hub.git("fetch", "-q", ann.dir, "+refs/context/heads/main:refs/mine")
	ann.expunge(expunge.Options{Match: "hunter2"})
	ann.branch("side", "")
	ann.work("side", "six", 0)
	ok(share.Push(t.Context(), ann.open(), share.Options{}))(t)
	ok(share.Init(t.Context(), dan.open(), share.InitOptions{}))(t)
	dan.sync("")
	known := func() string {
		data, err := os.ReadFile(filepath.Join(dan.dir, ".git", "context", "clean", "origin"))
		dan.must(err)
		return string(data)
	}
	line := "clean refs/context/heads/side " + ann.git("rev-parse", "refs/context/heads/side") + "\n"
	if now := known(); !strings.Contains(now, "\n"+line) {
		t.Errorf("%q is known, not %q", now, line)
	}
	hub.git("update-ref", "refs/context/heads/side", old)
	if _, err := share.Sync(t.Context(), dan.open(), share.Options{}); !errors.Is(err, fail.ErrRefused) || !strings.Contains(err.Error(), "'side'") {
		t.Errorf("error = %v", err)
	}
	if strings.Contains(known(), "/side ") {
		t.Errorf("old history is known to be clean: %s", known())
	}
	if found := dan.holding("hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
}

// A clone of a remote that has the memory among its branches has them twice, as git's
// own and as ours; neither holds what was forgotten.
func TestExpungeMappedClone(t *testing.T) {
	t.Parallel()
	hub := newRepo(t, "--bare")
	clone := func() *repo {
		r := newRepo(t)
		r.git("remote", "add", "origin", hub.dir)
		r.git("config", "context.origin.mapping", "heads")
		return r
	}
	ann, dan := clone(), clone()
	ok(share.Init(t.Context(), ann.open(), share.InitOptions{}))(t)
	for _, name := range []string{"one", "two", "use hunter2", "four"} {
		ann.work("main", name, 0)
	}
	ok(share.Push(t.Context(), ann.open(), share.Options{}))(t)
	ann.expunge(expunge.Options{Match: "hunter2"})
	if _, err := share.Sync(t.Context(), ann.open(), share.Options{}); !errors.Is(err, fail.ErrRefused) {
		t.Fatalf("Sync: %v", err) // the roadmap is there now
	}
	dan.git("fetch", "-q")
	dan.git("fetch", "-q")
	ok(share.Init(t.Context(), dan.open(), share.InitOptions{}))(t)
	if _, err := share.Sync(t.Context(), dan.open(), share.Options{}); !errors.Is(err, fail.ErrRefused) {
		t.Errorf("Sync: %v", err)
	}
	if found := dan.holding("hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	dan.fsck()
}
