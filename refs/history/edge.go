package history

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
)

// beyondEdge reads the entry of a commit whose own commit is beyond the edge of a shallow clone, from
// the documents of tips; of all branches without any. It has no hash, no code commit and no note.
// failed is the error of the search for the commit, which is returned where no entry has that id.
func beyondEdge(ctx context.Context, s *store.Store, id string, failed error, tips ...*store.Tip) (store.Commit, error) {
	var missing *fail.Error
	if !errors.As(failed, &missing) || missing.Code != fail.Shallow || !doc.ValidID(id) {
		return store.Commit{}, failed
	}
	if len(tips) == 0 {
		names, err := s.BranchNames(ctx)
		if err != nil {
			return store.Commit{}, err
		}
		for _, name := range names {
			t, err := s.Tip(ctx, name)
			if err != nil {
				return store.Commit{}, err
			}
			tips = append(tips, t)
		}
	}
	for _, t := range tips {
		commits, err := readEntries(ctx, t, 0, math.MaxInt, nil)
		if err != nil {
			return store.Commit{}, err
		}
		if i := slices.IndexFunc(commits, func(c store.Commit) bool { return c.ID == id }); i >= 0 {
			return commits[i], nil
		}
	}
	return store.Commit{}, failed
}
