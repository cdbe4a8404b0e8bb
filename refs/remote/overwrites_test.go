package remote

import (
	"strings"
	"testing"
)

// Which refspecs write to memory, and what spares it.
func TestOverwrites(t *testing.T) {
	t.Parallel()
	const both = "^refs/context/* ^refs/notes/context"
	for _, c := range []struct {
		specs  string // the first one is asked about
		writes bool
		spares string
	}{
		{"+refs/*:refs/*", true, both},
		{"refs/*:refs/*", true, both},
		{"+refs/*:refs/* ^refs/context/*", true, "^refs/notes/context"},
		{"+refs/*:refs/* ^refs/context/* ^refs/notes/*", false, ""},
		{"+refs/*:refs/* ^refs/context/heads/*", true, both},
		{"^refs/*", false, ""},
		{"+refs/notes/*:refs/notes/*", true, "^refs/notes/context"},
		{"+refs/notes/*:refs/notes/* ^refs/notes/context", false, ""},
		{"refs/notes/context:refs/notes/context", true, ""},
		{"+refs/notes/context*:refs/notes/remotes/origin/context*", false, ""},
		{"+refs/context/*:refs/context/*", true, ""},
		{"+refs/context/heads/*:refs/context/heads/*", true, ""},
		{"+refs/context/heads/exp/*:refs/context/heads/exp/*", true, ""},
		{"refs/context/heads/main:refs/context/heads/main", true, ""},
		{"refs/context/roadmap:refs/context/roadmap", true, ""},
		{"+refs/context/road*:refs/context/road*", true, ""},
		{"+refs/context/heads/*:refs/context/remotes/origin/heads/*", false, ""},
		{"+refs/heads/context/*:refs/context/*", true, ""},
		{"+refs/heads/*:refs/remotes/origin/*", false, ""},
		{"+refs/heads/*:refs/heads/*", false, ""},
		{"+refs/there/*:refs/*", true, ""},
		{"+refs/*/main:refs/*/main", true, "^refs/context/*"},
		{"refs/heads/main", false, ""},
	} {
		specs := strings.Fields(c.specs)
		o := Overwrites{Refspec: specs[0]}
		alone := c.spares == "" && strings.Contains(c.specs, "/context")
		if got := o.find(specs); got != c.writes || strings.Join(o.Exclude, " ") != c.spares || got && o.Alone != alone {
			t.Errorf("%s: %v, spared by %q", c.specs, got, o.Exclude)
		}
	}
}
