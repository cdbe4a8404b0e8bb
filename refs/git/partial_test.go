package git

import (
	"os"
	"slices"
	"testing"
)

// git's own fsck takes commits that were promised for unreachable.
func TestUnreachablePartialClone(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	one := commit(t, r, "one")
	two := commit(t, r, "two", one)
	must(t, move(t, r, "refs/heads/trunk", two, ""))
	s.Git("r", "config", "uploadpack.allowFilter", "true")
	s.Git("", "clone", "-q", "--bare", "--filter=tree:0", "file://"+s.Path("r"), "c")
	must(t, os.Rename(s.Path("r"), s.Path("away"))) // a fetch would fail
	c := s.open("c")
	three := commit(t, c, "three", two)
	must(t, move(t, c, "refs/heads/trunk", three, two))
	must(t, move(t, c, "refs/heads/trunk", two, three))
	ids := ok(c.Unreachable(t.Context()))(t)
	if !slices.Contains(ids, three) || slices.Contains(ids, two) || slices.Contains(ids, one) {
		t.Errorf("unreachable: %v; want %s, not %s or %s", ids, three, two, one)
	}
}

// newPartial has a repository 'origin', and its clone 'partial' that lacks the one blob.
func newPartial(t *testing.T) *sandbox {
	t.Helper()
	s := newSandbox(t)
	s.Git("", "init", "-q", "origin")
	s.Write("origin/f", "promised")
	s.Git("origin", "add", "f")
	s.Git("origin", "commit", "-qm", "one")
	s.Git("origin", "config", "uploadpack.allowFilter", "true")
	s.Git("", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+s.Path("origin"), "partial")
	return s
}

func TestPromisedObjects(t *testing.T) {
	s := newPartial(t)
	r := s.open("partial")
	if got := string(ok(r.Object(t.Context(), "HEAD:f"))(t).Data); got != "promised" {
		t.Errorf("got %q", got)
	}
}
