package incoming_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A commit may name an entry that it lacks only where it lacks entries of its history, and only by an id that could be one.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	for _, summary := range []string{"First", "Second"} {
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: summary}))(t)
	}
	tip := r.Git("rev-parse", git.BranchRef("main"))
	first := r.Git("show", "-s", "--format=%(trailers:key=Context-Id,valueonly)", tip+"~1")
	own := r.Git("show", "-s", "--format=%(trailers:key=Context-Id,valueonly)", tip)
	future, err := doc.NextID(time.Now().Add(48*time.Hour), "")
	if err != nil {
		t.Fatal(err)
	}
	newer, err := doc.NextID(time.Now(), own)
	if err != nil {
		t.Fatal(err)
	}
	empty, older, full := makeTree(r), tip+"~1^{tree}", tip+"^{tree}"
	bare := r.Git("commit-tree", "-p", tip, "-m", "Tidy", older)
	for _, c := range []struct {
		name, tree, parent, id string
		refused                string
	}{
		{"nothing, and the id of the tip", empty, tip, own, ""},
		{"nothing, and another id", empty, tip, memtest.UnknownID, ""},
		{"the tree before, and the id of the tip", older, tip, own, ""},
		{"the same after a commit without an id", older, bare, own, ""},
		{"everything, and another id", full, tip, newer, "does not end with the entry"},
		{"everything, and an older id", full, tip, first, "does not end with the entry"},
		{"nothing, and no id", empty, tip, "none", "it has no commit.md"},
		{"nothing, and an id ahead of the clock", empty, tip, future, "it has no commit.md"},
		{"nothing, and nothing before", empty, "", own, "it has no commit.md"},
	} {
		args := []string{"commit-tree", c.tree, "-m", "x\n\nContext-Id: " + c.id}
		if c.parent != "" {
			args = append(args, "-p", c.parent)
		}
		ref := git.Ref{Name: hostileRef, ID: git.ID(r.Git(args...))}
		err := incoming.Check(ctx, r.Open(), incoming.Refs{Branches: []git.Ref{ref}})
		if said := strings.Contains(errorText(err), c.refused); err == nil != (c.refused == "") || !said {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.refused == "" || c.parent == "" {
			continue
		}
		sound, err := incoming.SoundBelow(ctx, r.Open(), incoming.Tip{Ref: ref, Role: incoming.RoleBranch}, nil)
		if err != nil || len(sound.Tips) != 1 || string(sound.Tips[0]) != c.parent || sound.Ahead {
			t.Errorf("%s: sound is %v, %v", c.name, sound, err)
		}
	}
}

// What is sound below a refused commit: all that it leads to, if that is several lines; not what another one leads to; and nothing
// where an object is missing, which may be here alone.
func TestSoundBelow(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "First"}))(t)
	tip := r.Git("rev-parse", git.BranchRef("main"))
	alone := r.Git("commit-tree", "-m", "alone", makeTree(r))
	link := makeTree(r, "120000 log.md "+r.Blob("x"))
	below := func(tree, message string, parents ...string) (string, incoming.Sound, error) {
		args := []string{"commit-tree", "-m", message, tree}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		id := r.Git(args...)
		sound, err := incoming.SoundBelow(ctx, r.Open(), incoming.Tip{Ref: git.Ref{Name: hostileRef, ID: git.ID(id)}, Role: incoming.RoleBranch}, nil)
		return id, sound, err
	}
	first, _, _ := below(link, "x", tip)
	future, err := doc.NextID(time.Now().Add(48*time.Hour), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, tree, message string
		parents, want       []string
	}{
		{"a commit on a bad one", link, "x", []string{first}, []string{tip}},
		{"a sound tree on a bad one", tip + "^{tree}", "x", []string{first}, []string{tip}},
		{"two lines", link, "x", []string{alone, tip}, []string{alone, tip}},
		{"one that the other leads to", link, "x", []string{tip + "~1", tip}, []string{tip}},
		{"none", link, "x", nil, nil},
		{"ahead", tip + "^{tree}", "x\n\nContext-Newest: " + future, []string{tip}, []string{tip}},
	} {
		_, sound, err := below(c.tree, c.message, c.parents...)
		var got []string
		for _, id := range sound.Tips {
			got = append(got, string(id))
		}
		if err != nil || !slices.Equal(got, c.want) || sound.Ahead != (c.name == "ahead") {
			t.Errorf("%s: %v, %v", c.name, sound, err)
		}
	}
	if _, sound, err := below(makeTree(r, "100644 log.md "+strings.Repeat("ab", len(tip)/2)), "x", tip); err == nil {
		t.Errorf("a missing object: %v", sound)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
