package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

// segment is a part of metadata.yaml: its value for JSON, its YAML for people.
type segment struct {
	value any
	yaml  []byte
	at    *store.At // nil: now
}

// readSegment reads the segment at path, or the whole file where it is empty.
func readSegment(ctx context.Context, s *refs.Store, w render.Where, path string) (*segment, error) {
	tip, err := history.At(ctx, s, w.Branch, w.At)
	if err != nil {
		return nil, err
	}
	m, err := s.Metadata(ctx, tip)
	if err != nil {
		return nil, err
	}
	value, found, err := m.Get(path)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noSegment(path, m.Keys())
	}
	yaml, _, err := m.YAML(path)
	if err != nil {
		return nil, err
	}
	return &segment{value: value, yaml: yaml, at: tip.At()}, nil
}

func noSegment(path string, keys []string) error {
	err := &fail.Error{
		Code:    fail.SegmentNotFound,
		Message: fmt.Sprintf("no segment '%s' in metadata.yaml", path),
		Kind:    fail.ErrNotFound,
		Hints:   []string{"there are: " + strings.Join(keys, ", ")},
	}
	if near := nearest(path, keys); near != "" {
		err.Hints = []string{"git context metadata get " + near}
	}
	return err
}

// print writes YAML; which moment of the past it is of stands in a comment.
func (seg *segment) print(p *render.Printer) {
	if seg.at != nil {
		line(p, "# %s", render.AtLine(seg.at))
	}
	block(p, string(seg.yaml))
}
