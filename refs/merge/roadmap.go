package merge

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// MergeRoadmap merges main.md as two repositories have it.
func MergeRoadmap(ctx context.Context, tx *store.Transaction, base, ours, theirs []byte, settle Settler) ([]byte, []store.Conflict, error) {
	return mergeRoadmap(ctx, tx, base, ours, theirs, settle, newLineBudget())
}

func mergeRoadmap(ctx context.Context, tx *store.Transaction, base, ours, theirs []byte, settle Settler, room *lineBudget) ([]byte, []store.Conflict, error) {
	merged, found, err := doc.MergeRoadmap(base, ours, theirs, textMerge(ctx, tx, room))
	if err != nil || len(found) == 0 {
		return merged, nil, err
	}
	r := doc.ParseRoadmap(merged)
	conflicts := make([]store.Conflict, len(found))
	for i := range found {
		c := conflictOf(found[i])
		text, ok, err := settle(ctx, &c)
		if err != nil {
			return nil, nil, err
		}
		if c.Resolved = ok; ok {
			section := strings.TrimPrefix(c.Path, doc.RoadmapFile+"#")
			if text == nil {
				text = new(string) // an empty text removes a section
			}
			r.SetSection(section, strings.TrimRight(*text, "\n")) // as a section's text is given
		}
		conflicts[i] = c
	}
	return r.Bytes(), conflicts, nil
}
