package incoming_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
)

// signing returns a repository with a key that is trusted, and what makes a commit with arguments of git commit-tree.
func signing(t *testing.T) (*memtest.Repo, func(name string, args ...string) git.ID) {
	r := memtest.New(t)
	r.TrustKey()
	tree := r.Git("mktree", "--missing")
	return r, func(name string, args ...string) git.ID {
		return git.ID(r.Git(append([]string{"commit-tree", "-m", name, tree}, args...)...))
	}
}

// Of forty unsigned parents of one merge, which one push can bring by the thousand, a few are verified: the first of them
// decides. What another tip leads to is verified all the same.
func TestSignaturesSideBySide(t *testing.T) {
	t.Parallel()
	r, commit := signing(t)
	ours := commit("ours")
	r.Git("update-ref", "refs/context/heads/main", string(ours))
	var parents []string
	for n := range 40 {
		parents = append(parents, "-p", string(commit(fmt.Sprint("side ", n), "-p", string(ours))))
	}
	join := commit("join", append([]string{"-S"}, parents...)...)
	good := commit("good", "-S", "-p", string(ours))
	flawed := commit("flawed", "-p", string(good))

	s, ctx := r.Open(), t.Context()
	g := incoming.NewSignatures()
	r.Must(g.Check(ctx, s, []git.ID{join, good, flawed}, false))
	if g.First(join) == nil || g.First(good) != nil || g.First(flawed) == nil || g.First(flawed).ID != flawed {
		t.Errorf("first: %v %v %v", g.First(join), g.First(good), g.First(flawed))
	}
	texts := g.Warnings()
	if len(texts) != 1 {
		t.Fatalf("warnings %q", texts)
	}
	_, said, _ := strings.Cut(texts[0], "(the first of ")
	if count, err := strconv.Atoi(strings.TrimSuffix(said, ")")); err != nil || count >= 40 {
		t.Errorf("warning %q, want fewer than 40", texts[0])
	}
}

// The first flaw of each tip is found through merges; what descends from it is only verified if
// all are asked for; and nothing is verified twice.
func TestSignatures(t *testing.T) {
	t.Parallel()
	r, commit := signing(t)
	ours := commit("ours")
	r.Git("update-ref", "refs/context/heads/main", string(ours))
	good := commit("good", "-S", "-p", string(ours))
	bad := commit("bad", "-p", string(good))
	above := commit("above", "-p", string(bad))
	join := commit("join", "-S", "-p", string(good), "-p", string(above))
	tips := []git.ID{ours, good, join}

	s, ctx := r.Open(), t.Context()
	few, all := incoming.NewSignatures(), incoming.NewSignatures()
	r.Must(few.Check(ctx, s, tips, false))
	r.Must(all.Check(ctx, s, tips, true))
	for _, g := range []*incoming.Signatures{few, all} {
		if g.First(ours) != nil || g.First(good) != nil || g.First(join) == nil || g.First(join).ID != bad {
			t.Errorf("first: %v %v %v, want the last to be %s", g.First(ours), g.First(good), g.First(join), bad)
		}
	}
	if texts := all.Warnings(); len(texts) != 1 || !strings.Contains(texts[0], bad.Short()) ||
		!strings.HasSuffix(texts[0], " is not signed (the first of 2)") {
		t.Errorf("warnings %q", texts)
	}

	next := commit("next", "-p", string(good))
	r.Git("config", "gpg.ssh.program", "/nowhere/ssh-keygen") // so that what is verified now cannot be
	s = r.Open()
	r.Must(few.Check(ctx, s, []git.ID{next, good}, false))
	if few.First(good) != nil || few.First(next) == nil || few.First(next).ID != next {
		t.Errorf("again: %v, %v", few.First(good), few.First(next))
	}
}
