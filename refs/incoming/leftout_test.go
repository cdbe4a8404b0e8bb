package incoming_test

import (
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
		sound, err := incoming.NewestSound(ctx, r.Open(), incoming.Tip{Ref: ref, Role: incoming.RoleBranch}, nil)
		if err != nil || string(sound) != c.parent {
			t.Errorf("%s: sound is %s, %v", c.name, sound, err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
