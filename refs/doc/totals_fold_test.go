package doc

import (
	"fmt"
	"strings"
	"testing"
)

// A branch that very many others were merged into can still be written, and its
// counts stay what they are.
func TestFoldedTotalsFit(t *testing.T) {
	t.Parallel()
	m := NewMetadata()
	for i := range 5000 {
		totals := m.Totals()
		if totals.Origins == nil {
			totals.Origins = map[string]OriginTotals{"main": {7, 3}}
			totals.Steps, totals.Commits = 7, 3
		}
		name := fmt.Sprintf("b%d%s", i, strings.Repeat("x", i%150))
		totals.Origins[name] = OriginTotals{2, 1}
		totals.Steps += 2
		totals.Commits++
		if err := m.SetTotals(totals.Fold("main")); err != nil {
			t.Fatal(err)
		}
	}
	b, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = ParseMetadata(b); err != nil {
		t.Fatal(err)
	}
	got := m.Totals()
	sum := OriginTotals{}
	for _, o := range got.Origins {
		sum.Steps += o.Steps
		sum.Commits += o.Commits
	}
	if got.Steps != 10007 || got.Commits != 5003 || sum != (OriginTotals{10007, 5003}) || got.Origins["main"] != (OriginTotals{7, 3}) {
		t.Errorf("totals %d, %d; by origin %v; main %v", got.Steps, got.Commits, sum, got.Origins["main"])
	}
	if few := (Totals{Origins: map[string]OriginTotals{"a": {}, "b": {}}}); len(few.Fold("a").Origins) != 2 {
		t.Error("folded without need")
	}
}
