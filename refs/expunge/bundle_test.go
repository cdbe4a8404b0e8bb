package expunge_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// The refs of a bundle that is being taken in stay; without such refs, no process is started.
func TestDropBundleBesideUnbundle(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Work("main", "first", 0)
	var started bytes.Buffer
	traced := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Trace: &started}))(t)
	defer traced.Close()
	before := started.Len()
	memtest.OK(expunge.LeftOfBundle(ctx, traced))(t)
	memtest.OK(expunge.DropBundle(ctx, traced, store.Writer{}))(t)
	if started.Len() > before && !gittest.Reftable() { // git lists the refs of a reftable
		t.Errorf("started:\n%s", started.String()[before:])
	}

	file := filepath.Join(r.Dir, "..", "memory.bundle")
	memtest.OK(share.Bundle(ctx, s, share.BundleOptions{File: file}))(t)
	r.Git("fetch", "-q", file, "refs/context/heads/*:refs/context/bundle/heads/*", "refs/notes/context:refs/notes/bundle/context")
	lock := memtest.OK(s.Repo().Lock(ctx, "bundle"))(t)
	if left := memtest.OK(expunge.LeftOfBundle(ctx, s))(t); len(left) > 0 {
		t.Errorf("beside an unbundle: %v", left)
	}
	if dropped := memtest.OK(expunge.DropBundle(ctx, s, store.Writer{}))(t); len(dropped) > 0 {
		t.Errorf("beside an unbundle: dropped %v", dropped)
	}
	r.Must(lock.Unlock())
	r.Git("pack-refs", "--all")
	unreadable := s.StatePath(store.MergeDir + "/main.json")
	r.Must(os.MkdirAll(filepath.Dir(unreadable), 0o777))
	r.Must(os.WriteFile(unreadable, []byte("{"), 0o666))
	if dropped := memtest.OK(expunge.DropBundle(ctx, s, store.Writer{}))(t); len(dropped) > 0 {
		t.Errorf("beside a merge that cannot be read: dropped %v", dropped)
	}
	r.Must(os.Remove(unreadable))
	if dropped := memtest.OK(expunge.DropBundle(ctx, s, store.Writer{}))(t); len(dropped) != 2 {
		t.Errorf("dropped %v", dropped)
	}
	if left := r.Git("for-each-ref", "refs/context/bundle", "refs/notes/bundle"); left != "" {
		t.Errorf("left: %s", left)
	}
}
