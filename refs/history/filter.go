package history

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Filter says which milestones are meant by what was judged of them; the zero
// Filter means all.
type Filter struct {
	Outcome  string   // success, failed or abandoned; empty: whatever it was
	MinScore *float64 // 0 to 1; nil: whatever it was, and none
}

// Check refuses an outcome that does not exist and a score out of range.
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

// All says whether nothing is left out.
func (f Filter) All() bool { return f.Outcome == "" && f.MinScore == nil }

// Matches decides about one milestone by its note and the memory tags that name
// it. A tag says an outcome by its first part: "success" and "success/best" do.
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

// TagNames is the memory tags by the milestone that each names.
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
