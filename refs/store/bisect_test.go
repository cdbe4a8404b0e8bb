package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// stones makes memory with n milestones on main, and returns their commits.
func stones(t *testing.T, n int) (*repo, []string) {
	t.Helper()
	r := newRepo(t)
	ok(share.Init(t.Context(), r.open(), share.InitOptions{Goal: "g"}))(t)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = string(r.milestone(t, "main", fmt.Sprint("m", i)).Commit)
	}
	return r, ids
}

// deniedAs holds that an error is of a code.
func deniedAs(t *testing.T, err error, code string) *fail.Error {
	t.Helper()
	said := &fail.Error{}
	if !errors.As(err, &said) || said.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
	return said
}

func TestBisectRefuses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	empty := newRepo(t)
	_, err := history.BisectStart(ctx, empty.open(), "", nil)
	deniedAs(t, err, "no-memory")
	_, err = history.BisectMark(ctx, empty.open(), history.MarkGood, nil)
	deniedAs(t, err, "no-memory")

	r, m := stones(t, 3)
	s := r.open()
	_, err = history.BisectMark(ctx, s, history.MarkBad, nil)
	deniedAs(t, err, "not-bisecting")
	_, err = history.BisectStart(ctx, s, "nope", nil)
	deniedAs(t, err, "milestone-not-found")
	_, err = history.BisectStart(ctx, s, m[0], []string{m[2]})
	deniedAs(t, err, "bisect-contradiction")
	_, err = history.BisectStart(ctx, s, m[0], []string{m[0]})
	deniedAs(t, err, "bisect-contradiction")
	_, err = history.Bisect(ctx, s) // nothing of these was kept
	deniedAs(t, err, "not-bisecting")
	ok(history.BisectStart(ctx, s, "", nil))(t)
	_, err = history.BisectStart(ctx, s, "", nil)
	deniedAs(t, err, "bisecting")
	_, err = history.BisectMark(ctx, s, history.MarkSkip, nil)
	deniedAs(t, err, "bisect-incomplete")
	ok(history.BisectMark(ctx, s, history.MarkBad, []string{m[1]}))(t)
	_, err = history.BisectMark(ctx, s, history.MarkGood, []string{m[2]})
	deniedAs(t, err, "bisect-contradiction")
	b := ok(history.BisectMark(ctx, s, history.MarkGood, []string{m[0]}))(t)
	if b.FirstBad == nil || string(*b.FirstBad.Hash) != m[1] || b.Next != nil || b.Left != 0 {
		t.Errorf("%+v", b)
	}
	_, err = history.BisectMark(ctx, s, history.MarkGood, nil)
	deniedAs(t, err, "bisect-done")
	if n := len(ok(history.BisectLog(ctx, s))(t)); n != 2 {
		t.Errorf("%d marks were kept", n)
	}
}

// What went bad behind the last milestone is no milestone's fault.
func TestBisectBehindTheLastMilestone(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 2)
	ctx := t.Context()
	r.teach(t, "", "ann", "pool", "wrong")
	s := r.open()
	b := ok(history.BisectStart(ctx, s, "main", []string{m[0]}))(t)
	if b.Next == nil || string(*b.Next.Hash) != m[1] {
		t.Fatalf("%+v", b)
	}
	b = ok(history.BisectMark(ctx, s, history.MarkGood, nil))(t)
	if c := b.FirstBad; c == nil || c.ID != "" || c.Summary != "Remember pool" || c.Agent != "ann" {
		t.Errorf("%+v", b.FirstBad)
	}
}

// Where good is not before bad, what both come from is tested first; if that is
// bad, the search is for what mended it.
func TestBisectTestsTheMergeBase(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 2)
	ctx := t.Context()
	ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	good := string(r.milestone(t, "exp", "mended").Commit)
	bad := string(r.milestone(t, "main", "m2").Commit)
	s := r.open()
	b := ok(history.BisectStart(ctx, s, bad, []string{good}))(t)
	if b.Next == nil || string(*b.Next.Hash) != m[1] || !b.MergeBase {
		t.Fatalf("%+v", b)
	}
	_, err := history.BisectMark(ctx, s, history.MarkBad, nil)
	deniedAs(t, err, "bisect-contradiction")
	b = ok(history.BisectMark(ctx, s, history.MarkSkip, nil))(t)
	if b.FirstBad == nil && b.Next == nil || len(b.Warnings) != 1 {
		t.Errorf("the base was skipped: %+v", b)
	}
	b = ok(history.BisectMark(ctx, s, history.MarkGood, []string{m[1]}))(t)
	if b.FirstBad == nil || string(*b.FirstBad.Hash) != bad || len(b.Warnings) != 0 {
		t.Errorf("the base is good: %+v", b)
	}
}

