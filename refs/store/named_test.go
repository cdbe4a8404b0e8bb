package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 3)
	ctx := t.Context()
	ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: "try/a", Purpose: "A plain\nmutex", NoSwitch: true}))(t)
	for range 2 {
		ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: "gone-1", Purpose: "A dead end", NoSwitch: true}))(t)
		ok(r.open().DeleteBranch(ctx, "gone-1", true))(t)
	}
	ok(r.open().SetTag(ctx, store.Writer{}, "success/best", m[1]))(t)
	r.teach(t, "", "ann", "pool", "one")
	r.teach(t, "", "ann", "lock", "two")
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	r.git("tag", "-a", "-m", "v", "v1.0")
	r.git("branch", "topic")
	r.git("update-ref", "refs/context/remotes/origin/heads/theirs", m[2])
	r.git("update-ref", "refs/context/remotes/origin/tags/v1", m[0])
	s := r.open()
	about := func(list []history.Named, err error) map[string]string {
		t.Helper()
		names := map[string]string{}
		for _, n := range ok(list, err)(t) {
			names[n.Name] = n.About
		}
		return names
	}
	for what, got := range map[string][2]map[string]string{
		"branches": {about(history.NamedBranches(ctx, s, true)), {"main": "m2", "try/a": "A plain mutex"}},
		"tags":     {about(history.NamedTags(ctx, s, true)), {"success/best": "m1"}},
		"deleted":  {about(history.NamedDeleted(ctx, s, true)), {"gone-1": "A dead end"}},
		"at":       {about(history.NamedAt(ctx, s, "origin", true)), {"theirs": "m2", "tags/v1": "m0"}},
		"tracked":  {about(history.NamedTracked(ctx, s, true)), {"origin/theirs": "m2"}},
		"code":     {about(history.NamedCode(ctx, s, 2)), {"trunk": "", "topic": "", "v1.0": ""}},
	} {
		if diff := cmp.Diff(got[1], got[0]); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	if diff := cmp.Diff([]history.Named{{Name: "main"}, {Name: "try/a"}}, ok(history.NamedBranches(ctx, s, false))(t)); diff != "" {
		t.Error(diff)
	}
	tip := ok(s.Tip(ctx, ""))(t)
	if diff := cmp.Diff([]string{"lock", "pool"}, ok(history.TopicKeys(ctx, s, tip))(t)); diff != "" {
		t.Error(diff)
	}
	recent := ok(history.Recent(ctx, s, tip, 2))(t)
	if len(recent) != 2 || recent[0].Summary != "m2" || string(recent[1].Commit) != m[1] || recent[0].Agent != "Ada" || len(recent[0].ID) != 26 {
		t.Errorf("%+v", recent)
	}
}

// Who only looks leaves not even a cache behind.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	r, _ := stones(t, 1)
	r.git("remote", "add", "origin", "nowhere")
	files := func() (n int) {
		t.Helper()
		err := filepath.WalkDir(r.dir, func(_ string, _ fs.DirEntry, err error) error { n++; return err })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, readOnly := range []bool{true, false} {
		if err := os.RemoveAll(filepath.Join(r.dir, ".git/context/cache")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(120 * time.Millisecond) // a younger configuration is never cached
		before := files()
		s := ok(refs.Open(t.Context(), store.Options{Dir: r.dir, Env: r.env, Now: time.Now, ReadOnly: readOnly}))(t)
		ok(s.Repo().Remotes(t.Context()))(t)
		ok(history.NamedBranches(t.Context(), s, true))(t)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if wrote := files() != before; wrote == readOnly {
			t.Errorf("read-only %t: wrote %t", readOnly, wrote)
		}
	}
}
