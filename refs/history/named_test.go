package history_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 3)
	ctx := t.Context()
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "try/a", Purpose: "A plain\nmutex", NoSwitch: true}))(t)
	memtest.OK(r.Open().SetTag(ctx, store.Writer{}, "success/best", m[1]))(t)
	r.Teach("", "ann", "pool", "one")
	r.Teach("", "ann", "lock", "two")
	r.Git("update-ref", "refs/context/remotes/origin/heads/theirs", m[2])
	r.Git("update-ref", "refs/context/remotes/origin/tags/v1", m[0])
	s := r.Open()
	about := func(list []history.Named, err error) map[string]string {
		t.Helper()
		names := map[string]string{}
		for _, n := range memtest.OK(list, err)(t) {
			names[n.Name] = n.About
		}
		return names
	}
	for what, got := range map[string][2]map[string]string{
		"branches": {about(history.NamedBranches(ctx, s, true)), {"main": "m2", "try/a": "A plain mutex"}},
		"tags":     {about(history.NamedTags(ctx, s, true)), {"success/best": "m1"}},
	} {
		if diff := cmp.Diff(got[1], got[0]); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	if diff := cmp.Diff([]history.Named{{Name: "main"}, {Name: "try/a"}}, memtest.OK(history.NamedBranches(ctx, s, false))(t)); diff != "" {
		t.Error(diff)
	}
	tip := memtest.OK(s.Tip(ctx, ""))(t)
	if diff := cmp.Diff([]string{"lock", "pool"}, memtest.OK(history.TopicKeys(ctx, s, tip))(t)); diff != "" {
		t.Error(diff)
	}
	newest := memtest.OK(history.NamedCommits(ctx, s, tip, 2))(t)
	if diff := cmp.Diff([]history.Named{{Name: m[2][:10], About: "m2"}, {Name: m[1][:10], About: "m1"}}, newest); diff != "" {
		t.Error(diff)
	}
}

// Who only looks leaves not even a cache behind.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	r.Git("remote", "add", "origin", "nowhere")
	files := func() (n int) {
		t.Helper()
		err := filepath.WalkDir(r.Dir, func(_ string, _ fs.DirEntry, err error) error { n++; return err })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, readOnly := range []bool{true, false} {
		if err := os.RemoveAll(filepath.Join(r.Dir, ".git/context/cache")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(120 * time.Millisecond) // a younger configuration is never cached
		before := files()
		s := memtest.OK(refs.Open(t.Context(), store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, ReadOnly: readOnly}))(t)
		memtest.OK(s.Repo().Remotes(t.Context()))(t)
		memtest.OK(history.NamedBranches(t.Context(), s, true))(t)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if wrote := files() != before; wrote == readOnly {
			t.Errorf("read-only %t: wrote %t", readOnly, wrote)
		}
	}
}
