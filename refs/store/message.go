package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// TreeFromMessage writes the tree of a commit with an entry as its message tells it, on a base: the entry without what no message has, and no
// steps. goal is that of the roadmap then. It is the tree of a COMMIT without steps to the bit, if it is the parent that is given.
func (tx *Transaction) TreeFromMessage(ctx context.Context, base *Tip, c *git.Commit, goal string) (git.ID, error) {
	live, data, err := base.LiveCommits(ctx)
	if err != nil {
		return "", err
	}
	m, err := tx.entryFrom(ctx, base, c, live)
	if err != nil {
		return "", err
	}
	m.Goal = goal
	defer tx.as(Told{Commit: c, Entry: &m})()
	draft, err := tx.Follow(ctx, base, c.Subject())
	if err != nil {
		return "", err
	}
	draft.Code = git.ID(c.Trailer(TrailerCode))
	if err := draft.Count(base.branch, m.Steps.Count, 0); err != nil {
		return "", err
	}
	if err := tx.putEntry(ctx, draft, data, &m); err != nil {
		return "", err
	}
	if err := tx.Store.RefreshDetected(ctx, draft, base.commit); err != nil {
		return "", err
	}
	return tx.WriteTree(ctx, draft)
}

// entryFrom returns the entry of a commit as its message tells it, behind the live ones of a base.
func (tx *Transaction) entryFrom(ctx context.Context, base *Tip, c *git.Commit, live []doc.Commit) (m doc.Commit, err error) {
	meta, err := base.Metadata(ctx)
	if err != nil {
		return m, err
	}
	subject, body, _ := c.Parts()
	m = doc.Commit{ID: c.Trailer(TrailerID), Time: c.Committer.When, Agent: c.Trailer(TrailerAgent), Session: c.Trailer(TrailerSession),
		Model: c.Trailer(TrailerModel), Origin: base.branch, Steps: stepsOf(c), Purpose: meta.Branch().Purpose,
		Summary: strings.TrimRight(subject, "\n"), Contribution: strings.TrimRight(body, "\n")}
	if m.Agent == "" {
		m.Agent = c.Author.Name
	}
	if m.Contribution == "" {
		m.Contribution = m.Summary
	}
	if len(c.Parents) > 1 {
		m.Kind = doc.KindMerge
	}
	if n, err := strconv.ParseInt(c.Trailer(TrailerTokens), 10, 64); err == nil {
		m.Tokens = n
	}
	if len(live) > 0 {
		limit, err := tx.Store.SummaryLimit(ctx)
		if err != nil {
			return m, err
		}
		m.Progress = doc.NextProgressOf(live, limit)
	}
	m.Number = NextNumber(live, base.branch, meta.Totals().Origins[base.branch].Commits+1)
	return m, nil
}

// stepsOf parses Context-Steps; zero where it is missing or damaged.
func stepsOf(c *git.Commit) doc.Steps {
	var s doc.Steps
	switch n, _ := fmt.Sscanf(c.Trailer(TrailerSteps), "%d-%d (%d)", &s.First, &s.Last, &s.Count); {
	case n == 2:
		s.Count = s.Last - s.First + 1
	case n < 2:
		return doc.Steps{}
	}
	if s.First < 1 || s.Last < s.First || s.Count < 1 || s.Count > s.Last-s.First+1 {
		return doc.Steps{}
	}
	return s
}
