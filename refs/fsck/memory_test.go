package fsck_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// What the newest commit of a branch says of it must be what its documents say; a commit
// that --fix makes says it right. What a commit says of itself for good is not mended.
func TestFsckHoldsTrailersAgainstDocuments(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Agree", Purpose: "One\nand two"}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "go on"}}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "First"}))(t)
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "It holds ten\n"}))(t)
	tip := r.Git("rev-parse", git.BranchRef("main"))
	message := r.Git("show", "-s", "--format=%B", tip) + "\n"
	for line, kind := range map[string]string{
		"Context-Branch: other":                "trailers-stale",
		"Context-Status: abandoned":            "trailers-stale",
		"Context-Purpose: One":                 "trailers-stale",
		"Context-Created: 2026-01-01 other":    "trailers-stale",
		"Context-Commits: 7":                   "trailers-stale",
		"Context-Last: Second":                 "trailers-stale",
		"Context-Newest: " + memtest.UnknownID: "trailers-stale",
		"Context-Newest: none":                 "trailer-wrong",
		"Context-Branch: ../other":             "trailer-wrong",
		"Context-Roadmap: main 1":              "trailer-wrong",
		"Code-Commit: main":                    "trailer-wrong",
		"Context-Id: " + memtest.UnknownID:     "milestone-unlisted",
		"Context-Id: none":                     "milestone-unlisted",
	} {
		key, _, _ := strings.Cut(line, ":")
		said := regexp.MustCompile("(?m)^"+key+": .*\n").ReplaceAllString(message, "") + line + "\n"
		r.Git("update-ref", git.BranchRef("main"), r.Input([]byte(said), "commit-tree", "-p", tip, "-F", "-", tip+"^{tree}"))
		for _, fix := range []bool{false, true} {
			if kinds := kinds(r, fix); len(kinds) != 1 || kinds[0] != kind {
				t.Errorf("'%s': %v, want one %s", line, kinds, kind)
			}
		}
		want := 1
		if kind == "trailers-stale" {
			want = 0
		}
		if kinds := kinds(r, false); len(kinds) != want {
			t.Errorf("'%s', once mended: %v", line, kinds)
		}
		r.Git("update-ref", git.BranchRef("main"), tip)
	}
	r.Fsck()
}

// A remote that is added and fetched from while fsck looks is not one that is gone.
func TestFsckSeesNewRemotes(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Share"}))(t) // it has read the configuration
	r.Git("remote", "add", "hub", "../hub")
	r.Git("update-ref", "refs/context/remotes/hub/heads/main", git.BranchRef("main"))
	if problems, err := fsck.Run(ctx, s, fsck.Options{}); err != nil || len(problems) > 0 {
		t.Errorf("%v, %+v", err, problems)
	}
}
