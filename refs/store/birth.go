package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// SubjectBirth begins the subject of the first commit of a branch, before its name.
const SubjectBirth = "Start branch "

// Birth is the first commit of a branch: a commit.md with one entry, the
// purpose; an empty log.md; its own facts; no sealed segments. What the branch
// starts from, if anything, is its parent: that history stays reachable and its
// topics and segments of metadata are inherited.
type Birth struct {
	Name, Purpose string
	From          *Tip // nil for the first branch
	Roadmap       git.ID
	Goal          string // of the first branch; the others find it in what they start from
	Code          git.ID
	At            time.Time // when the branch was made; zero: now
	ID            string    // of its entry; empty: a new one
}

// WriteBirth writes a birth and queues the branch's ref.
func (tx *Transaction) WriteBirth(ctx context.Context, b Birth) (*git.Commit, error) {
	c, err := tx.NewBirth(ctx, b)
	if err != nil {
		return nil, err
	}
	if b.From != nil {
		tx.SameRoadmap(b.Roadmap)
	}
	return tx.Write(ctx, c, "")
}

// SameRoadmap lets the transaction fail with git.ErrStale if the roadmap is not the given one when the refs move, for
// a birth: only its own name is locked. Else a branch that was begun before a deinit would bring all that this
// removes back. Once for a transaction; "" checks nothing.
func (tx *Transaction) SameRoadmap(id git.ID) {
	if id != "" {
		tx.Refs.Update(git.RoadmapRef, id, id)
	}
}

// NewBirth makes the draft of a branch's first commit.
func (tx *Transaction) NewBirth(ctx context.Context, b Birth) (*Draft, error) {
	if b.At.IsZero() {
		b.At = tx.Signature.When
	}
	c := &Draft{branch: b.Name, Tree: tx.Store.repo.Edit(""), Meta: doc.NewMetadata(), Roadmap: b.Roadmap, Code: b.Code}
	m := doc.Commit{Kind: doc.KindBirth, Summary: SubjectBirth + b.Name, Contribution: SubjectBirth + b.Name,
		Goal: quoted(b.Goal), Purpose: quoted(b.Purpose), Origin: b.Name, Time: b.At,
		Agent: tx.Writer.Agent, Session: tx.Writer.Session, Model: tx.Writer.Model}
	facts := doc.BranchFacts{Name: b.Name, Purpose: b.Purpose, CreatedAt: b.At, Status: doc.StatusActive}
	if b.From != nil {
		if BranchOf(b.From.commit) == b.Name {
			return nil, tx.Store.hidesItself(ctx, b.Name)
		}
		if err := tx.inherit(ctx, c, b.From, &m); err != nil {
			return nil, err
		}
		facts.CreatedFrom = b.From.branch
	}
	c.Subject = m.Summary
	var err error
	if m.ID = b.ID; m.ID == "" {
		if m.ID, err = tx.Store.NewID(c.Newest); err != nil {
			return nil, err
		}
	}
	c.Newest = max(c.Newest, m.ID)
	if err := c.Meta.SetBranch(facts); err != nil {
		return nil, err
	}
	if err := c.Meta.SetTotals(doc.Totals{Origins: map[string]doc.OriginTotals{b.Name: {}}}); err != nil {
		return nil, err
	}
	// What could not be found out is told by the first COMMIT, which asks again.
	if err := tx.Store.RefreshDetected(ctx, c, c.Parent); err != nil {
		return nil, err
	}
	if err := tx.Put(ctx, c.Tree, doc.CommitFile, doc.FormatCommits([]doc.Commit{m})); err != nil {
		return nil, err
	}
	if err := tx.Put(ctx, c.Tree, doc.LogFile, doc.EmptyLog(b.Name)); err != nil {
		return nil, err
	}
	return c, nil
}

// hidesItself refuses a branch that starts from a commit of its own name: it would be without that history, which
// package loss takes for a loss.
func (s *Store) hidesItself(ctx context.Context, name string) error {
	deleted, err := s.newestDeleted(ctx, name)
	if err != nil {
		return err
	}
	way := "git context switch " + name // of a remote
	if deleted.Name != "" {
		way = "git context branch --restore " + name
	}
	return fail.New(fail.ErrInvalid, fail.BranchName, fmt.Sprintf("'%s' cannot start from a commit of branch '%s' itself, "+
		"because it would hide the history of that branch", name, name), way, "or choose another name")
}

