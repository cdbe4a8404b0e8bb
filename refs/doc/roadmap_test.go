package doc

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const handRoadmap = `# Project Roadmap of ours

Some words first.

## Goal:

Ship **it**.

Soon, \# honest.

## Milestones

We count these:

* [x] design
- [ ] build
  the whole thing

  and test it
1. plain one
- [X] demo

## TODO
- [ ] docs
+ no box

## Notes

- free
# not a section

## Open questions

- why?
`

func TestRoadmapWrittenByHand(t *testing.T) {
	for _, text := range []string{handRoadmap, strings.ReplaceAll(handRoadmap, "\n", "\r\n")} {
		r := ParseRoadmap([]byte(text))
		if got := string(r.Bytes()); got != text {
			t.Error(cmp.Diff(text, got))
		}
		if got := r.Goal(); got != `Ship **it**.`+"\n\n"+`Soon, \# honest.` {
			t.Errorf("goal %q", got)
		}
		want := []Item{{Text: "design", Done: true}, {Text: "build\nthe whole thing\n\nand test it"}, {Text: "plain one"}, {Text: "demo", Done: true}}
		if diff := cmp.Diff(want, r.Milestones()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]Item{{Text: "docs"}, {Text: "no box"}}, r.Todo()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]Section{{"Notes", "- free\n# not a section"}}, r.Sections()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"why?"}, r.Questions()); diff != "" {
			t.Error(diff)
		}
	}
}

// Each edit changes its own lines and no other byte.
func TestRoadmapEdits(t *testing.T) {
	for _, c := range []struct {
		edit     func(r *Roadmap) error
		old, new string
	}{
		{func(r *Roadmap) error { r.SetGoal("New\n# goal"); return nil }, "Ship **it**.\n\nSoon, \\# honest.", "New\n\\# goal"},
		{func(r *Roadmap) error { return r.MarkMilestone("build", true) }, "- [ ] build", "- [x] build"},
		{func(r *Roadmap) error { return r.MarkMilestone("DES", false) }, "* [x] design", "* [ ] design"},
		{func(r *Roadmap) error { return r.MarkMilestone("plain one", true) }, "1. plain", "1. [x] plain"},
		{func(r *Roadmap) error { return r.RemoveMilestone("build") }, "- [ ] build\n  the whole thing\n\n  and test it\n", ""},
		{func(r *Roadmap) error { r.AddMilestone("more\n\nlines"); return nil }, "- [X] demo\n", "- [X] demo\n- [ ] more\n\n  lines\n"},
		{func(r *Roadmap) error { r.AddTodo("x"); return nil }, "+ no box\n", "+ no box\n- [ ] x\n"},
		{func(r *Roadmap) error { return r.MarkTodo("no box", true) }, "+ no box", "+ [x] no box"},
		{func(r *Roadmap) error { r.AddQuestion("how?"); return nil }, "- why?\n", "- why?\n- how?\n"},
		{func(r *Roadmap) error { r.AddOutcome("exp merged"); return nil }, "- why?\n", "- why?\n\n## Branch Outcomes\n\n- exp merged\n"},
		{func(r *Roadmap) error { r.AddDecision("yes"); return nil }, "## Notes", "## Decisions\n\n- yes\n\n## Notes"},
		{func(r *Roadmap) error { r.SetSection("notes", "mine"); return nil }, "- free\n# not a section", "mine"},
		{func(r *Roadmap) error { r.SetSection("Notes", ""); return nil }, "## Notes\n\n- free\n# not a section\n\n", ""},
		{func(r *Roadmap) error { r.SetSection("A\n## B", "x"); return nil }, "- why?\n", "- why?\n\n## A ## B\n\nx\n"},
		{func(r *Roadmap) error { r.SetSection("", "# T\n# U\n"); return nil }, "# Project Roadmap of ours\n\nSome words first.", "# T\n\\# U\n\\"},
	} {
		r := ParseRoadmap([]byte(handRoadmap))
		if err := c.edit(r); err != nil {
			t.Errorf("%s: %v", c.new, err)
		}
		if diff := cmp.Diff(strings.Replace(handRoadmap, c.old, c.new, 1), string(r.Bytes())); diff != "" {
			t.Errorf("%s:\n%s", c.new, diff)
		}
	}
}

func TestNewRoadmap(t *testing.T) {
	const want = "# Project Roadmap\n\n## Goal\n\n## Milestones\n\n## To-Do\n\n## Decisions\n\n## Open Questions\n\n## Branch Outcomes\n"
	if got := string(NewRoadmap().Bytes()); got != want {
		t.Errorf("%q", got)
	}
	r := ParseRoadmap(nil)
	r.AddTodo("x")
	r.SetGoal("g")
	if got := string(r.Bytes()); got != "# Project Roadmap\n\n## Goal\n\ng\n\n## To-Do\n\n- [ ] x\n" {
		t.Errorf("%q", got)
	}
}

func TestRoadmapItemErrors(t *testing.T) {
	r := NewRoadmap()
	for _, text := range []string{"write docs", "write tests", "release"} {
		if !r.AddMilestone(text) || r.AddMilestone(text) {
			t.Error("added twice, or not at all")
		}
	}
	var e *ItemError
	if err := r.MarkMilestone("write", true); !errors.As(err, &e) || !cmp.Equal(e.Candidates, []string{"write docs", "write tests"}) {
		t.Errorf("%v", err)
	}
	if err := r.MarkMilestone("relaese", true); !errors.As(err, &e) || e.Nearest != "release" || e.Section != SectionMilestones {
		t.Errorf("%v", err)
	}
	if err := r.RemoveMilestone("something else"); !errors.As(err, &e) || e.Nearest != "" {
		t.Errorf("%v", err)
	}
	if err := r.RemoveTodo(""); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
	if err := ParseRoadmap(nil).MarkTodo("x", true); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}