// Each worktree and branch has a bisect of its own; none touches git's.
func TestBisectIsPerWorktreeAndBranch(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 4)
	ctx := t.Context()
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	r.git("worktree", "add", "-q", "../other")
	other := &repo{t: t, dir: filepath.Join(filepath.Dir(r.dir), "other"), env: r.env}
	ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: "team/exp", NoSwitch: true}))(t)
	before := r.git("for-each-ref") + r.git("status", "--porcelain") + r.git("rev-parse", "HEAD")

	ok(history.BisectStart(ctx, r.open(), m[3], []string{m[0]}))(t)
	ok(history.BisectStart(ctx, other.open(), m[2], nil))(t)
	ok(history.BisectStart(ctx, r.open("team/exp"), "", []string{m[1]}))(t)
	ok(history.BisectMark(ctx, r.open(), history.MarkGood, nil))(t)
	for i, c := range []struct {
		s         *refs.Store
		good, bad int
	}{{r.open(), 2, 3}, {other.open(), 0, 2}, {r.open("team/exp"), 1, -1}} {
		b := ok(history.Bisect(ctx, c.s))(t)
		if len(b.Good) != c.good || (b.Bad == nil) != (c.bad < 0) || b.Bad != nil && string(*b.Bad) != m[c.bad] {
			t.Errorf("%d: %+v", i, b)
		}
	}
	if _, was, err := history.BisectReset(ctx, other.open()); err != nil || !was {
		t.Errorf("reset: %v, %v", was, err)
	}
	ok(history.Bisect(ctx, r.open()))(t)
	if after := r.git("for-each-ref") + r.git("status", "--porcelain") + r.git("rev-parse", "HEAD"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if left, _ := filepath.Glob(filepath.Join(r.dir, ".git", "BISECT*")); len(left) > 0 {
		t.Errorf("git's own: %v", left)
	}
}

// A state that cannot be used says so, and can be left.
func TestBisectStateThatIsBroken(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 3)
	ctx := t.Context()
	ok(history.BisectStart(ctx, r.open(), m[2], []string{m[0]}))(t)
	file := filepath.Join(r.dir, ".git/context/bisect/main-worktree/main.json")
	data := ok(os.ReadFile(file))(t)
	for _, broken := range []string{"", "{", "[]", `{"version":9}`, string(data[:len(data)/2])} {
		if err := os.WriteFile(file, []byte(broken), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{second(history.Bisect(ctx, r.open())), second(history.BisectStart(ctx, r.open(), "", nil)),
			second(history.BisectMark(ctx, r.open(), history.MarkGood, nil))} {
			if said := deniedAs(t, err, "bisect-state"); len(said.Hints) == 0 || said.Hints[0] != "git context bisect reset" {
				t.Errorf("%q: %v", broken, said.Hints)
			}
		}
	}
	// An object that is gone, and a name that would be a flag of git's.
	for _, id := range []string{strings.Repeat("ab", 20), "--output=x"} {
		text := strings.ReplaceAll(string(data), m[2], id)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := history.Bisect(ctx, r.open())
		if id[0] != '-' {
			deniedAs(t, err, "bisect-gone")
		}
		if err == nil {
			t.Errorf("%s was taken", id)
		}
	}
	if _, was, err := history.BisectReset(ctx, r.open()); err != nil || !was {
		t.Errorf("reset: %v, %v", was, err)
	}
	ok(history.BisectStart(ctx, r.open(), "", nil))(t)
}

func second[T any](_ T, err error) error { return err }

// Marks that are made at once are all kept.
func TestBisectMarksAtOnce(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 8)
	ctx := t.Context()
	ok(history.BisectStart(ctx, r.open(), m[7], []string{m[0]}))(t)
	var wait sync.WaitGroup
	for _, id := range m[1:7] {
		s := r.open()
		wait.Go(func() {
			if _, err := history.BisectMark(ctx, s, history.MarkSkip, []string{id}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	b := ok(history.Bisect(ctx, r.open()))(t)
	if len(b.Skipped) != 6 || len(b.Suspects) != 7 || b.Suspects[6] != git.ID(m[7]) || b.FirstBad != nil || b.Next != nil {
		t.Errorf("%+v", b)
	}
}

// A step looks through what is left once: told without a name, it knows what it asked.
func TestBisectWalksOnce(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 8)
	ctx := t.Context()
	asked := ok(history.BisectStart(ctx, r.open(), m[7], []string{m[0]}))(t).Next
	var trace strings.Builder
	s := ok(refs.Open(ctx, store.Options{Dir: r.dir, Env: r.env, Now: time.Now, Trace: &trace}))(t)
	defer s.Close()
	b := ok(history.BisectMark(ctx, s, history.MarkGood, nil))(t)
	if n := strings.Count(trace.String(), "--bisect-all"); n != 1 || len(b.Good) != 2 || b.Good[1] != *asked.Hash {
		t.Errorf("%d walks, %v:\n%s", n, b.Good, &trace)
	}
}
