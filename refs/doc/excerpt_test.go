package doc

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// genRoadmap draws a main.md of lines that people and programs write, in any order.
func genRoadmap(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{
		"## Goal", "## Milestones", "## To-Do", "## todo:", "## Decisions", "## Open Questions", "## questions ##",
		"## Branch Outcomes", "## Rules", "## ",
		"- [ ] a", "- [ ] b", "- [x] c", "- [X] d", "* [ ] e", "1. [x] f", "- g", "- [ ]", "-", "+ [x]", "- [ ] " + TellPrefix + "h", "- [x] " + TellPrefix + "i",
		`- \# j`, "  Outcome: k", "\tOutcome: l", "Outcome: m", "  Outcome: ", `  \Outcome: n`,
		"", "", " ", "   ", "\t", "  more", "lazy", " x", "---", "  ===", `\`, "\r", "  \r", "- o\r", "  p\r", "- [x] q\r", "## To-Do\r", "  Outcome: r\r",
	}), 0, 40).Draw(t, "lines")
	return strings.Join(lines, "\n")
}

// ends returns the first or the last n of a list.
func ends[T any](list []T, n int, first bool) []T {
	switch {
	case len(list) <= n:
		return list
	case first:
		return list[:n]
	}
	return list[len(list)-n:]
}

// split returns the items by kind, as views tell them apart.
func split(list []Item) (kinds [kindTell + 1][]Item) {
	for _, it := range list {
		kind := kindOpen
		switch {
		case !it.Done && strings.HasPrefix(it.Text, TellPrefix):
			kind = kindTell
		case it.Done && it.Outcome != "":
			kind = kindOutcome
		case it.Done:
			kind = kindDone
		}
		kinds[kind] = append(kinds[kind], it)
	}
	return kinds
}

// An excerpt reads as the whole document does, but for the items that it counts.
func TestExcerptReadsAsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, n := []byte(genRoadmap(t)), rapid.IntRange(1, 4).Draw(t, "n")
		whole := ParseRoadmap(data)
		e := whole.Excerpt(n)
		short := ParseRoadmap(e.Text)
		if string(whole.Bytes()) != string(data) {
			t.Fatal("Excerpt changed the roadmap")
		}
		same := func(what string, got, want any) {
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %q, want %q in %q", what, got, want, e.Text)
			}
		}
		same("goal", short.Goal(), whole.Goal())
		same("sections", short.Sections(), whole.Sections())
		check := func(what string, got, all []Item, first bool, left LeftItems) {
			a, b := split(got), split(all)
			same(what+" open", a[kindOpen], ends(b[kindOpen], n, first))
			same(what+" outcome", a[kindOutcome], ends(b[kindOutcome], n, false))
			same(what+" tell", a[kindTell], b[kindTell])
			same(what+" left", left, LeftItems{len(b[kindOpen]) - len(a[kindOpen]), len(b[kindDone]), len(b[kindOutcome]) - len(a[kindOutcome])})
		}
		check("milestones", short.Milestones(), whole.Milestones(), true, e.Left.Milestones)
		check("to-dos", short.Todo(), whole.Todo(), false, e.Left.Todo)
		texts := func(what string, got, all []string, first bool, left int) {
			same(what, len(got)+left, len(all))
			same(what, append([]string{}, got...), append([]string{}, ends(all, n, first)...))
		}
		texts("questions", short.Questions(), whole.Questions(), true, e.Left.Questions)
		texts("decisions", short.Decisions(), whole.Decisions(), false, e.Left.Decisions)
		texts("outcomes", short.Outcomes(), whole.Outcomes(), false, e.Left.Outcomes)
	})
}
