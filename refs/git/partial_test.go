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
	s.git("r", "config", "uploadpack.allowFilter", "true")
	s.git("", "clone", "-q", "--bare", "--filter=tree:0", "file://"+s.path("r"), "c")
	must(t, os.Rename(s.path("r"), s.path("away"))) // a fetch would fail
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
	s.git("", "init", "-q", "origin")
	s.write("origin/f", "promised")
	s.git("origin", "add", "f")
	s.git("origin", "commit", "-qm", "one")
	s.git("origin", "config", "uploadpack.allowFilter", "true")
	s.git("", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+s.path("origin"), "partial")
	return s
}

func TestPromisedObjects(t *testing.T) {
	s := newPartial(t)
	r := s.open("partial")
	if got := string(ok(r.Object(t.Context(), "HEAD:f"))(t).Data); got != "promised" {
		t.Errorf("got %q", got)
	}
}
