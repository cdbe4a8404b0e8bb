package history

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// StepList is a page of a branch's steps, with whole texts of which one large document at a time is in memory.
type StepList struct {
	Total int // of the branch, pending steps included

	tip   *store.Tip
	steps []listedStep // oldest first
}

// listedStep is a step without its texts if its document is large.
type listedStep struct {
	place
	store.Step
}

// ListSteps finds n of a branch's steps behind the newest skip, as [Steps] does.
func ListSteps(ctx context.Context, s *store.Store, t *store.Tip, skip, n int) (*StepList, error) {
	l := &StepList{tip: t}
	var err error
	none := func(string) string { return "" }
	l.Total, err = placesBackwards(ctx, s, t, none, func(at place, step store.Step) bool {
		l.steps = append(l.steps, listedStep{at, step})
		return len(l.steps) < skip+n
	})
	l.steps = l.steps[min(skip, len(l.steps)):min(skip+n, len(l.steps))]
	slices.Reverse(l.steps)
	return l, err
}

// Each hands the steps to visit, the oldest first, up to its first error. A large document is read again.
func (l *StepList) Each(ctx context.Context, visit func(store.Step) error) error {
	file := ""
	var steps []doc.Step // of file
	for _, step := range l.steps {
		if !step.large {
			if err := visit(step.Step); err != nil {
				return err
			}
			continue
		}
		if step.file != file {
			steps = nil // so that two documents are never in memory together
			data, err := l.tip.Document(ctx, step.file)
			if err == nil {
				file = step.file
				steps, err = doc.ParseLog(data)
			}
			if err != nil {
				return fmt.Errorf("%s of branch '%s': %w", step.file, l.tip.Name(), err)
			}
		}
		if err := visit(stepFrom(steps[step.index], false)); err != nil {
			return err
		}
	}
	return nil
}
