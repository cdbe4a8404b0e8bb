package memtest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/share"
)

// Fleet is a bare repository and clones of it that have memory. The clones exchange it
// through the Hub only.
type Fleet struct {
	T      testing.TB
	Hub    *Repo
	Clones []*Repo
}

// NewFleet makes a hub and its clones. The first clone begins the memory and pushes it, the
// others adopt it.
func NewFleet(t testing.TB, clones int) *Fleet {
	t.Helper()
	f := &Fleet{T: t, Hub: New(t, "--bare")}
	for range clones {
		f.Join(share.InitOptions{Goal: "Reach it", Todo: []string{"begin"}})
	}
	return f
}

// Join adds a clone. Only the first one uses the options, and pushes the memory that it begins.
func (f *Fleet) Join(o share.InitOptions) *Repo {
	f.T.Helper()
	r := New(f.T)
	r.Git("remote", "add", "origin", f.Hub.Dir)
	s := r.Open()
	if len(f.Clones) > 0 {
		o = share.InitOptions{}
	}
	_, err := share.Init(f.T.Context(), s, o)
	r.Must(err)
	if len(f.Clones) == 0 {
		_, err = share.Push(f.T.Context(), s, share.Options{})
		r.Must(err)
	}
	f.Clones = append(f.Clones, r)
	return r
}

// Copy copies the hub and the clones, so that a test can try two ways from the same state.
func (f *Fleet) Copy() *Fleet {
	f.T.Helper()
	move := func(r *Repo) *Repo {
		c := &Repo{T: r.T, Dir: filepath.Join(f.T.TempDir(), "code"), Env: r.Env}
		if err := os.CopyFS(c.Dir, os.DirFS(r.Dir)); err != nil {
			f.T.Fatal(err)
		}
		return c
	}
	g := &Fleet{T: f.T, Hub: move(f.Hub)}
	for _, r := range f.Clones {
		c := move(r)
		c.Git("remote", "set-url", "origin", g.Hub.Dir)
		g.Clones = append(g.Clones, c)
	}
	return g
}

// Exchange syncs until every clone has what every other one had.
func (f *Fleet) Exchange() {
	f.T.Helper()
	for _, r := range slices.Concat(f.Clones, f.Clones[:len(f.Clones)-1]) { // the last one knows it all
		r.Sync("")
	}
}

// Settle syncs every clone until nothing moves any more. It checks that all of them then have
// the refs of the hub, that another sync finds nothing to do, and that fsck finds nothing wrong.
func (f *Fleet) Settle() {
	f.T.Helper()
	f.Exchange()
	for i, r := range f.Clones {
		before := r.SharedRefs()
		if res := r.Sync(""); len(res.Merged)+len(res.Pushed)+res.Attempts > 0 || r.SharedRefs() != before {
			f.T.Errorf("clone %d: syncing again moved %+v", i, res)
		}
		if hub := f.Hub.SharedRefs(); before != hub {
			f.T.Errorf("clone %d has\n%s\nthe hub has\n%s", i, before, hub)
		}
		r.Fsck()
	}
	f.Hub.Fsck()
}

// SharedRefs lists the refs that sync exchanges.
func (r *Repo) SharedRefs() string {
	r.T.Helper()
	return r.Git("for-each-ref", "--format=%(objectname) %(refname)",
		"refs/context/heads", "refs/context/roadmap", "refs/context/tags", "refs/notes/context")
}

// AllRefs lists every ref, and the current branch.
func (r *Repo) AllRefs() string {
	r.T.Helper()
	return r.Git("for-each-ref") + "\n" + r.Git("symbolic-ref", "CONTEXT_HEAD")
}

// Sync syncs with origin and settles conflicts as prefer says, which may be empty.
func (r *Repo) Sync(prefer string) share.Result {
	r.T.Helper()
	res, err := share.Sync(r.T.Context(), r.Open(), share.Options{Prefer: prefer})
	r.Must(err)
	return res
}

// Clash syncs, expects a conflict, and returns the Paths of the conflicts.
func (r *Repo) Clash() []string {
	r.T.Helper()
	res, err := share.Sync(r.T.Context(), r.Open(), share.Options{})
	if !errors.Is(err, fail.ErrConflict) {
		r.T.Fatalf("Sync = %+v, %v; want a conflict", res, err)
	}
	return Paths(res.Conflicts)
}

// Adopt creates branches of the hub here, and switches back to main.
func (r *Repo) Adopt(names ...string) {
	r.T.Helper()
	r.Sync("")
	for _, name := range append(names, "main") {
		r.Switch(name)
	}
}