// inherit takes over what a new branch gets from the one that it starts from:
// everything but its commits, its steps and their segments. Its progress so
// far becomes the progress that the new branch starts with.
func (tx *Transaction) inherit(ctx context.Context, c *Draft, from *Tip, m *doc.Commit) error {
	live, _, err := from.LiveCommits(ctx)
	if err != nil {
		return err
	}
	if c.Newest, err = from.NewestEntry(ctx); err != nil {
		return err
	}
	if c.Meta, err = from.Metadata(ctx); err != nil {
		return err
	}
	if m.Goal, err = tx.Store.Goal(ctx, from.commit, c.Roadmap, live); err != nil {
		return err
	}
	m.Summary += " from " + from.branch
	m.Contribution = m.Summary
	if len(live) > 0 {
		limit, err := tx.Store.SummaryLimit(ctx)
		if err != nil {
			return err
		}
		m.Progress = doc.NextProgressOf(live, limit)
	}
	c.Tree = tx.Store.repo.Edit(from.commit.Tree)
	for _, dir := range []string{doc.LogDir, doc.CommitDir} {
		if err := c.Tree.Remove(ctx, dir); err != nil {
			return err
		}
	}
	c.Parents, c.Parent = []git.ID{from.commit.ID}, from.commit
	return nil
}

// CheckNewName refuses a name that exists, or differs from one that exists only
// by case: on many file systems the two would be one ref.
func (s *Store) CheckNewName(ctx context.Context, name string) error {
	if err := CheckBranchName(name); err != nil {
		return err
	}
	names, err := s.repo.RefNames(ctx, git.BranchPrefix)
	if err != nil {
		return err
	}
	for _, have := range names {
		have = have[len(git.BranchPrefix):]
		if have == name {
			return fail.New(fail.ErrExists, fail.BranchExists, fmt.Sprintf("branch '%s' already exists", name),
				"git context switch "+name)
		}
		if clash := NameClash(have, name); clash != "" {
			return fail.New(fail.ErrExists, fail.BranchExists, fmt.Sprintf("branch '%s' %s", name, clash), "choose another name")
		}
	}
	return nil
}

// NewNames returns the names of branches, or of tags for git.TagPrefix, that can be made, all of them together, in their
// order: those that [Store.CheckNewName] accepts while the ones before are made. It reads the refs once.
func (s *Store) NewNames(ctx context.Context, prefix string, names []string) (map[string]bool, error) {
	have, err := s.repo.RefNames(ctx, prefix)
	if err != nil {
		return nil, err
	}
	taken, below := map[string]bool{}, map[string]bool{} // names, which are ASCII, and the folders that they are in
	take := func(folded string) {
		taken[folded] = true
		for at := range len(folded) {
			if folded[at] == '/' {
				below[folded[:at]] = true
			}
		}
	}
	for _, ref := range have {
		take(strings.ToLower(ref[len(prefix):]))
	}
	free := map[string]bool{}
	for _, name := range names {
		folded := strings.ToLower(name)
		clash := CheckBranchName(name) != nil || taken[folded] || below[folded]
		for at := 0; at < len(folded) && !clash; at++ {
			clash = folded[at] == '/' && taken[folded[:at]]
		}
		if !clash {
			free[name] = true
			take(folded)
		}
	}
	return free, nil
}

// NameClash returns why two names cannot exist together as files in a folder that ignores
// case; "" where they can.
func NameClash(have, name string) string {
	switch {
	case have == name:
	case strings.EqualFold(have, name):
		return fmt.Sprintf("differs only by case from '%s'", have)
	case IsPrefix(have, name) || IsPrefix(name, have):
		return fmt.Sprintf("cannot exist beside '%s': git keeps refs as files and folders", have)
	}
	return ""
}

// IsPrefix reports whether a is a folder on the way to b, in any case of letters.
func IsPrefix(a, b string) bool {
	return len(b) > len(a) && b[len(a)] == '/' && strings.EqualFold(a, b[:len(a)])
}
