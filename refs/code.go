package refs

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
)

// codeHead is the code repository's HEAD, "" while it is unborn.
func (s *Store) codeHead(ctx context.Context) (git.ID, error) {
	id, err := s.repo.Ref(ctx, "HEAD")
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// codeHead is the code commit that a change is made on.
func (ses *session) codeHead(ctx context.Context) (git.ID, error) {
	if ses.code != "" {
		return ses.code, nil
	}
	return ses.s.codeHead(ctx)
}

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
