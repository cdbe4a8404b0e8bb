package store_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/deinit"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// Names that are checked together are refused as they would be if each were made before the next is checked.
func TestNewNamesIsCheckNewName(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	s := r.Open()
	made := []string{"main"}
	for _, name := range []string{"a/b", "Kk"} {
		memtest.OK(s.CreateBranch(t.Context(), store.BranchOptions{Name: name, NoSwitch: true}))(t)
		made = append(made, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[aAkK~]{1,2}(/[bB.]{1,2})?`), 1, 5, rapid.ID).Draw(t, "names")
		free, err := s.NewNames(t.Context(), git.BranchPrefix, names)
		if err != nil {
			t.Fatal(err)
		}
		have := made
		for _, name := range names {
			want := store.CheckBranchName(name) != nil
			for _, other := range have {
				want = want || other == name || store.NameClash(other, name) != ""
			}
			if got := !free[name]; got != want {
				t.Fatalf("'%s' beside %q: refused is %v", name, have, got)
			}
			if !want {
				have = append(have[:len(have):len(have)], name)
			}
		}
	})
}

// A branch that was to start from memory which is removed meanwhile is not made: it would bring all of it back.
func TestBirthBesideDeinit(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	s, ctx := r.Open(), t.Context()
	from := memtest.OK(s.Tip(ctx, "main"))(t)
	roadmap := memtest.OK(s.RoadmapTip(ctx))(t)
	tx := memtest.OK(s.Begin(ctx, store.Writer{}, "branch: late", "late"))(t)
	defer tx.Close()
	memtest.OK(tx.WriteBirth(ctx, store.Birth{Name: "late", From: from, Roadmap: roadmap}))(t)
	memtest.OK(deinit.Run(ctx, r.Open(), deinit.Options{}))(t)
	if err := tx.Commit(ctx); !errors.Is(err, git.ErrStale) {
		t.Errorf("%v, want it to be stale", err)
	}
	if left := r.Git("for-each-ref", "refs/context"); left != "" {
		t.Errorf("left %s", left)
	}
}

// The roadmap that a birth names is looked at, and neither moves nor gets an entry in its reflog.
func TestBirthLeavesRoadmap(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	before := r.Git("reflog", "show", "refs/context/roadmap")
	memtest.OK(r.Open().CreateBranch(t.Context(), store.BranchOptions{Name: "idea", NoSwitch: true}))(t)
	if after := r.Git("reflog", "show", "refs/context/roadmap"); after != before {
		t.Errorf("reflog of the roadmap:\n%s\nbecame\n%s", before, after)
	}
}

// The same of a tag, which would keep what it names.
func TestTagBesideDeinit(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	s, ctx := r.Open(), t.Context()
	at := memtest.OK(s.Tip(ctx, "main"))(t).Commit().ID
	tx := memtest.OK(s.Begin(ctx, store.Writer{}, "tag: late"))(t)
	defer tx.Close()
	r.Must(tx.StillMemory(ctx))
	tx.Refs.Update(git.TagRef("late"), at, "")
	memtest.OK(deinit.Run(ctx, r.Open(), deinit.Options{}))(t)
	if err := tx.Commit(ctx); !errors.Is(err, git.ErrStale) {
		t.Errorf("%v, want it to be stale", err)
	}
	if err := tx.StillMemory(ctx); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("after it: %v", err)
	}
	if left := r.Git("for-each-ref", "refs/context"); left != "" {
		t.Errorf("left %s", left)
	}
}
