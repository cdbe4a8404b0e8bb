package store

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// mergeRoadmap merges main.md as two repositories have it.
func (ses *Transaction) MergeRoadmap(ctx context.Context, base, ours, theirs []byte, settle Settler) ([]byte, []Conflict, error) {
	merged, found, err := doc.MergeRoadmap(base, ours, theirs, ses.textMerge(ctx))
	if err != nil || len(found) == 0 {
		return merged, nil, err
	}
	r := doc.ParseRoadmap(merged)
	conflicts := make([]Conflict, len(found))
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
