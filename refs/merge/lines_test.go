package merge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What is too long for git's merge keeps all lines of both sides, each as often as it is needed, and the order of the sides does not matter
// once both have been joined.
func TestJoined(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range rnd.IntN(6) {
			b.WriteString([]string{"a", "b", "", "ab"}[rnd.IntN(4)] + "\n")
		}
		return b.String()
	}
	lines := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
	for range 20_000 {
		head, tail := text(), text()
		ours, theirs := head+text()+tail, head+text()+tail
		both := joined(ours, theirs)
		count := map[string]int{}
		for _, line := range lines(both) {
			count[line]++
		}
		for _, side := range []string{ours, theirs} {
			of := map[string]int{}
			for _, line := range lines(side) {
				if of[line]++; of[line] > count[line] {
					t.Fatalf("%q and %q: %q lacks a %q", ours, theirs, both, line)
				}
			}
		}
		if slices.Equal(lines(ours), lines(theirs)) && both != min(ours, theirs) {
			t.Fatalf("%q and %q have the same lines: %q", ours, theirs, both)
		}
		if other := joined(theirs, ours); joined(both, other) != joined(other, both) {
			t.Fatalf("%q and %q: %q and %q are joined in two ways", ours, theirs, both, other)
		}
		if len(both) > len(ours)+len(theirs) {
			t.Fatalf("%q and %q: %q", ours, theirs, both)
		}
	}
}

// A merge gives git no more lines than it may, and what is too long leaves the room to others.
func TestLineBudget(t *testing.T) {
	t.Parallel()
	room := newLineBudget()
	third := []byte(strings.Repeat("x\n", mostMergedLines/3))
	if room.spend(third, third, third) { // the last line may have no end
		t.Error("there is room for more lines than there are")
	}
	part := third[:len(third)/2]
	if !room.spend(part, part, part) || room.spend(third, third) || !room.spend(nil, part) {
		t.Error("what is too long took the room of others")
	}
}
