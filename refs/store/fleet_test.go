package store_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"pgregory.net/rapid"
)

// fleet is a bare repository and clones of it that have memory, known to each other
// through it alone.
type fleet struct {
	t      testing.TB
	hub    *repo
	clones []*repo
}

// newFleet makes a hub with the memory of its first clone, which the others adopted.
func newFleet(t testing.TB, clones int) *fleet {
	t.Helper()
	f := &fleet{t: t, hub: newRepo(t, "--bare")}
	for range clones {
		f.join(share.InitOptions{Goal: "Reach it", Todo: []string{"begin"}})
	}
	return f
}

// join adds a clone. The first one pushes what it begins.
func (f *fleet) join(o share.InitOptions) *repo {
	f.t.Helper()
	r := newRepo(f.t)
	r.git("remote", "add", "origin", f.hub.dir)
	s := r.open()
	if len(f.clones) > 0 {
		o = share.InitOptions{}
	}
	_, err := share.Init(f.t.Context(), s, o)
	r.must(err)
	if len(f.clones) == 0 {
		_, err = share.Push(f.t.Context(), s, share.Options{})
		r.must(err)
	}
	f.clones = append(f.clones, r)
	return r
}

// copy is the same fleet elsewhere: what is done to one is not seen by the other.
func (f *fleet) copy() *fleet {
	f.t.Helper()
	move := func(r *repo) *repo {
		c := &repo{t: r.t, dir: filepath.Join(f.t.TempDir(), "code"), env: r.env}
		if err := os.CopyFS(c.dir, os.DirFS(r.dir)); err != nil {
			f.t.Fatal(err)
		}
		return c
	}
	g := &fleet{t: f.t, hub: move(f.hub)}
	for _, r := range f.clones {
		c := move(r)
		c.git("remote", "set-url", "origin", g.hub.dir)
		g.clones = append(g.clones, c)
	}
	return g
}

// exchange brings what every clone has to every other one.
func (f *fleet) exchange() {
	f.t.Helper()
	for _, r := range slices.Concat(f.clones, f.clones[:len(f.clones)-1]) { // the last one knows it all
		r.sync("")
	}
}

// settle syncs every clone until nothing moves any more, and holds that they then
// have the same refs as the hub, that a sync finds nothing to do, and that git
// finds nothing wrong.
func (f *fleet) settle() {
	f.t.Helper()
	f.exchange()
	for i, r := range f.clones {
		before := r.shared()
		if res := r.sync(""); len(res.Merged)+len(res.Pushed)+res.Attempts > 0 || r.shared() != before {
			f.t.Errorf("clone %d: syncing again moved %+v", i, res)
		}
		if hub := f.hub.shared(); before != hub {
			f.t.Errorf("clone %d has\n%s\nthe hub has\n%s", i, before, hub)
		}
		r.fsck()
	}
	f.hub.fsck()
}

// shared lists the refs that travel.
func (r *repo) shared() string {
	r.t.Helper()
	return r.git("for-each-ref", "--format=%(objectname) %(refname)",
		"refs/context/heads", "refs/context/roadmap", "refs/context/tags", "refs/notes/context")
}

// all lists every ref there is.
func (r *repo) all() string {
	r.t.Helper()
	return r.git("for-each-ref") + "\n" + r.git("symbolic-ref", "CONTEXT_HEAD")
}

// sync syncs and fails the test where that fails.
func (r *repo) sync(prefer string) share.Result {
	r.t.Helper()
	res, err := share.Sync(r.t.Context(), r.open(), share.Options{Prefer: prefer})
	r.must(err)
	return res
}

// clash syncs what must be in conflict, and returns where.
func (r *repo) clash() []string {
	r.t.Helper()
	res, err := share.Sync(r.t.Context(), r.open(), share.Options{})
	if !errors.Is(err, fail.ErrConflict) {
		r.t.Fatalf("Sync = %+v, %v; want a conflict", res, err)
	}
	return paths(res.Conflicts)
}

// adopt makes branches here that the hub has.
func (r *repo) adopt(names ...string) {
	r.t.Helper()
	r.sync("")
	for _, name := range append(names, "main") { // where it then stands again
		r.switchTo(name)
	}
}

func (r *repo) switchTo(name string) {
	r.t.Helper()
	_, err := r.open().Switch(r.t.Context(), name)
	r.must(err)
}

func paths(list []store.Conflict) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.Path
	}
	slices.Sort(out)
	return out
}

func (r *repo) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// work records a step of so many bytes and commits it.
func (r *repo) work(branch, name string, size int) {
	r.t.Helper()
	_, err := r.open(branch).Record(r.t.Context(), []store.NewStep{{Action: name, Observation: text(size)}})
	r.must(err)
	_, err = r.open().Commit(r.t.Context(), store.CommitOptions{Branch: branch, Summary: name})
	r.must(err)
}

