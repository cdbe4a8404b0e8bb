package history_test

import (
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
)

// Of the commits that name an entry, the one in the history of the others added it, in whatever order dates list them. Of those that
// are in no other's history the one that was made nearer to the time in the id stands for it, and of one date the one with the smaller hash.
func TestAdderIsInTheHistoryOfCopies(t *testing.T) {
	t.Parallel()
	parents := map[git.ID][]git.ID{"tip": {"old", "made"}, "copy": {"tip"}, "made": {"first"}, "old": {"gap"}, "gap": {"made"}, "other": {"first"}, "late": {"first"}}
	dates := map[git.ID]int64{"other": 2, "made": 2, "late": 3}
	for _, test := range []struct {
		listed []git.ID // all name the entry but tip and gap
		want   git.ID
	}{
		{[]git.ID{"copy", "tip", "old", "gap", "made", "first"}, "first"},
		{[]git.ID{"copy", "tip", "old", "gap", "made"}, "made"},
		{[]git.ID{"tip", "made", "old", "gap"}, "made"},
		{[]git.ID{"late", "other"}, "other"},
		{[]git.ID{"other", "late"}, "other"},
		{[]git.ID{"other", "made"}, "made"},
		{[]git.ID{"made", "other"}, "made"},
		{[]git.ID{"late", "copy", "made", "tip", "old", "gap"}, "made"},
		{[]git.ID{"tip", "gap"}, ""},
	} {
		var added history.Adders
		for _, c := range test.listed {
			added.List(c, parents[c], dates[c])
			if c != "tip" && c != "gap" {
				added.Name("id", c)
			}
		}
		if c := added.Of("id"); c != test.want {
			t.Errorf("%v: %s added the entry, want %s", test.listed, c, test.want)
		}
	}
}
