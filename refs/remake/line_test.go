package remake_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remake"
)

// The values of a ref on the way to its newest one, whatever the reflog begins with and whether their commits are here.
func TestLine(t *testing.T) {
	s, remove := example.Memory()
	defer remove()
	who := git.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1700000000, 0)}
	tree, err := s.Repo().Edit("").Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit := func(name string, parents ...git.ID) git.ID {
		id, err := s.Repo().WriteCommit(t.Context(), &git.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: name + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	a := commit("a")
	b := commit("b", a)
	c := commit("c", b)
	d := commit("d", c)
	again := commit("c again", b)
	lost := git.ID(fmt.Sprintf("%0*x", len(a), 7))
	zero := git.ID(fmt.Sprintf("%0*x", len(a), 0))
	for name, test := range map[string]struct {
		moves []git.RefMove
		want  []git.ID
	}{
		"forward":                   {[]git.RefMove{{Old: zero, New: a}, {Old: a, New: b}, {Old: b, New: c}}, []git.ID{a, b, c}},
		"undone":                    {[]git.RefMove{{Old: zero, New: a}, {Old: a, New: b}, {Old: b, New: a}, {Old: a, New: c}}, []git.ID{a, c}},
		"back by two":               {[]git.RefMove{{Old: zero, New: b}, {Old: b, New: c}, {Old: c, New: d}, {Old: d, New: b}}, []git.ID{b}},
		"begins with an undo":       {[]git.RefMove{{Old: c, New: b}, {Old: b, New: again}}, []git.ID{b, again}},
		"amended":                   {[]git.RefMove{{Old: a, New: b}, {Old: b, New: c}, {Old: c, New: again}}, []git.ID{a, b, again}},
		"begins with an amendment":  {[]git.RefMove{{Old: c, New: again}}, []git.ID{again}},
		"the amendment is lost":     {[]git.RefMove{{Old: b, New: c}, {Old: c, New: lost, Reason: "context commit: amend"}}, []git.ID{b, lost}},
		"a lost commit":             {[]git.RefMove{{Old: b, New: c}, {Old: c, New: lost, Reason: "context commit: more"}}, []git.ID{b, c, lost}},
		"ahead by several commits":  {[]git.RefMove{{Old: zero, New: a}, {Old: a, New: d}}, []git.ID{a, d}},
		"deleted, and made again":   {[]git.RefMove{{Old: zero, New: a}, {Old: a, New: zero}, {Old: zero, New: c}}, []git.ID{c}},
		"back, and on another line": {[]git.RefMove{{Old: a, New: b}, {Old: b, New: c}, {Old: c, New: d}, {Old: d, New: again}}, []git.ID{a, b, again}},
	} {
		got, err := remake.Line(t.Context(), s.Repo(), test.moves, func(git.ID) *git.Commit { return nil })
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, not %v; %v", name, got, test.want, err)
		}
	}
}
