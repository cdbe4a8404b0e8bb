package store

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
)

// checkOpen refuses to abandon a branch that is closed already, unless it has
// steps that nobody has seen.
func (m *merging) checkOpen(source *Tip) error {
	status := source.commit.Trailer(TrailerStatus)
	if status == "" || status == doc.StatusActive || len(m.drained.lines) > 0 {
		return nil
	}
	return fail.New(fail.ErrRefused, fail.BranchClosed, fmt.Sprintf("branch '%s' is %s already", source.branch, status),
		"git context branch -d "+source.branch)
}

// closeSource commits what is pending on the source and, if the merge closes it,
// says so there. It returns the source as it then stands.
func (m *merging) closeSource(ctx context.Context, source *Tip) (*Tip, error) {
	closes, status := m.o.Abandon, doc.StatusAbandoned
	if !m.o.Abandon && !m.o.Keep {
		var err error
		if closes, err = m.Store.descends(ctx, source.commit, m.target); err != nil {
			return nil, err
		}
		status = doc.StatusMerged
	}
	if !closes && len(m.drained.lines) == 0 {
		return source, nil
	}
	subject := fmt.Sprintf("Record %s for a merge into %s", prose.Count(len(m.drained.lines), "pending step"), m.target)
	switch {
	case m.o.Abandon:
		subject = "Abandon branch " + source.branch
	case closes:
		subject = fmt.Sprintf("Close branch %s, merged into %s", source.branch, m.target)
	}
	c, err := m.Follow(ctx, source, subject)
	if err != nil {
		return nil, err
	}
	if _, err = m.drain(ctx, c, source, m.drained); err != nil {
		return nil, err
	}
	m.lastID = c.Newest
	if closes {
		facts := c.Meta.Branch()
		facts.Status = status
		facts.MergedInto, facts.MergedAt = m.target, m.by.When
		if m.o.Abandon {
			facts.MergedInto, c.body = "", m.o.Contribution
		}
		if err := c.Meta.SetBranch(facts); err != nil {
			return nil, err
		}
	}
	if m.o.Abandon {
		if c.roadmap, err = m.outcome(ctx, source, "abandoned"); err != nil {
			return nil, err
		}
	}
	if m.closing, err = m.Write(ctx, c, source.commit.ID); err != nil {
		return nil, err
	}
	return m.Store.tipOf(source.branch, m.closing), nil
}
