package history

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Filter selects commits by their outcome and score. The zero Filter selects all.
type Filter struct {
	Outcome  string   // success, failed or abandoned; empty: any, or none
	MinScore *float64 // 0 to 1; nil: any, or none
}

// Check returns an error of the kind fail.ErrInvalid for an unknown outcome and a score out
// of range.
func (f Filter) Check() error {
	if f.Outcome != "" {
		if err := store.CheckOutcome(f.Outcome); err != nil {
			return err
		}
	}
	if f.MinScore != nil {
		return store.CheckScore(*f.MinScore)
	}
	return nil
}

// All reports whether the Filter selects all commits.
func (f Filter) All() bool { return f.Outcome == "" && f.MinScore == nil }

// Matches reports whether the Filter selects a commit, given its note and the memory tags
// that name it. The first part of a tag's name can be an outcome, as in "success" and
// "success/best".
func (f Filter) Matches(j notes.Judgement, tags []string) bool {
	if f.MinScore != nil && (j.Score == nil || *j.Score < *f.MinScore) {
		return false
	}
	if f.Outcome == "" || j.Outcome != nil && *j.Outcome == f.Outcome {
		return true
	}
	return slices.ContainsFunc(tags, func(name string) bool {
		first, _, _ := strings.Cut(name, "/")
		return first == f.Outcome
	})
}

// TagNames returns the names of the memory tags by the commit that they name.
func TagNames(ctx context.Context, s *store.Store) (map[git.ID][]string, error) {
	tags, err := s.TagRefs(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[git.ID][]string, len(tags))
	for _, t := range tags {
		names[t.ID] = append(names[t.ID], t.Name)
	}
	return names, nil
}
