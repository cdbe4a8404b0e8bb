package git

import (
	"strings"
	"testing"
)

func TestFetchedTo(t *testing.T) {
	for _, c := range []struct{ refspec, ref, want string }{
		{"+refs/context/heads/*:refs/context/remotes/o/heads/*", "refs/context/heads/a/b", "refs/context/remotes/o/heads/a/b"},
		{"refs/context/roadmap*:refs/context/remotes/o/roadmap*", "refs/context/roadmap", "refs/context/remotes/o/roadmap"},
		{"+refs/x/a*z:refs/y/*", "refs/x/abcz", "refs/y/bc"},
		{"+refs/x/a*z:refs/y/*", "refs/x/ab", ""},
		{"+refs/x/a:refs/y/b", "refs/x/a", "refs/y/b"},
		{"+refs/x/a:refs/y/b", "refs/x/ab", ""},
		{"^refs/x/a", "refs/x/a", ""},
	} {
		got, ok := fetchedTo(c.refspec, c.ref)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s brings %s to %q, %v; want %q", c.refspec, c.ref, got, ok, c.want)
		}
	}
}

// What CanHold says is what git finds, at the limit and beyond it.
func TestCanHold(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	id := commit(t, r, "one")
	limit := 0
	for _, name := range []string{
		"refs/x/" + strings.Repeat("y", 250), "refs/x/" + strings.Repeat("y", 251),
		"refs/x/" + strings.Repeat("y", 255) + "/z", "refs/x/" + strings.Repeat("y", 256) + "/z",
		"refs/x" + strings.Repeat("/"+strings.Repeat("y", 99), 30), "refs/x" + strings.Repeat("/"+strings.Repeat("y", 99), 45), "refs/" + strings.Repeat("y", 5000),
	} {
		_, err := r.RunInput(t.Context(), []byte("create "+name+" "+string(id)+"\n"), "update-ref", "--stdin")
		if got := r.CanHold(t.Context(), name); got != (err == nil) {
			t.Errorf("CanHold of a name of %d bytes: %v; git: %v", len(name), got, err)
		}
		if err != nil {
			limit++
		}
	}
	if limit == 0 {
		t.Error("git took every name")
	}
}

// Refspecs may be longer than the system allows for arguments: a remote decides how long names are, and how many.
func TestFetchManyRefspecs(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	push(t, r, PushUpdate{id, mainRef})
	s.Git("", "init", "-q", "r2")
	r2 := s.open("r2")
	specs := FetchRefspecs("o")
	for range 3 {
		specs = append(specs, "^refs/context/heads/"+strings.Repeat("y", 60_000))
	}
	must(t, r2.Fetch(t.Context(), FetchOptions{Remote: s.Path("server.git"), Refspecs: specs}))
	if got := s.Git("r2", "rev-parse", trackedRef); got != string(id) {
		t.Errorf("fetched %s, want %s", got, id)
	}
}
