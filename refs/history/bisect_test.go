package history_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

func TestBisectRefuses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	empty := memtest.New(t)
	_, err := history.BisectStart(ctx, empty.Open(), "", nil)
	memtest.ErrorCode(t, err, "no-memory")
	_, err = history.BisectMark(ctx, empty.Open(), history.MarkGood, nil)
	memtest.ErrorCode(t, err, "no-memory")

	r, m := memtest.NewCommits(t, 3)
	s := r.Open()
	_, err = history.BisectMark(ctx, s, history.MarkBad, nil)
	memtest.ErrorCode(t, err, "not-bisecting")
	_, err = history.BisectStart(ctx, s, "nope", nil)
	memtest.ErrorCode(t, err, "milestone-not-found")
	_, err = history.BisectStart(ctx, s, m[0], []string{m[2]})
	memtest.ErrorCode(t, err, "bisect-contradiction")
	_, err = history.BisectStart(ctx, s, m[0], []string{m[0]})
	memtest.ErrorCode(t, err, "bisect-contradiction")
	_, err = history.Bisect(ctx, s) // nothing of these was kept
	memtest.ErrorCode(t, err, "not-bisecting")
	memtest.OK(history.BisectStart(ctx, s, "", nil))(t)
	_, err = history.BisectStart(ctx, s, "", nil)
	memtest.ErrorCode(t, err, "bisecting")
	_, err = history.BisectMark(ctx, s, history.MarkSkip, nil)
	memtest.ErrorCode(t, err, "bisect-incomplete")
	memtest.OK(history.BisectMark(ctx, s, history.MarkBad, []string{m[1]}))(t)
	_, err = history.BisectMark(ctx, s, history.MarkGood, []string{m[2]})
	memtest.ErrorCode(t, err, "bisect-contradiction")
	b := memtest.OK(history.BisectMark(ctx, s, history.MarkGood, []string{m[0]}))(t)
	if b.FirstBad == nil || string(*b.FirstBad.Hash) != m[1] || b.Next != nil || b.Left != 0 {
		t.Errorf("%+v", b)
	}
	_, err = history.BisectMark(ctx, s, history.MarkGood, nil)
	memtest.ErrorCode(t, err, "bisect-done")
	if n := len(memtest.OK(history.BisectLog(ctx, s))(t)); n != 2 {
		t.Errorf("%d marks were kept", n)
	}
}

// What went bad behind the last milestone is no milestone's fault.
func TestBisectBehindTheLastMilestone(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 2)
	ctx := t.Context()
	r.Teach("", "ann", "pool", "wrong")
	s := r.Open()
	b := memtest.OK(history.BisectStart(ctx, s, "main", []string{m[0]}))(t)
	if b.Next == nil || string(*b.Next.Hash) != m[1] {
		t.Fatalf("%+v", b)
	}
	b = memtest.OK(history.BisectMark(ctx, s, history.MarkGood, nil))(t)
	if c := b.FirstBad; c == nil || c.ID != "" || c.Summary != "Remember pool" || c.Agent != "ann" {
		t.Errorf("%+v", b.FirstBad)
	}
}

// Where good is not before bad, what both come from is tested first; if that is
// bad, the search is for what mended it.
func TestBisectTestsTheMergeBase(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 2)
	ctx := t.Context()
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	good := string(r.Commit("exp", "mended").Commit)
	bad := string(r.Commit("main", "m2").Commit)
	s := r.Open()
	b := memtest.OK(history.BisectStart(ctx, s, bad, []string{good}))(t)
	if b.Next == nil || string(*b.Next.Hash) != m[1] || !b.MergeBase {
		t.Fatalf("%+v", b)
	}
	_, err := history.BisectMark(ctx, s, history.MarkBad, nil)
	memtest.ErrorCode(t, err, "bisect-contradiction")
	b = memtest.OK(history.BisectMark(ctx, s, history.MarkSkip, nil))(t)
	if b.FirstBad == nil && b.Next == nil || len(b.Warnings) != 1 {
		t.Errorf("the base was skipped: %+v", b)
	}
	b = memtest.OK(history.BisectMark(ctx, s, history.MarkGood, []string{m[1]}))(t)
	if b.FirstBad == nil || string(*b.FirstBad.Hash) != bad || len(b.Warnings) != 0 {
		t.Errorf("the base is good: %+v", b)
	}
}

// Each worktree and branch has a bisect of its own; none touches git's.
func TestBisectIsPerWorktreeAndBranch(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 4)
	ctx := t.Context()
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	r.Git("worktree", "add", "-q", "../other")
	other := &memtest.Repo{T: t, Dir: filepath.Join(filepath.Dir(r.Dir), "other"), Env: r.Env}
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "team/exp", NoSwitch: true}))(t)
	before := r.Git("for-each-ref") + r.Git("status", "--porcelain") + r.Git("rev-parse", "HEAD")

	memtest.OK(history.BisectStart(ctx, r.Open(), m[3], []string{m[0]}))(t)
	memtest.OK(history.BisectStart(ctx, other.Open(), m[2], nil))(t)
	memtest.OK(history.BisectStart(ctx, r.Open("team/exp"), "", []string{m[1]}))(t)
	memtest.OK(history.BisectMark(ctx, r.Open(), history.MarkGood, nil))(t)
	for i, c := range []struct {
		s         *refs.Store
		good, bad int
	}{{r.Open(), 2, 3}, {other.Open(), 0, 2}, {r.Open("team/exp"), 1, -1}} {
		b := memtest.OK(history.Bisect(ctx, c.s))(t)
		if len(b.Good) != c.good || (b.Bad == nil) != (c.bad < 0) || b.Bad != nil && string(*b.Bad) != m[c.bad] {
			t.Errorf("%d: %+v", i, b)
		}
	}
	if _, was, err := history.BisectReset(ctx, other.Open()); err != nil || !was {
		t.Errorf("reset: %v, %v", was, err)
	}
	memtest.OK(history.Bisect(ctx, r.Open()))(t)
	if after := r.Git("for-each-ref") + r.Git("status", "--porcelain") + r.Git("rev-parse", "HEAD"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if left, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "BISECT*")); len(left) > 0 {
		t.Errorf("git's own: %v", left)
	}
}

