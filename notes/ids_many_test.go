package notes

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// overByEach is what Give puts into Over, without sets.
func overByEach(have []Fact, f Fact, id string) (over []string) {
	for _, h := range have {
		named := slices.ContainsFunc(have, func(o Fact) bool { return place(o) == place(h) && slices.Contains(o.Over, h.ID) })
		if h.ID > id && place(h) == place(f) && !named && !slices.Contains(over, h.ID) {
			over = append(over, h.ID)
		}
	}
	return over
}

// Each of several new facts names what it replaces, as if the facts of the note were compared with each other for it.
func TestGiveAsEach(t *testing.T) {
	t.Parallel()
	const id = "01M7XVZYF8V2E8NKDB4EFJ2000"
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("76EZ91ZPZZ%016d", rapid.IntRange(0, 5).Draw(t, "id")) })
		facts := rapid.Custom(func(t *rapid.T) Fact {
			return Fact{ID: ids.Draw(t, "of"), Kind: rapid.SampledFrom([]string{KindScore, KindTag}).Draw(t, "kind"),
				Key: rapid.SampledFrom([]string{"", "a"}).Draw(t, "key"), Over: rapid.SliceOfN(ids, 0, 2).Draw(t, "over")}
		})
		have := rapid.SliceOfN(facts, 0, 8).Draw(t, "have")
		n := NewIDs(have, "", func(string) (string, error) { return id, nil })
		for _, f := range rapid.SliceOfN(facts, 1, 3).Draw(t, "new") {
			want := overByEach(have, f, id)
			if err := n.Give(&f); err != nil || !slices.Equal(f.Over, want) {
				t.Fatalf("%v, want %v, %v", f.Over, want, err)
			}
		}
	})
}