func (r *repo) remember(branch, key, text string) {
	r.t.Helper()
	_, err := r.open(branch).Remember(r.t.Context(), store.TopicOptions{Key: key, Text: text})
	r.must(err)
}

func (r *repo) set(branch, path, value string) {
	r.t.Helper()
	_, err := r.open(branch).SetMetadata(r.t.Context(), store.Writer{}, path, value)
	r.must(err)
}

func (r *repo) branch(name, from string) {
	r.t.Helper()
	_, err := r.open().CreateBranch(r.t.Context(), store.BranchOptions{Name: name, Purpose: "Try", From: from, NoSwitch: true})
	r.must(err)
}

func (r *repo) merge(from, into string) merge.Result {
	r.t.Helper()
	res, err := merge.Merge(r.t.Context(), r.open(), store.MergeOptions{Source: from, Into: into, Summary: "Merge " + from})
	r.must(err)
	return res
}

func (r *repo) plan(edit func(*doc.Roadmap) error) {
	r.t.Helper()
	_, err := r.open().EditRoadmap(r.t.Context(), store.Writer{}, "plan", edit)
	r.must(err)
}

func (r *repo) goal(text string) {
	r.t.Helper()
	r.plan(func(m *doc.Roadmap) error { m.SetGoal(text); return nil })
}

// content is what a branch means, whatever order and files it stands in.
type content struct {
	Steps, Milestones []string
	Topics            map[string]string
	Metadata          any
	Plan              []string
}

func (r *repo) content(branch string) content {
	r.t.Helper()
	s, ctx := r.open(branch), r.t.Context()
	tip, err := s.Tip(ctx, branch)
	r.must(err)
	c := content{Topics: map[string]string{}}
	steps, total, err := s.Steps(ctx, tip, 0, 1_000_000)
	r.must(err)
	for _, st := range steps {
		c.Steps = append(c.Steps, st.ID+" "+st.Action)
	}
	marks, most, err := s.Commits(ctx, tip, 0, 1_000_000)
	r.must(err)
	for _, m := range marks {
		c.Milestones = append(c.Milestones, m.ID+" "+m.Summary)
	}
	for what, list := range map[string][]string{"step": c.Steps, "milestone": c.Milestones} {
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			r.t.Errorf("branch %s: a %s stands twice: %v", branch, what, list)
		}
	}
	if total != len(steps) || most != len(marks) {
		r.t.Errorf("branch %s: %d steps, %d milestones, but its totals are %d, %d", branch, len(steps), len(marks), total, most)
	}
	topics, err := s.Topics(ctx, tip, true)
	r.must(err)
	for _, t := range topics {
		c.Topics[t.Key] = t.Text
	}
	meta, err := s.Metadata(ctx, tip)
	r.must(err)
	c.Metadata, _, err = meta.Get("")
	r.must(err)
	view, _, err := s.Roadmap(ctx, nil)
	r.must(err)
	for _, list := range [][]store.Item{view.Milestones, view.Todo} {
		for _, it := range list {
			c.Plan = append(c.Plan, fmt.Sprint(it))
		}
	}
	c.Plan = append(append(c.Plan, view.Decisions...), view.Outcomes...)
	slices.Sort(c.Plan)
	c.Plan = append(c.Plan, view.Goal)
	return c
}

// tree lists the files of a branch but for metadata.yaml, whose keys stand in the order in
// which a side came to know them.
func (r *repo) files(branch string) string {
	r.t.Helper()
	var out []string
	for line := range strings.Lines(r.git("ls-tree", "-r", "refs/context/heads/"+branch)) {
		if !strings.HasSuffix(line, "\tmetadata.yaml\n") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// propertyTB fails a property where the helpers above would fail the whole test.
type propertyTB struct {
	testing.TB
	rt *rapid.T
}

func (p propertyTB) Helper()                      { p.rt.Helper() }
func (p propertyTB) Context() context.Context     { return p.rt.Context() }
func (p propertyTB) Cleanup(end func())           { p.rt.Cleanup(end) }
func (p propertyTB) Fatal(args ...any)            { p.rt.Fatal(args...) }
func (p propertyTB) Fatalf(f string, args ...any) { p.rt.Fatalf(f, args...) }
func (p propertyTB) Errorf(f string, args ...any) { p.rt.Fatalf(f, args...) }
func (p propertyTB) Error(args ...any)            { p.rt.Fatal(args...) }

// checks runs a property that starts hundreds of processes n times, or as often as
// -rapid.checks says. A failure is shrunk as ever.
func checks(t *testing.T, n int, prop func(testing.TB, *rapid.T)) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() != f.DefValue {
		n = math.MaxInt
	}
	played, failed := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if played == n && !failed {
			return
		}
		played++
		failed = true
		prop(propertyTB{t, rt}, rt)
		failed = false
	})
	t.Logf("%d histories", played)
}
