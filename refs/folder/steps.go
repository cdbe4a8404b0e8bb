package folder

import (
	"context"

	"github.com/git-context/git-context/refs/store"
)

// ImportSteps records the steps of a trace on the current branch, where they are
// pending like any others. A step whose source is there already is skipped, so
// that the same trace again adds nothing.
func ImportSteps(ctx context.Context, s *store.Store, w store.Writer, steps []store.NewStep) (Counts, error) {
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
		return Counts{}, err
	}
	var res Counts
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
