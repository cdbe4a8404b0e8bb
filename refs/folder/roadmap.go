package folder

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"

	dialect "github.com/git-context/git-context/refs/peer"
)

// roadmap imports the folder's main.md. It never conflicts:
//
//  1. if ours has no goal, or the same, the goal, the items and the sections are added;
//     a section whose text here differs becomes "Imported: NAME";
//  2. if ours has another goal, the whole text of the folder becomes a section.
//
// If the folder is imported again, it adds nothing.
func (m *folderImport) roadmap(ctx context.Context) error {
	from := m.f.Roadmap
	if strings.TrimSpace(from.Text) == "" {
		return nil
	}
	if _, err := m.s.Clean(ctx, &from.Text, &from.Goal); err != nil {
		return err
	}
	_, err := m.s.EditRoadmap(ctx, m.o.Writer, "Import the roadmap of a "+m.res.Dialect+" folder",
		func(r *doc.Roadmap) error {
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

// takeRoadmap adds the parts of a roadmap.
func takeRoadmap(r *doc.Roadmap, from dialect.Roadmap) {
	if from.Goal != "" && r.Goal() == "" {
		r.SetGoal(from.Goal)
	}
	for _, it := range from.Milestones {
		r.AddMilestoneItem(roadmapItem(it))
	}
	for _, it := range from.Todo {
		r.AddTodoItem(roadmapItem(it))
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

// roadmapItem returns an item of a folder, and what became of it, which the lines of its text say.
func roadmapItem(from dialect.Item) doc.Item {
	it := doc.ParseItem(from.Text)
	it.Done = from.Done
	return it
}

// takeSection adds a section, under another name if the text of an existing one differs.
func takeSection(r *doc.Roadmap, s dialect.Section) {
	name := s.Name
	for _, have := range []string{doc.SectionGoal, doc.SectionMilestones, doc.SectionTodo, doc.SectionDecisions,
		doc.SectionQuestions, doc.SectionOutcomes} {
		if doc.SameSection(name, have) { // its format differs from ours
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
