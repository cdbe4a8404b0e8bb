package history

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// Steps reads n of a branch's steps behind the newest skip, oldest first, and
// how many there are. Pending steps are the newest.
func Steps(ctx context.Context, s *store.Store, t *store.Tip, skip, n int) ([]store.Step, int, error) {
	return CutSteps(ctx, s, t, skip, n, nil)
}

// CutSteps is [Steps] for a view that takes only a part of each text.
func CutSteps(ctx context.Context, s *store.Store, t *store.Tip, skip, n int, cut Cut) ([]store.Step, int, error) {
	found := []store.Step{} // newest first
	total, err := StepsBackwards(ctx, s, t, cut, func(step store.Step) bool {
		found = append(found, step)
		return len(found) < skip+n
	})
	found = found[min(skip, len(found)):min(skip+n, len(found))]
	slices.Reverse(found)
	return found, total, err
}

// StepsBackwards hands a branch's steps to visit, the newest first, until it wants no more, and returns how many
// steps there are. Pending steps are the newest. It opens only the documents that it needs, one at a time.
func StepsBackwards(ctx context.Context, s *store.Store, t *store.Tip, cut Cut,
	visit func(store.Step) bool) (int, error) {
	return placesBackwards(ctx, s, t, cut, func(_ place, step store.Step) bool { return visit(step) })
}

// place is where a committed step is: the file, and its number there from 0 on. Without a file the step is pending.
type place struct {
	file  string
	index int
	large bool // the texts were cut
}

// placesBackwards is [StepsBackwards] for a visit that needs to know where a step is.
func placesBackwards(ctx context.Context, s *store.Store, t *store.Tip, cut Cut,
	visit func(place, store.Step) bool) (int, error) {
	p, err := s.Pending(ctx, t)
	if err != nil {
		return 0, err
	}
	meta, err := t.Metadata(ctx)
	if err != nil {
		return 0, err
	}
	waiting, err := s.WaitingSteps(ctx, t.Name(), p)
	if err != nil {
		return 0, err
	}
	total := meta.Totals().Steps + len(waiting)
	for _, step := range slices.Backward(waiting) {
		if !visit(place{}, stepFrom(step, true)) {
			return total, nil
		}
	}
	return total, t.FilesBackwards(ctx, doc.LogFile, doc.LogDir, func(file string, data []byte) (bool, error) {
		steps, err := doc.ParseLog(data)
		if err != nil {
			return false, err
		}
		large := cut != nil && len(data) >= largeDocument
		for i, step := range slices.Backward(steps) {
			cut.texts(data, &step.ID, &step.Agent, &step.Session, &step.Model, &step.Source, &step.Origin, &step.Observation,
				&step.Thought, &step.Action)
			if !visit(place{file, i, large}, stepFrom(step, false)) {
				return false, nil
			}
		}
		return true, nil
	})
}

func stepFrom(d doc.Step, pending bool) store.Step {
	return store.Step{ID: d.ID, Step: d.Number, Time: d.Time, Agent: d.Agent, Session: d.Session, Origin: d.Origin,
		Observation: d.Observation, Thought: d.Thought, Action: d.Action, Attachments: d.Attachments, Pending: pending,
		Model: d.Model, Source: d.Source, Tokens: d.Tokens}
}
