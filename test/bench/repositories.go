package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The repositories that a search over several is measured on.
const (
	searchedRepos   = 20
	searchedCommits = 1_000 // of each, in one branch
)

// printRepositories measures a search and a recall over many repositories, in turn with all indexes and without
// any. Nothing builds an index in the background meanwhile.
func (b *bench) printRepositories(w io.Writer) error {
	var repos []*repo
	var dirs []string
	for i := range searchedRepos {
		r, err := b.newRepo(fmt.Sprintf("searched/%d", i), 0)
		if err != nil {
			return err
		}
		if err := errors.Join(r.fillBranches(1, searchedCommits), r.settle(), r.git("config", "context.search.background", "false")); err != nil {
			return err
		}
		repos = append(repos, r)
		dirs = append(dirs, "--repo", r.dir)
	}
	if _, err := fmt.Fprintf(w, "\nA search over %d repositories with %d commits and %d steps each (milliseconds):\n\n"+
		"| operation | with indexes | without |\n|---|---|---|\n", searchedRepos, searchedCommits, searchedCommits*stepsOfMilestone); err != nil {
		return err
	}
	for _, line := range [][]string{{"search", searchQuery}, {"recall", recallText}} {
		var warms, colds []time.Duration
		for i := range b.runs/5 + 1 {
			for _, r := range repos {
				if err := os.RemoveAll(filepath.Join(r.dir, ".git", "context", "cache", "search")); err != nil {
					return err
				}
			}
			args := append([]string{line[0], line[1]}, dirs...)
			cold, err := repos[0].time(repos[0].dir, b.bin, args...)
			if err != nil {
				return err
			}
			warm, err := repos[0].time(repos[0].dir, b.bin, args...)
			if err != nil {
				return err
			}
			if i >= 1 { // the first warms the disk
				warms, colds = append(warms, warm), append(colds, cold)
			}
		}
		if _, err := fmt.Fprintf(w, "| %s | %.0f | %.0f |\n", line[0], median(warms).Seconds()*1000, median(colds).Seconds()*1000); err != nil {
			return err
		}
	}
	return nil
}
