package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/statetest"
)

// Fields of a file of local state end no program, whoever wrote them.
func FuzzIntent(f *testing.F) {
	statetest.Fuzz(f, func(in *Intent) {
		if (in.Commit == nil) != (in.Rollback == nil) { // readIntent refuses others
			in.command()
			in.action()
			in.writer()
		}
	},
		`{"version":1,"token":"T","branch":"main","tip":"1","worktree":".","head":"","commit":{"Summary":"s","Roadmap":{"Done":["x"]}}}`,
		`{"version":1,"token":"T","rollback":{"Commit":"main~1","target":"1","made":true,"said":"x"}}`)
}

// What git tells a hook of rewritten commits is read whole, or refused in one line.
func FuzzRewritten(f *testing.F) {
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	f.Add(one + " " + two + "\n" + two + " " + one + " more\n\n")
	f.Add(one + "\n")
	f.Add("\x1b[2J " + one)
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := readRewritten(strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		var out strings.Builder
		for _, p := range pairs {
			if !git.IsID(string(p.Old)) || !git.IsID(string(p.New)) {
				t.Errorf("%q gave %+v", text, p)
			}
			out.WriteString(string(p.Old + " " + p.New + "\n"))
		}
		if again, err := readRewritten(strings.NewReader(out.String())); err != nil || !slices.Equal(again, pairs) {
			t.Errorf("%v, then %v: %v", pairs, again, err)
		}
	})
}

// What is kept of links is read as it was written; what is no such list is none.
func FuzzCachedLinks(f *testing.F) {
	f.Add("1\nmain 01J 2 3\nx\n", "1")
	f.Add("no list\n \n", "")
	f.Fuzz(func(t *testing.T, text, tip string) {
		linked := linksCached(text, git.ID(tip))
		if strings.Contains(tip, "\n") || len(linked) > mostLinks {
			return
		}
		if back := linksCached(cachedLinks(linked, git.ID(tip)), git.ID(tip)); len(back) != len(linked) {
			t.Errorf("%v, then %v", linked, back)
		}
	})
}
