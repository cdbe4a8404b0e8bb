package history_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// blamed is a blame as "agent in milestone: text" lines.
func blamed(r *memtest.Repo, t *testing.T, branch, key, rev string) string {
	t.Helper()
	b := memtest.OK(history.Blame(t.Context(), r.Open(branch), key, rev))(t)
	var all strings.Builder
	for i, l := range b.Lines {
		stone := "-"
		if l.Entry != nil {
			stone = l.Entry.Summary
		}
		if l.Line != i+1 || l.Time.IsZero() || len(l.Commit) < 40 {
			t.Errorf("line %d: %+v", i+1, l)
		}
		fmt.Fprintf(&all, "%s in %s: %s\n", l.Agent, stone, l.Text)
	}
	return all.String()
}

// Each line is whose it was first, across merges, and stands in the first
// milestone after it; what the code's settings say is of no account.
func TestBlameTopic(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx := t.Context()
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{Goal: "g"}))(t)
	// Everything that makes a `git blame` of code speak otherwise.
	first := r.Teach("", "ann", "pool", "one\nall two of them\nthree")
	r.Commit("main", "First")
	second := r.Teach("", "bob", "pool", "one\nall 2 of them\nthree\nfour")
	for name, text := range map[string]string{
		".git/info/attributes": "*.md diff=upper -text\n",
		"ignored":              string(second.Commit) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r.Git("config", "diff.upper.textconv", "tr a-z A-Z <")
	r.Git("config", "blame.ignoreRevsFile", "ignored")
	r.Git("config", "--add", "blame.ignoreRevsFile", "not/there")
	r.Git("config", "--add", "blame.ignoreRevsFile", filepath.Join(r.Dir, "ignored"))
	r.Git("config", "blame.showEmail", "true")
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	r.Teach("exp", "cat", "pool", "one\nall 2 of them\nthree\nfour\nfive\n")
	r.Commit("exp", "On exp")
	r.Teach("main", "dan", "pool", "zero\none\nall 2 of them\nthree\nfour")
	memtest.OK(merge.Merge(ctx, r.Open(), store.MergeOptions{Source: "exp", Summary: "Merged", Prefer: merge.SettleUnion}))(t)

	want := "dan in Merged: zero\nann in First: one\nbob in On exp: all 2 of them\nann in First: three\nbob in On exp: four\ncat in On exp: five\n"
	if got := blamed(r, t, "main", "pool", ""); got != want {
		t.Errorf("after the merge:\n%s", got)
	}
	if got, want := blamed(r, t, "main", "pool", string(first.Commit)), "ann in -: one\nann in -: all two of them\nann in -: three\n"; got != want {
		t.Errorf("before it was in a milestone:\n%s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "git-context-*", "not")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBlameWhatIsNot(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx := t.Context()
	if _, err := history.Blame(ctx, r.Open(), "pool", ""); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("without memory: %v", err)
	}
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{Goal: "g"}))(t)
	r.Teach("", "ann", "pool", "one")
	gone := memtest.OK(r.Open().Forget(ctx, store.Writer{Agent: "bob"}, "pool"))(t)
	r.Commit("main", "First")
	_, err := history.Blame(ctx, r.Open(), "pool", "")
	var said *fail.Error
	if !errors.As(err, &said) || said.Code != "topic-forgotten" || !strings.Contains(said.Message, "by bob at ") {
		t.Fatalf("a forgotten topic: %v", err)
	}
	// The hint is a command that shows it.
	words := strings.Fields(said.Hints[0])
	if got := blamed(r, t, "main", words[3], words[4]); got != "ann in First: one\n" && got != "ann in -: one\n" {
		t.Errorf("%s: %s", said.Hints[0], got)
	}
	if _, err := history.Blame(ctx, r.Open(), "poll", ""); !errors.As(err, &said) || said.Code != "topic-not-found" {
		t.Errorf("a topic that never was: %v", err)
	}
	// Taken up again it is whose it is now.
	r.Teach("", "cat", "pool", "one")
	if got := blamed(r, t, "main", "pool", ""); got != "cat in -: one\n" {
		t.Errorf("taken up again: %s", got)
	}
	if b := memtest.OK(history.Blame(ctx, r.Open(), "pool", string(gone.Commit)+"~"))(t); b.Lines[0].Agent != "ann" || b.Branch != "main" {
		t.Errorf("before: %+v", b)
	}
}

// The documents of a branch and the roadmap can be blamed too, unless a topic has
// their name.
func TestBlameDocuments(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx := t.Context()
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{Goal: "g"}))(t)
	before := r.Commit("main", "First")
	r.Goal("Another")
	if got := blamed(r, t, "main", "main.md", ""); !strings.Contains(got, "in -: Another\n") {
		t.Errorf("main.md:\n%s", got)
	}
	if got := blamed(r, t, "main", "main.md", string(before.Commit)); !strings.Contains(got, ": g\n") {
		t.Errorf("main.md as it stood:\n%s", got)
	}
	if got := blamed(r, t, "main", "metadata.yaml", ""); !strings.Contains(got, "in First:   name: main\n") {
		t.Errorf("metadata.yaml:\n%s", got)
	}
	r.Teach("", "ann", "main.md", "a topic")
	if got := blamed(r, t, "main", "main.md", ""); got != "ann in -: a topic\n" {
		t.Errorf("a topic called main.md:\n%s", got)
	}
	memtest.OK(r.Open().Remember(ctx, store.TopicOptions{Key: "empty", Supersedes: "main.md"}))(t)
	if got := blamed(r, t, "main", "empty", ""); got != "" {
		t.Errorf("an empty topic:\n%s", got)
	}
	if b := memtest.OK(history.Blame(ctx, r.Open(), "main.md", ""))(t); len(b.Warnings) != 1 {
		t.Errorf("superseded: %v", b.Warnings)
	}
}
