package store_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// Names that are checked together are refused as they would be if each were made before the next is checked.
func TestNewNamesIsCheckNewName(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	s := r.Open()
	made := []string{"main"}
	for _, name := range []string{"a/b", "Kk"} {
		memtest.OK(s.CreateBranch(t.Context(), store.BranchOptions{Name: name, NoSwitch: true}))(t)
		made = append(made, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[aAkK~]{1,2}(/[bB.]{1,2})?`), 1, 5, rapid.ID).Draw(t, "names")
		free, err := s.NewNames(t.Context(), git.BranchPrefix, names)
		if err != nil {
			t.Fatal(err)
		}
		have := made
		for _, name := range names {
			want := store.CheckBranchName(name) != nil
			for _, other := range have {
				want = want || other == name || store.NameClash(other, name) != ""
			}
			if got := !free[name]; got != want {
				t.Fatalf("'%s' beside %q: refused is %v", name, have, got)
			}
			if !want {
				have = append(have[:len(have):len(have)], name)
			}
		}
	})
}
