package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

// A log's milestones are read in full, over sealed segments and the birth of a
// branch, few of them or all, each as it is read alone.
func TestLogCommits(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx := t.Context()
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{Goal: "g"}))(t)
	s := r.Open("main")
	half := 0.5
	for i := range 24 {
		o := store.CommitOptions{Summary: fmt.Sprintf("Milestone %d", i), Contribution: strings.Repeat("what it brought\n", 60), Writer: store.Writer{Agent: "ann"}}
		if i%10 == 3 {
			o.Judging = store.Judgement{Score: &half, Outcome: "success", Tags: []store.NoteTag{{Key: "n", Value: fmt.Sprint(i)}}}
		}
		if i == 20 {
			memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "try", Purpose: "An idea"}))(t)
			s = r.Open("try")
		}
		memtest.OK(s.Commit(ctx, o))(t)
	}
	memtest.OK(s.SetTag(ctx, store.Writer{}, "success/tagged", "main~8"))(t)
	for _, c := range []struct {
		name string
		o    history.LogOptions
		want int
	}{
		{"all", history.LogOptions{Most: -1}, 24},
		{"of main", history.LogOptions{Revs: []string{"main"}, Most: 7}, 7},
		{"few", history.LogOptions{Filter: history.Filter{Outcome: "success"}, Most: -1}, 4},
		{"scored", history.LogOptions{Filter: history.Filter{MinScore: &half}, Most: 2, All: true}, 2},
		{"nobody's", history.LogOptions{Agent: "an", Most: -1}, 0},
		{"none", history.LogOptions{Most: 0}, 0},
		{"oldest first", history.LogOptions{Most: 3, Arguments: history.Arguments{Reverse: true}}, 3},
	} {
		c.o.Judged = true
		log := memtest.OK(history.Log(ctx, s, c.o))(t)
		got := memtest.OK(history.LogCommits(ctx, s, log.Commits))(t)
		if len(got) != c.want {
			t.Errorf("%s: %d milestones", c.name, len(got))
		}
		for i, m := range got {
			want := memtest.OK(history.Find(ctx, s, string(log.Commits[i].Commit)))(t)
			if diff := cmp.Diff(want, m); diff != "" {
				t.Errorf("%s, %s: -alone +in the log:\n%s", c.name, want.Summary, diff)
			}
		}
		if c.o.Arguments.Reverse && (got[0].Summary != "Milestone 21" || got[2].Summary != "Milestone 23") {
			t.Errorf("%s: %s to %s", c.name, got[0].Summary, got[2].Summary)
		}
	}
}

// Whatever a name is, git is given nothing but hashes.
func TestLogNames(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx := t.Context()
	s := r.Open()
	if _, err := history.Log(ctx, s, history.LogOptions{Most: -1}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("without memory: %v", err)
	}
	if _, err := history.Log(ctx, s, history.LogOptions{Most: -1, All: true}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("all, without memory: %v", err)
	}
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "g"}))(t)
	if log := memtest.OK(history.Log(ctx, s, history.LogOptions{Most: -1}))(t); len(log.Commits) > 0 {
		t.Errorf("a birth is listed: %v", log)
	}
	for _, name := range []string{"--output=x", "^--all", "nope", "main..nope", "nope...main", "main...main...main", "^", "main^!", "main^@", ":/Start", "main:commit.md", "main\nmain"} {
		_, err := history.Log(ctx, s, history.LogOptions{Revs: []string{name}, Most: -1})
		var said *fail.Error
		if !errors.As(err, &said) || !errors.Is(err, fail.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
		if _, _, err := history.DiffEnds(ctx, s, name, ""); err == nil {
			t.Errorf("diff %q", name)
		}
	}
}
