package store

import (
	"context"
)

// ImportSteps records the steps of a trace on the current branch, where they are
// pending like any others. A step whose source is there already is skipped, so
// that the same trace again adds nothing.
func (s *Store) ImportSteps(ctx context.Context, w Writer, steps []NewStep) (Imported, error) {
	for i := range steps {
		if steps[i].Agent == "" {
			steps[i].Agent = w.Agent
		}
		if steps[i].Session == "" {
			steps[i].Session = w.Session
		}
		if steps[i].Model == "" {
			steps[i].Model = w.Model
		}
	}
	recorded, err := s.Record(ctx, steps)
	if err != nil {
		return Imported{}, err
	}
	var res Imported
	for _, r := range recorded {
		if r.Known {
			res.Skipped++
		} else {
			res.Steps++
			res.Branches = 1
		}
	}
	return res, nil
}
