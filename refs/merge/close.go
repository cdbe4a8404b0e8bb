package merge

import (
	"cmp"
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// checkOpen refuses to abandon a branch that is closed already, unless it has
// steps that nothing has seen, or nobody has said yet why it was abandoned.
func (m *operation) checkOpen(source *store.Tip) error {
	status := source.Commit().Trailer(store.TrailerStatus)
	if status == "" || status == doc.StatusActive || len(m.drained.Lines) > 0 || m.addsWhy(source, status) {
		return nil
	}
	return fail.New(fail.ErrRefused, fail.BranchClosed, fmt.Sprintf("branch '%s' is %s already", source.Name(), status),
		"git context branch -d "+source.Name())
}

// addsWhy reports whether the branch was abandoned without a reason, which is given now.
func (m *operation) addsWhy(source *store.Tip, status string) bool {
	return status == doc.StatusAbandoned && m.o.Summary != "" && store.BranchAt(source.Name(), source.Commit()).Why == ""
}

// closeSource commits what is pending on the source and, if the merge closes it,
// says so there. It returns the source as it then is.
func (m *operation) closeSource(ctx context.Context, source *store.Tip) (*store.Tip, error) {
	closes, status := m.o.Abandon, doc.StatusAbandoned
	if !m.o.Abandon && !m.o.Keep {
		var err error
		if closes, err = descends(ctx, m.Store, source.Commit(), m.target); err != nil {
			return nil, err
		}
		status = doc.StatusMerged
	}
	old := cmp.Or(m.was, source.Commit().ID)
	if !closes && len(m.drained.Lines) == 0 {
		if m.was != "" && !m.remote {
			m.Refs.Update(git.BranchRef(source.Name()), source.Commit().ID, old)
		}
		return source, nil
	}
	c, err := m.Follow(ctx, source, m.closingSubject(source.Name(), closes))
	if err != nil {
		return nil, err
	}
	if _, err = m.Drain(ctx, c, source, m.drained); err != nil {
		return nil, err
	}
	m.lastID = c.Newest
	if closes {
		facts := c.Meta.Branch()
		facts.Status = status
		facts.MergedInto, facts.MergedAt = m.target, m.Signature.When
		if m.o.Abandon {
			facts.MergedInto, c.Body = "", m.o.Contribution
		}
		if err := c.Meta.SetBranch(facts); err != nil {
			return nil, err
		}
	}
	if m.o.Abandon {
		if c.Roadmap, err = m.outcome(ctx, source, "abandoned"); err != nil {
			return nil, err
		}
	}
	if m.closing, err = m.Write(ctx, c, old); err != nil {
		return nil, err
	}
	return m.Store.TipOf(source.Name(), m.closing), nil
}

// closingSubject is the subject of the commit on the source.
func (m *operation) closingSubject(name string, closes bool) string {
	switch {
	case m.o.Abandon && m.o.Summary != "":
		return store.SubjectAbandon + name + ": " + prose.OneLine(m.o.Summary, store.PurposeLimit)
	case m.o.Abandon:
		return store.SubjectAbandon + name
	case closes:
		return fmt.Sprintf("Close branch %s, merged into %s", name, m.target)
	}
	return fmt.Sprintf("Record %s for a merge into %s", prose.Count(len(m.drained.Lines), "pending step"), m.target)
}

// heal returns the source with what its commits have lost, see [store.Above]: a merge must not take away what only a commit
// without a record has removed. A branch of this repository that lacks nothing of the bases is not looked into.
func (m *operation) heal(ctx context.Context, source *store.Tip, target git.ID, bases []git.ID) (*store.Tip, error) {
	if !m.remote {
		lacks, err := m.lacks(ctx, source, bases)
		if err != nil || !lacks {
			return source, err
		}
	}
	healed, err := m.HealSource(ctx, source, target)
	if err != nil || healed == nil {
		return source, err
	}
	m.was = source.Commit().ID
	return m.Store.TipOf(source.Name(), healed), nil
}

// lacks reports whether the source lacks a topic or a key of one of the bases.
func (m *operation) lacks(ctx context.Context, source *store.Tip, bases []git.ID) (bool, error) {
	topics, err := store.TopicIDs(ctx, source)
	if err != nil {
		return false, err
	}
	meta, err := source.Metadata(ctx)
	if err != nil {
		return false, err
	}
	for _, id := range bases {
		base, err := m.Store.TipAt(ctx, source.Name(), id)
		if err != nil {
			return false, err
		}
		had, err := store.TopicIDs(ctx, base)
		if err != nil {
			return false, err
		}
		for name := range had {
			if topics[name] == "" {
				return true, nil
			}
		}
		before, err := base.Metadata(ctx)
		if err != nil {
			return false, err
		}
		if lost, err := meta.Lost(before, false); err != nil || len(lost) > 0 {
			return len(lost) > 0, err
		}
	}
	return false, nil
}
