//go:build unix

package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Four agents, two of each mapping, work on one branch of one remote at the same time. Whoever syncs takes in
// what the others have pushed under other names: in the end all have the same, and nothing moves any more.
func TestFleetWithTwoMappings(t *testing.T) {
	t.Parallel()
	k := serverKind{"path", "refs/", byPath}
	f := k.launch(t, 4)
	for _, a := range f.agents[2:] {
		refs := strings.Fields(a.git("for-each-ref", "--format=%(refname)", "refs/context/heads", "refs/context/roadmap"))
		for _, ref := range refs { // as a push with this mapping before there was a check
			a.git("push", "-q", "origin", ref+":"+strings.Replace(ref, "refs/context/", "refs/heads/context/", 1))
		}
		a.git("config", "context.origin.mapping", "heads")
		a.ok("init")
	}
	for i := range 4 {
		f.each(func(a *agent) {
			a.work(i)
			a.ok("roadmap", "todo", "add", fmt.Sprintf("%s asks %d", a.name, i))
			a.sync()
		})
	}
	for range 2 {
		for _, a := range f.agents {
			a.sync()
		}
	}
	for _, a := range f.agents {
		if r := a.sync(); len(r.Fetched)+len(r.Merged)+len(r.Pushed) > 0 {
			t.Errorf("%s is not up to date: %+v", a.name, r)
		}
	}
	if own, other := underNames(f, "refs/context/"), underNames(f, "refs/heads/context/"); !slices.Equal(own, other) {
		t.Errorf("the remote has\n%q\nand\n%q", own, other)
	}
	for _, a := range f.agents[2:] {
		a.git("config", "context.origin.mapping", "refs")
		a.ok("init")
	}
	names := strings.Fields(f.agents[0].git("-C", f.dir, "for-each-ref", "--format=%(refname)", "refs/heads/context"))
	f.agents[0].git(append([]string{"push", "-q", "origin", "--delete"}, names...)...)
	f.settled(k)
}

// underNames lists what the server has below a prefix: the branch, the roadmap and their commits.
func underNames(f *fleet, prefix string) []string {
	var list []string
	for line := range strings.Lines(f.refs(f.agents[0].world, prefix+"heads", prefix+"roadmap")) {
		list = append(list, strings.TrimPrefix(strings.TrimSpace(line), prefix))
	}
	return list
}
