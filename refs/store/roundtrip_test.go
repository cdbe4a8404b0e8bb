package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"pgregory.net/rapid"
)

// Any text in any field comes back byte for byte, through the journal, the
// documents and git.
func TestTextsComeBackExactly(t *testing.T) {
	r := memtest.New(t)
	r.Git("config", "context.textLimit", "16m") // with one more character, some are longer than the default
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	for _, h := range memtest.OddTexts() {
		trip(t, s, [5]string{h, h, h, h, h})
	}
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom(memtest.OddTexts()))
	rapid.Check(t, func(t *rapid.T) {
		trip(t, s, [5]string{text.Draw(t, "observation"), text.Draw(t, "thought"), text.Draw(t, "action"),
			text.Draw(t, "contribution"), text.Draw(t, "progress")})
	})
	r.Fsck()
}

// trip records and commits texts and reads them back, before and after.
func trip(t interface {
	Helper()
	Context() context.Context
	Fatal(...any)
	Fatalf(string, ...any)
}, s *refs.Store, texts [5]string) {
	t.Helper()
	ctx := t.Context()
	step := store.NewStep{Observation: texts[0], Thought: texts[1], Action: texts[2] + "."}
	if _, err := s.Record(ctx, []store.NewStep{step}); err != nil {
		t.Fatal(err)
	}
	check := func(where string) *store.Tip {
		tip, err1 := s.Tip(ctx, "main")
		steps, _, err2 := history.Steps(ctx, s, tip, 0, 1)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if got := steps[0]; got.Observation != clean(texts[0]) || got.Thought != clean(texts[1]) || got.Action != clean(texts[2])+"." {
			t.Fatalf("%s: %.300q came back as %.300q", where, texts, []string{got.Observation, got.Thought, got.Action})
		}
		return tip
	}
	check("pending")
	res, err := s.Commit(ctx, store.CommitOptions{Summary: "Round trip", Contribution: texts[3], Progress: texts[4]})
	if err != nil {
		t.Fatal(err)
	}
	check("committed")
	m, err := history.Find(ctx, s, string(res.Commit))
	if err != nil {
		t.Fatal(err)
	}
	if texts[3] == "" {
		texts[3] = "Round trip"
	}
	if m.Contribution != clean(texts[3]) || texts[4] != "" && m.Progress != clean(texts[4]) || m.ID != res.ID {
		t.Fatalf("milestone %s: %.300q came back as %.300q, %.300q", res.ID, texts[3:], m.Contribution, m.Progress)
	}
}

// clean is what the door makes of a text: NUL cannot stand in a commit.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "\ufffd") }
