package code_test

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Links go into the note of a code commit once each, are carried to what takes its
// place, and leave alone what others wrote there.
func TestLinks(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	coded := func(message string) git.ID {
		r.Git("commit", "-q", "--allow-empty", "-m", message)
		return git.ID(r.Git("rev-parse", "HEAD"))
	}
	one, two, both, plain, here := coded("one"), coded("two"), coded("both"), coded("plain"), coded("here")
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Git("notes", "--ref=context", "add", "-m", "by hand", string(one))
	first := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "First"}))(t)
	second := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Second"}))(t)
	for range 2 {
		for at, rev := range map[git.ID]string{one: first.ID, two: string(second.Commit)} {
			if err := code.Link(ctx, s, store.Writer{}, at, rev); err != nil {
				t.Fatal(err)
			}
		}
	}
	n := memtest.OK(code.CarryLinks(ctx, s, store.Writer{}, []code.Rewritten{{Old: one, New: both}, {Old: two, New: both}, {Old: plain, New: one}}))(t)
	if n != 1 {
		t.Errorf("%d commits gained a link, want 1", n)
	}
	note := func(code git.ID) string { return r.Git("notes", "--ref=context", "show", string(code)) }
	for _, c := range []struct {
		code   git.ID
		linked []store.CommitResult
		lines  int
	}{{one, []store.CommitResult{first}, 3}, {two, []store.CommitResult{second}, 2}, {both, []store.CommitResult{first, second}, 4}} {
		text := note(c.code)
		if n := len(strings.Split(text, "\n")); n != c.lines {
			t.Errorf("the note of %s has %d lines, want %d:\n%s", c.code, n, c.lines, text)
		}
		for _, m := range c.linked {
			for _, want := range []string{`"memory":"` + string(m.Commit) + `","milestone":"` + m.ID + `"`, "Context: " + m.ID + " " + m.Summary + " (main)"} {
				if !strings.Contains(text, want) {
					t.Errorf("the note of %s lacks %s:\n%s", c.code, want, text)
				}
			}
		}
	}
	if !strings.HasPrefix(note(one), "by hand\n") {
		t.Errorf("what others wrote is gone:\n%s", note(one))
	}
	if n := memtest.OK(code.CarryLinks(ctx, s, store.Writer{}, []code.Rewritten{{Old: one, New: both}}))(t); n != 0 {
		t.Errorf("carried twice, %d commits gained a link", n)
	}
	// What was made on a commit goes with it too, though its trailer stays.
	there := coded("there")
	for _, want := range []int{1, 0} {
		if n := memtest.OK(code.CarryLinks(ctx, s, store.Writer{}, []code.Rewritten{{Old: here, New: there}}))(t); n != want {
			t.Errorf("%d commits gained a link, want %d", n, want)
		}
	}
	if text := note(there); strings.Count(text, "Context: ") != 2 {
		t.Errorf("two milestones were made on it:\n%s", text)
	}
	r.Fsck()
}

// A link follows one of the largest id there is, after which no id is valid.
func TestLinkAfterTheLargestID(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	r.Git("commit", "-q", "--allow-empty", "-m", "one")
	one := git.ID(r.Git("rev-parse", "HEAD"))
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	m := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "First"}))(t)
	r.Git("notes", "--ref=context", "add", "-m", `{"v":1,"id":"76EZ91ZPZZZZZZZZZZZZZZZZZZ","kind":"link","time":"2026-11-29T14:07:33Z",`+
		`"memory":"`+strings.Repeat("0", len(one))+`","branch":"main"}`, string(one))
	if err := code.Link(ctx, s, store.Writer{}, one, m.ID); err != nil {
		t.Fatal(err)
	}
	links := memtest.OK(code.LinksOf(ctx, s, one))(t)
	if len(links) != 2 || links[1].Memory != m.Commit {
		t.Errorf("links %+v, want that of %s last", links, m.Commit)
	}
}