// A state that cannot be used says so, and can be left.
func TestBisectStateThatIsBroken(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	r, m := memtest.NewCommits(t, 3)
	ctx := t.Context()
	memtest.OK(history.BisectStart(ctx, r.Open(), m[2], []string{m[0]}))(t)
	file := filepath.Join(r.Dir, ".git/context/bisect/main-worktree/main.json")
	data := memtest.OK(os.ReadFile(file))(t)
	for _, broken := range []string{"", "{", "[]", `{"version":9}`, string(data[:len(data)/2])} {
		if err := os.WriteFile(file, []byte(broken), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{memtest.Err(history.Bisect(ctx, r.Open())), memtest.Err(history.BisectStart(ctx, r.Open(), "", nil)),
			memtest.Err(history.BisectMark(ctx, r.Open(), history.MarkGood, nil))} {
			if said := memtest.ErrorCode(t, err, "bisect-state"); len(said.Hints) == 0 || said.Hints[0] != "git context bisect reset" {
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
		_, err := history.Bisect(ctx, r.Open())
		if id[0] != '-' {
			memtest.ErrorCode(t, err, "bisect-gone")
		}
		if err == nil {
			t.Errorf("%s was taken", id)
		}
	}
	if _, was, err := history.BisectReset(ctx, r.Open()); err != nil || !was {
		t.Errorf("reset: %v, %v", was, err)
	}
	memtest.OK(history.BisectStart(ctx, r.Open(), "", nil))(t)
}

// Marks that are made at once are all kept.
func TestBisectMarksAtOnce(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 8)
	ctx := t.Context()
	memtest.OK(history.BisectStart(ctx, r.Open(), m[7], []string{m[0]}))(t)
	var wait sync.WaitGroup
	for _, id := range m[1:7] {
		s := r.Open()
		wait.Go(func() {
			if _, err := history.BisectMark(ctx, s, history.MarkSkip, []string{id}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	b := memtest.OK(history.Bisect(ctx, r.Open()))(t)
	if len(b.Skipped) != 6 || len(b.Suspects) != 7 || b.Suspects[6] != git.ID(m[7]) || b.FirstBad != nil || b.Next != nil {
		t.Errorf("%+v", b)
	}
}

// A step looks through what is left once: told without a name, it knows what it asked.
func TestBisectWalksOnce(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 8)
	ctx := t.Context()
	asked := memtest.OK(history.BisectStart(ctx, r.Open(), m[7], []string{m[0]}))(t).Next
	var trace strings.Builder
	s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Trace: &trace}))(t)
	defer s.Close()
	b := memtest.OK(history.BisectMark(ctx, s, history.MarkGood, nil))(t)
	if n := strings.Count(trace.String(), "--bisect-all"); n != 1 || len(b.Good) != 2 || b.Good[1] != *asked.Hash {
		t.Errorf("%d walks, %v:\n%s", n, b.Good, &trace)
	}
}

// A bisect belongs to its branch: it goes where that goes, in every worktree, and
// ends with it.
func TestBisectFollowsItsBranch(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 3)
	ctx := t.Context()
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	r.Git("worktree", "add", "-q", "../other")
	linked := &memtest.Repo{T: t, Dir: filepath.Join(filepath.Dir(r.Dir), "other"), Env: r.Env}
	make := func(name string) {
		t.Helper()
		memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: name, NoSwitch: true}))(t)
	}
	none := func(branch string) {
		t.Helper()
		for _, in := range []*memtest.Repo{r, linked} {
			memtest.ErrorCode(t, memtest.Err(history.Bisect(ctx, in.Open(branch))), "not-bisecting")
		}
	}
	make("exp")
	memtest.OK(history.BisectStart(ctx, r.Open("exp"), m[2], []string{m[0]}))(t)
	memtest.OK(history.BisectStart(ctx, linked.Open("exp"), m[1], nil))(t)
	memtest.OK(r.Open().RenameBranch(ctx, "exp", "team/exp"))(t)
	if b := memtest.OK(history.Bisect(ctx, r.Open("team/exp")))(t); b.Branch != "team/exp" || b.Next == nil || string(*b.Next.Hash) != m[1] {
		t.Errorf("%+v", b)
	}
	if b := memtest.OK(history.BisectMark(ctx, linked.Open("team/exp"), history.MarkGood, []string{m[0]}))(t); b.FirstBad == nil || string(*b.FirstBad.Hash) != m[1] {
		t.Errorf("%+v", b)
	}
	make("exp")
	none("exp")

	if _, err := r.Open().DeleteBranch(ctx, "team/exp", true); err != nil {
		t.Fatal(err)
	}
	memtest.OK(r.Open().RestoreBranch(ctx, "team/exp"))(t)
	none("team/exp")

	// What a crash, or another tool, leaves is no later branch's.
	for _, again := range []func(){
		func() { make("exp") },
		func() { memtest.OK(r.Open().RenameBranch(ctx, "team/exp", "exp"))(t) },
	} {
		memtest.OK(history.BisectStart(ctx, r.Open("exp"), m[2], nil))(t)
		r.Git("update-ref", "-d", "refs/context/heads/exp")
		again()
		none("exp")
	}
}
