package folder

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"

	dialect "github.com/git-context/git-context/refs/peer"
)

// roadmap brings the folder's main.md in. It never conflicts:
//
//  1. where ours has no goal, or the same, the goal, the items and the sections are taken as
//     such; a section that stands here with another text is kept under "Imported: NAME";
//  2. where ours has another goal, all of the folder's text becomes a section.
//
// Either way, the same folder again finds what it brought.
func (m *folderImport) roadmap(ctx context.Context) error {
	from := m.f.Roadmap
	if strings.TrimSpace(from.Text) == "" {
		return nil
	}
	store.Clean(&from.Text, &from.Goal)
	_, err := m.s.EditRoadmap(ctx, m.o.Writer, "Import the roadmap of a "+m.res.Dialect+" folder", func(r *doc.Roadmap) error {
		if r.Goal() == "" || r.Goal() == from.Goal {
			takeRoadmap(r, from)
			return nil
		}
		r.SetSection(importedSection(m.res.Dialect), from.Text)
		return nil
	})
	return err
}

func importedSection(name string) string { return "Imported: " + name }

// takeRoadmap takes the parts of a roadmap as such.
func takeRoadmap(r *doc.Roadmap, from dialect.Roadmap) {
	if from.Goal != "" && r.Goal() == "" {
		r.SetGoal(from.Goal)
	}
	for _, it := range from.Milestones {
		if r.AddMilestone(it.Text) && it.Done {
			markAdded(r.MarkMilestone, it.Text)
		}
	}
	for _, it := range from.Todo {
		if r.AddTodo(it.Text) && it.Done {
			markAdded(r.MarkTodo, it.Text)
		}
	}
	for _, text := range from.Decisions {
		r.AddDecision(text)
	}
	for _, text := range from.Questions {
		r.AddQuestion(text)
	}
	for _, s := range from.Sections {
		takeSection(r, s)
	}
}

// markAdded ticks an item that was just added under just this text: it is there, and
// its whole text names it.
func markAdded(mark func(string, bool) error, text string) { _ = mark(text, true) }

// takeSection adds a section, or what a section of that name does not say yet.
func takeSection(r *doc.Roadmap, s dialect.Section) {
	name := s.Name
	for _, have := range []string{doc.SectionGoal, doc.SectionMilestones, doc.SectionTodo, doc.SectionDecisions,
		doc.SectionQuestions, doc.SectionOutcomes} {
		if doc.SameSection(name, have) { // of another form than ours
			name = importedSection(name)
			break
		}
	}
	for _, have := range r.Sections() {
		if doc.SameSection(have.Name, name) && have.Text != s.Text {
			name = importedSection(name)
			break
		}
	}
	r.SetSection(name, s.Text)
}
