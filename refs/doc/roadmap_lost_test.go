package doc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An item without a text, and the outcome of one, is no part of a roadmap: its part would stand for the whole list, so that each of
// very many costs as much as the list, and Restore cannot add it to a list that has other items.
func TestLostWithoutText(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"few": 3, "many": 100000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := "## To-Do\n\n- [x] b\n" + strings.Repeat("- [ ]\n- [x]\n  Outcome: done\n", n) + "- [ ] a\n"
			before := ParseRoadmap([]byte(list + "\n## Decisions\n\n" + strings.Repeat("-\n", n) + "- c\n"))
			now := ParseRoadmap([]byte("## To-Do\n\n- [ ] b\n"))
			lost := now.Lost(before)
			if diff := cmp.Diff([]Part{{Section: SectionTodo, Text: "a"}, {Section: SectionDecisions, Text: "c"}}, lost); diff != "" {
				t.Fatalf("%.1000s", diff)
			}
			for _, p := range lost {
				if !now.SameText(p, before) {
					t.Errorf("%v is its text", p)
				}
			}
			if left := now.Restore(lost, before); len(left) > 0 || len(now.Lost(before)) > 0 {
				t.Errorf("left: %v, lost: %v", left, now.Lost(before))
			}
		})
	}
}
