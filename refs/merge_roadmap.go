package refs

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// mergeRoadmap merges main.md as two repositories have it.
func (ses *session) mergeRoadmap(ctx context.Context, base, ours, theirs []byte, settle settler) ([]byte, []Conflict, error) {
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

// roadmapAt reads main.md at a commit of the roadmap.
func (s *Store) roadmapAt(ctx context.Context, id git.ID) ([]byte, error) {
	c, err := s.repo.Commit(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the roadmap: %w", err)
	}
	e, ok, err := s.repo.Edit(c.Tree).Entry(ctx, doc.RoadmapFile)
	if err != nil || !ok {
		return nil, err
	}
	return s.repo.Blob(ctx, e.ID)
}
