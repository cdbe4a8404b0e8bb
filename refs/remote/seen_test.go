package remote_test

import (
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
)

// A kill may come between the file and the refs, or take the file: neither loses a branch, nor leaves a ref.
func TestSeen(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	at := remote.Remote{Name: "a/b"}
	one := git.ID(r.Git("rev-parse", "refs/context/heads/main"))
	ref := git.SeenTracking("a/b").Of(git.BranchRef("idea"))
	read := func(kept bool, want git.ID) remote.Seen {
		t.Helper()
		seen := memtest.OK(remote.ReadSeen(ctx, s, at))(t)
		if seen.Kept("idea") != kept || seen.Branches["idea"] != want {
			t.Fatalf("idea is at '%s', kept: %v; want '%s', %v", seen.Branches["idea"], seen.Kept("idea"), want, kept)
		}
		return seen
	}
	r.Must(read(false, "").Write(ctx, s, at, map[string]git.ID{"idea": one}))
	r.Must(read(false, one).Keep(ctx, s, at, []string{"idea"}))
	r.Git("update-ref", ref, r.Git("rev-parse", "refs/context/roadmap")) // as an expunge rewrites it
	rewritten := git.ID(r.Git("rev-parse", ref))
	read(true, rewritten)

	r.Git("update-ref", "-d", ref) // killed before the refs
	r.Must(read(false, one).Keep(ctx, s, at, []string{"idea"}))
	read(true, one)

	r.Must(s.Repo().WriteStateFile(at.SeenName(), []byte("idea "+string(rewritten)+"\n"))) // a lost file, and a new one
	r.Must(read(false, rewritten).Keep(ctx, s, at, []string{"idea"}))
	r.Must(read(true, rewritten).Write(ctx, s, at, map[string]git.ID{}))
	read(false, "")
	if left := r.Git("for-each-ref", "refs/context/seen"); left != "" {
		t.Errorf("left: %s", left)
	}
}