// Any text in any place comes back, and makes no section or item.
func TestRoadmapTextsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := NewRoadmap()
		switch rapid.IntRange(0, 3).Draw(t, "start") {
		case 0:
			r = ParseRoadmap(nil)
		case 1:
			r = ParseRoadmap([]byte(strings.ReplaceAll(string(r.Bytes()), "\n", "\r\n")))
		}
		var milestones, todo []Item
		var decisions []string
		goal, notes := "", ""
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			text := genText(t, "text")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				goal = text
				r.SetGoal(text)
			case 1:
				if r.AddMilestone(text) {
					milestones = append(milestones, Item{Text: text})
				}
				if n := len(milestones) - 1; milestones[n].Text == text {
					milestones[n].Done = true
					outcome := rapid.SampledFrom([]string{"", "It holds", "Outcome: two\nlines"}).Draw(t, "outcome")
					if err := r.FinishMilestone(text, outcome); err != nil {
						t.Fatal(err)
					}
					if outcome != "" {
						milestones[n].Outcome = outcome
					}
				}
			case 2:
				if r.AddTodo(text) {
					todo = append(todo, Item{Text: text})
				}
			case 3:
				if r.AddDecision(text) {
					decisions = append(decisions, text)
				}
			case 4:
				notes = text
				r.SetSection("My Notes", text)
			}
			data := r.Bytes()
			r = ParseRoadmap(data)
			if got := string(r.Bytes()); got != string(data) {
				t.Fatal(cmp.Diff(string(data), got))
			}
		}
		var own []Section
		if notes != "" {
			own = []Section{{"My Notes", notes}}
		}
		for _, diff := range []string{cmp.Diff(goal, r.Goal()), cmp.Diff(milestones, r.Milestones()), cmp.Diff(todo, r.Todo()), cmp.Diff(decisions, r.Decisions()), cmp.Diff(own, r.Sections())} {
			if diff != "" {
				t.Fatalf("%s\n%s", diff, r.Bytes())
			}
		}
	})
}

func TestRoadmapKeepsHostileTexts(t *testing.T) {
	for _, text := range texts() {
		r := NewRoadmap()
		r.SetGoal(text)
		r.AddMilestone(text)
		r.AddDecision(text)
		r.AddDecision("after")
		if text != "" {
			r.SetSection("Own", text)
		}
		r = ParseRoadmap(r.Bytes())
		if r.Goal() != text || r.Milestones()[0].Text != text || r.Decisions()[0] != text || r.Decisions()[1] != "after" || text != "" && r.Sections()[0].Text != text {
			t.Errorf("%q is not kept", clip(text))
		}
		if len(r.Milestones()) != 1 || len(r.Decisions()) != 2 || len(r.Sections()) > 1 {
			t.Errorf("%q forges something", clip(text))
		}
		if err := r.RemoveMilestone(text); err != nil || len(r.Milestones()) != 0 {
			t.Errorf("%q: %v", clip(text), err)
		}
	}
}

// An outcome is a line of its own below its item, and no part of the item's text.
func TestRoadmapOutcomes(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		file := func(lines ...string) string { return strings.Join(append(lines, ""), end) }
		r := ParseRoadmap([]byte(file("## To-Do", "", "- [ ] call", "  the user", "* later", "- [x] old", "  Outcome: it was so", "- [ ] text", `  \Outcome: no`)))
		want := []Item{{Text: "call\nthe user"}, {Text: "later"}, {Text: "old", Done: true, Outcome: "it was so"}, {Text: "text\nOutcome: no"}}
		if diff := cmp.Diff(want, r.Todo()); diff != "" {
			t.Error(diff)
		}
		for _, err := range []error{r.FinishTodo("call", "She agrees.\n\n Soon. "), r.FinishTodo("later", ""), r.FinishTodo("old", "it is so"), r.FinishTodo("text", "yes")} {
			if err != nil {
				t.Error(err)
			}
		}
		if got, want := string(r.Bytes()), file("## To-Do", "", "- [x] call", "  the user", "  Outcome: She agrees.", "  Outcome: Soon.", "* [x] later",
			"- [x] old", "  Outcome: it is so", "- [x] text", `  \Outcome: no`, "  Outcome: yes"); got != want {
			t.Error(cmp.Diff(want, got))
		}
		if err := r.MarkTodo("call", false); err != nil || r.Todo()[0] != (Item{Text: "call\nthe user"}) {
			t.Errorf("an item that is open again has no outcome: %v %+v", err, r.Todo()[0])
		}
		if err := r.RemoveTodo("text"); err != nil || strings.Contains(string(r.Bytes()), "yes") {
			t.Errorf("an outcome goes with its item: %v %q", err, r.Bytes())
		}
	}
}

// An answer turns a question into a decision.
func TestRoadmapAnswer(t *testing.T) {
	r := NewRoadmap()
	r.AddQuestion("Which licence?")
	r.AddQuestion("Which lock?\nSee #12")
	if err := r.AnswerQuestion("which lo", "A mutex"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Which lock?\nSee #12 — A mutex"}, r.Decisions()); diff != "" || len(r.Questions()) != 1 {
		t.Error(diff, r.Questions())
	}
	var e *ItemError
	if err := r.AnswerQuestion("Why", "x"); !errors.As(err, &e) || e.Section != SectionQuestions {
		t.Error(err)
	}
}
