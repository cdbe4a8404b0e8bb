package store_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Whatever would be refused from a remote is found where it is here: as one problem, that
// names the object.
func TestFsckFindsWhatWouldBeRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Stay"}))(t)
	roadmap := r.git("rev-parse", git.RoadmapRef)
	for _, c := range append(inTrees(), inDocuments()...) {
		in, object := c.bring(r)
		switch {
		case len(in.Branches) > 0:
			r.git("update-ref", git.BranchRef("hostile"), string(in.Branches[0].ID))
		case len(in.Roadmap) > 0:
			r.git("update-ref", git.RoadmapRef, string(in.Roadmap[0].ID))
		default:
			r.git("update-ref", git.NotesRef, string(in.Notes[0].ID))
		}
		for _, ref := range append(append(in.Branches, in.Roadmap...), in.Notes...) {
			r.git("update-ref", "-d", ref.Name)
		}
		problems, err := fsck.Run(ctx, r.open(), fsck.Options{})
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, object) || problems[0].Repair == "" {
			t.Errorf("%s: %v, %+v; want one that names %s", c.name, err, problems, object)
		}
		r.git("update-ref", git.RoadmapRef, roadmap)
		r.git("update-ref", "-d", git.BranchRef("hostile"))
		r.git("update-ref", "-d", git.NotesRef)
	}
}

// What the newest commit of a branch says of it must be what its documents say; a commit
// that --fix makes says it right. What a commit says of itself for good is not mended.
func TestFsckHoldsTrailersAgainstDocuments(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Agree", Purpose: "One\nand two"}))(t)
	ok(s.Record(ctx, []store.NewStep{{Action: "go on"}}))(t)
	ok(s.Commit(ctx, store.CommitOptions{Summary: "First"}))(t)
	ok(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "It holds ten\n"}))(t)
	tip := r.git("rev-parse", git.BranchRef("main"))
	message := r.git("show", "-s", "--format=%B", tip) + "\n"
	for line, kind := range map[string]string{
		"Context-Branch: other":             "trailers-stale",
		"Context-Status: abandoned":         "trailers-stale",
		"Context-Purpose: One":              "trailers-stale",
		"Context-Created: 2026-01-01 other": "trailers-stale",
		"Context-Commits: 7":                "trailers-stale",
		"Context-Last: Second":              "trailers-stale",
		"Context-Newest: " + firstID:        "trailers-stale",
		"Context-Newest: none":              "trailer-wrong",
		"Context-Branch: ../other":          "trailer-wrong",
		"Context-Roadmap: main 1":           "trailer-wrong",
		"Code-Commit: main":                 "trailer-wrong",
		"Context-Id: " + firstID:            "milestone-unlisted",
		"Context-Id: none":                  "milestone-unlisted",
	} {
		key, _, _ := strings.Cut(line, ":")
		said := regexp.MustCompile("(?m)^"+key+": .*\n").ReplaceAllString(message, "") + line + "\n"
		r.git("update-ref", git.BranchRef("main"), r.input([]byte(said), "commit-tree", "-p", tip, "-F", "-", tip+"^{tree}"))
		for _, fix := range []bool{false, true} {
			if kinds := r.kinds(fix); len(kinds) != 1 || kinds[0] != kind {
				t.Errorf("'%s': %v, want one %s", line, kinds, kind)
			}
		}
		want := 1
		if kind == "trailers-stale" {
			want = 0
		}
		if kinds := r.kinds(false); len(kinds) != want {
			t.Errorf("'%s', once mended: %v", line, kinds)
		}
		r.git("update-ref", git.BranchRef("main"), tip)
	}
	r.fsck()
}

// A remote that is added and fetched from while fsck looks is not one that is gone.
func TestFsckSeesNewRemotes(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Share"}))(t) // it has read the configuration
	r.git("remote", "add", "hub", "../hub")
	r.git("update-ref", "refs/context/remotes/hub/heads/main", git.BranchRef("main"))
	if problems, err := fsck.Run(ctx, s, fsck.Options{}); err != nil || len(problems) > 0 {
		t.Errorf("%v, %+v", err, problems)
	}
}
