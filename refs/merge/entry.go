package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// descends reports whether the branch of a tip goes back to another branch by
// created_from, directly or through branches between.
func descends(ctx context.Context, s *store.Store, tip *git.Commit, from string) (bool, error) {
	seen := map[string]bool{} // names can form a ring
	for {
		_, parent := store.ParseCreated(tip.Trailer(store.TrailerCreated))
		switch {
		case parent == nil || seen[*parent]:
			return false, nil
		case *parent == from:
			return true, nil
		}
		seen[*parent] = true
		next, err := s.Tip(ctx, *parent)
		if errors.Is(err, fail.ErrNotFound) { // deleted or renamed since
			return false, nil
		}
		if err != nil {
			return false, err
		}
		tip = next.Commit()
	}
}

// entry is the commit of a merge: what the caller wrote, what the branch was
// for, and what it brought.
func (m *operation) entry(ctx context.Context, summary string, source, target *store.Tip, u *United) (*doc.Commit, error) {
	meta, err := source.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	limit, err := m.Store.SummaryLimit(ctx)
	if err != nil {
		return nil, err
	}
	var parts []string
	if m.o.Contribution != "" {
		parts = append(parts, m.o.Contribution)
	}
	if purpose := meta.Branch().Purpose; purpose != "" {
		parts = append(parts, fmt.Sprintf("What '%s' was for: %s", source.Name(), purpose))
	}
	parts = append(parts, fmt.Sprintf("It brought %s and %s.", prose.Count(len(u.brought), "commit"), prose.Count(u.steps, "step")))
	theirs, _, err := source.LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	if progress := ownProgress(theirs, source.Name(), limit/2); progress != "" {
		parts = append(parts, progress)
	}
	entry := &doc.Commit{Kind: doc.KindMerge, Summary: summary, Contribution: strings.Join(parts, "\n\n")}
	// The summary goes on from the target's own last commit, not from whatever
	// entry is the newest in the merged file.
	ours, _, err := m.Store.TipOf(target.Name(), target.Commit()).LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	roadmap, err := m.Store.RoadmapTip(ctx)
	if err != nil {
		return nil, err
	}
	if entry.Goal, err = m.Store.Goal(ctx, target.Commit(), roadmap, ours); err != nil {
		return nil, err
	}
	if len(ours) > 0 {
		entry.Progress = doc.NextProgressOf(ours, limit)
	}
	return entry, err
}

// ownProgress sums up what a branch did itself, without the progress that it was
// born with: the target knows that. A rollback says itself how far it went back.
func ownProgress(live []doc.Commit, branch string, limit int) string {
	progress := ""
	for _, m := range live {
		if m.Origin == branch && m.Kind != doc.KindBirth {
			if m.Kind != doc.KindRollback {
				m.Progress = progress
			}
			progress = doc.NextProgress(m, limit)
		}
	}
	return progress
}

// outcomeLimit is how much of the reason for an end goes into the roadmap, in characters: a dead
// end is worth its whole story.
const outcomeLimit = 1000

// outcome adds a branch's end to the roadmap, ticks what the caller says is done
// and returns the roadmap's commit.
func (m *operation) outcome(ctx context.Context, source *store.Tip, what string) (git.ID, error) {
	old, data, err := m.Store.ReadRoadmap(ctx)
	if err != nil {
		return "", err
	}
	meta, err := source.Metadata(ctx)
	if err != nil {
		return "", err
	}
	r := doc.ParseRoadmap(data)
	if err := m.o.RoadmapChange.Apply(r); err != nil {
		return "", err
	}
	outcome := func(note string) string {
		if note == "" {
			return source.Name() + " " + what
		}
		return source.Name() + " " + what + ": " + prose.OneLine(note, outcomeLimit)
	}
	line := outcome(cmp.Or(m.o.Summary, meta.Branch().Purpose))
	if m.o.Abandon && m.addsWhy(source, source.Commit().Trailer(store.TrailerStatus)) {
		r.RemoveOutcome(outcome(meta.Branch().Purpose))
	}
	r.AddOutcome(line)
	tip, err := m.WriteRoadmap(ctx, old, data, r, line)
	if errors.Is(err, store.ErrRoadmapElsewhere) && m.o.RoadmapChange.Empty() {
		m.Store.Warn("the roadmap does not tell of this merge: " + err.Error())
		return "", nil
	}
	return tip, err
}
