package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

func TestTagNames(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 3)
	ctx := t.Context()
	r.Tag("success/best", m[1])
	r.Tag("success/a/b", m[0])
	r.Tag("old", "main~2")
	for _, c := range []struct {
		patterns, want string
	}{
		{"", "old success/a/b success/best"},
		{"success/*", "success/a/b success/best"},
		{"success", ""},
		{"?ld *best", "old success/best"},
		{"[^s]*", "old"},
	} {
		var names []string
		for _, tag := range memtest.OK(r.Open().Tags(ctx, strings.Fields(c.patterns)...))(t) {
			names = append(names, tag.Name)
			if tag.ID == "" || tag.Branch != "main" || !slices.Contains(m, string(tag.Commit)) || tag.Summary[0] != 'm' {
				t.Errorf("%+v", tag)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q: %s", c.patterns, got)
		}
	}
	_, err := r.Open().Tags(ctx, "[x")
	memtest.ErrorCode(t, err, "pattern-invalid")
	for name, code := range map[string]string{"success": "tag-exists", "old/x": "tag-exists", "OLD": "tag-exists", "old": "tag-exists",
		"success/*": "tag-name", "-x": "tag-name"} {
		_, err := r.Open().SetTag(ctx, store.Writer{}, name, m[2])
		memtest.ErrorCode(t, err, code)
	}
	if ch := r.Tag("main", m[0]); len(ch.Warnings) != 1 {
		t.Errorf("a branch's name: %+v", ch)
	}
	// Revisions begin at a tag too; what is a branch as well is the branch.
	for rev, want := range map[string]string{"success/best": m[1], "success/best~1": m[0], "main": m[2]} {
		if c := memtest.OK(history.Find(ctx, r.Open(), rev))(t); string(*c.Hash) != want {
			t.Errorf("%s is %s", rev, c.Summary)
		}
	}
	b := memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "again", From: "success/best", NoSwitch: true}))(t)
	if b.Commits != 1 && b.Name != "again" {
		t.Errorf("%+v", b)
	}
}
