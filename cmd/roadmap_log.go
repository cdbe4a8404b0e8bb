package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/render"
)

// roadmapLog is the history of main.md, newest first.
type roadmapLog struct {
	Commits []render.Revision `json:"commits"`
}

// readRoadmapLog asks git log: one child whatever the length.
func readRoadmapLog(ctx context.Context, s *refs.Store) (*roadmapLog, error) {
	if _, err := s.Repo().Ref(ctx, git.RoadmapRef); errors.Is(err, git.ErrNotFound) {
		return nil, fail.ErrNoMemory
	} else if err != nil {
		return nil, err
	}
	out, err := s.Repo().View(ctx, "log", "--first-parent",
		"--format=%H%x00%ct%x00%(trailers:key=Agent,valueonly,separator=)%x00%s", "--end-of-options", git.RoadmapRef, "--")
	if err != nil {
		return nil, err
	}
	log := &roadmapLog{Commits: []render.Revision{}}
	for l := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSuffix(l, "\n"), "\x00", 4)
		if len(fields) < 4 {
			return nil, fmt.Errorf("git log said '%s'", l)
		}
		at, ok := parseTime("@" + fields[1])
		if !ok {
			return nil, fmt.Errorf("git log gave the time '%s'", fields[1])
		}
		log.Commits = append(log.Commits, render.Revision{
			Commit: git.ID(fields[0]), Time: at, Agent: fields[2], Summary: fields[3],
		})
	}
	return log, nil
}
