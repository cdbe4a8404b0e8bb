package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/git-context/git-context/refs/doc"
)

// CheckStep makes a step fit to be stored, and reports whether U+FFFD replaced a part of it. The error
// is of the kind fail.ErrInvalid for a step that cannot be stored.
func (s *Store) CheckStep(ctx context.Context, step *NewStep) (replaced bool, err error) {
	return s.checkStep(ctx, step)
}

// EachSource calls visit with the source of each step of a branch that has one, pending steps
// included. It reads the branch's whole log.
func (s *Store) EachSource(ctx context.Context, branch string, visit func(source string)) error {
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return err
	}
	err = tip.EachLog(ctx, func(steps []doc.Step) {
		for i := range steps {
			if steps[i].Source != "" {
				visit(steps[i].Source)
			}
		}
	})
	if err != nil {
		return err
	}
	p, err := s.Pending(ctx, tip)
	if err != nil {
		return err
	}
	for _, line := range p.Lines {
		var l EntryLine
		if err := json.Unmarshal(line.Raw, &l); err != nil {
			return fmt.Errorf("journal of branch '%s', step %d: %w", branch, line.Step, err)
		}
		if l.Source != "" {
			visit(l.Source)
		}
	}
	return nil
}

// NewestTime returns the time of the newest commit of a branch, its birth excepted; the zero time if it
// has none.
func (t *Tip) NewestTime(ctx context.Context) (at time.Time, err error) {
	live, _, err := t.LiveCommits(ctx)
	for _, m := range live {
		if m.Kind != doc.KindBirth && m.Time.After(at) {
			at = m.Time
		}
	}
	return at, err
}
