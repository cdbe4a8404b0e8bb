package history_test

import (
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
)

// Of the commits that name an entry, the one in the history of the others added it, in whatever order dates list them. One that
// is in no other's history replaced that.
func TestAdderIsInTheHistoryOfCopies(t *testing.T) {
	t.Parallel()
	parents := map[git.ID][]git.ID{"tip": {"old", "made"}, "copy": {"tip"}, "made": {"first"}, "old": {"gap"}, "gap": {"made"}, "other": {"first"}}
	for _, test := range []struct {
		listed []git.ID // all name the entry but tip and gap
		want   git.ID
	}{
		{[]git.ID{"copy", "tip", "old", "gap", "made", "first"}, "first"},
		{[]git.ID{"copy", "tip", "old", "gap", "made"}, "made"},
		{[]git.ID{"tip", "made", "old", "gap"}, "made"},
		{[]git.ID{"other", "made"}, "other"},
		{[]git.ID{"tip", "gap"}, ""},
	} {
		var added history.Adders
		for _, c := range test.listed {
			added.List(c, parents[c])
			if c != "tip" && c != "gap" {
				added.Name("id", c)
			}
		}
		if c, _ := added.Of("id"); c != test.want {
			t.Errorf("%v: %s added the entry, want %s", test.listed, c, test.want)
		}
	}
}
