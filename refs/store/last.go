package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// LastChange is the newest change of a branch, of a kind that can be amended or undone: a
// COMMIT, or a change of topics or metadata.
type LastChange struct {
	Branch string
	Commit *git.Commit // the branch's tip
	Parent *Tip        // the branch before it
	Entry  *doc.Commit // of a COMMIT; nil for another change
	Steps  []doc.Step  // that the COMMIT took, oldest first
}

// LastChange reads the newest change of a branch. The error is fail.ErrRefused for a birth, a
// merge, a rollback, a renaming and a closing, with a hint at what takes that back.
func (s *Store) LastChange(ctx context.Context, tip *Tip) (*LastChange, error) {
	c := tip.commit
	if len(c.Parents) == 0 {
		return nil, s.birthNotUndone(ctx, tip.branch)
	}
	parent, err := s.TipAt(ctx, tip.branch, c.Parents[0])
	if errors.Is(err, git.ErrNotFound) {
		return nil, s.NoSuchCommit(ctx, string(c.Parents[0]), err)
	}
	if err != nil {
		return nil, err
	}
	l := &LastChange{Branch: tip.branch, Commit: c, Parent: parent}
	live, _, err := tip.LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	id := c.Trailer(TrailerID)
	if i := slices.IndexFunc(live, func(m doc.Commit) bool { return m.ID == id }); id != "" && i >= 0 {
		l.Entry = &live[i]
	}
	if l.isBirth() {
		return nil, s.birthNotUndone(ctx, tip.branch)
	}
	if err := l.check(ctx); err != nil || l.Entry == nil {
		return l, err
	}
	if l.Entry.Steps.Count > 0 {
		l.Steps, err = tip.ownSteps(ctx, parent)
	}
	return l, err
}

func (l *LastChange) isBirth() bool {
	return l.Entry != nil && l.Entry.Kind == doc.KindBirth || l.Commit.Trailer(TrailerCreated) != l.Parent.commit.Trailer(TrailerCreated)
}

// birthNotUndone is the refusal for a branch that nothing has happened on. The current branch cannot
// be deleted.
func (s *Store) birthNotUndone(ctx context.Context, branch string) error {
	remove := "git context branch -D " + branch
	target, err := s.repo.SymbolicRef(ctx, git.HeadName)
	switch {
	case errors.Is(err, git.ErrNotFound), err == nil && target != git.BranchRef(branch):
		return notUndone(branch, "its creation", remove)
	case err != nil:
		return err
	}
	if before, err := s.PreviousBranch(); err == nil && before != branch {
		return notUndone(branch, "its creation", "git context switch "+before+" && "+remove)
	}
	return notUndone(branch, "its creation", "git context deinit --dry-run")
}

// check refuses a change that is of another kind.
func (l *LastChange) check(ctx context.Context) error {
	kind := ""
	if l.Entry != nil {
		kind = l.Entry.Kind
	}
	c, p := l.Commit, l.Parent.commit
	back := "git context rollback " + string(l.Parent.beforeRemovals(ctx).Short())
	switch was := BranchOf(p); {
	case kind == doc.KindMerge || len(c.Parents) > 1:
		return notUndone(l.Branch, "a merge", back)
	case kind == doc.KindRollback:
		return notUndone(l.Branch, "a rollback", back)
	case BranchOf(c) != l.Branch:
		return notUndone(l.Branch, "of an unknown kind", back)
	case was != l.Branch && l.Entry == nil && was != "":
		return notUndone(l.Branch, "its new name", fmt.Sprintf("git context branch -m %s %s", l.Branch, was))
	case l.Entry == nil && c.Trailer(TrailerStatus) != p.Trailer(TrailerStatus):
		return notUndone(l.Branch, "its closing", "git context -b "+l.Branch+" commit -m SUMMARY")
	case l.Entry == nil && (c.Trailer(TrailerID) != "" || c.Trailer(TrailerJournal) != p.Trailer(TrailerJournal)):
		return notUndone(l.Branch, "of an unknown kind", back)
	}
	return nil
}

func notUndone(branch, what string, hints ...string) error {
	return fail.New(fail.ErrRefused, fail.NotUndone,
		fmt.Sprintf("the newest change of branch '%s' is %s, which cannot be amended or undone", branch, what), hints...)
}

// ownSteps reads the steps that the branch itself recorded and its parent lacks, oldest first. Their numbers do not tell: the branch of
// that name of another clone gives the same ones, and a step that waited while those were merged is older than they are.
func (t *Tip) ownSteps(ctx context.Context, parent *Tip) ([]doc.Step, error) {
	before, err := parent.stepsBut(ctx, t)
	if err != nil {
		return nil, err
	}
	had := stepIDs(before)
	steps, err := t.stepsBut(ctx, parent)
	steps = slices.DeleteFunc(steps, func(step doc.Step) bool { return had[step.ID] || step.Origin != t.branch })
	slices.SortFunc(steps, func(a, b doc.Step) int { return strings.Compare(a.ID, b.ID) })
	return steps, err
}

func stepIDs(steps []doc.Step) map[string]bool {
	ids := make(map[string]bool, len(steps))
	for _, step := range steps {
		ids[step.ID] = true
	}
	return ids
}

// stepsBut reads the steps in those files of the log that another tip does not have with the same content.
func (t *Tip) stepsBut(ctx context.Context, other *Tip) ([]doc.Step, error) {
	data, err := t.OptionalDocument(ctx, doc.LogFile)
	if err != nil {
		return nil, err
	}
	steps, err := doc.ParseLog(data)
	if err != nil {
		return nil, fmt.Errorf("%s of branch '%s': %w", doc.LogFile, t.branch, err)
	}
	err = t.eachBut(ctx, other, doc.LogDir, func(name string, id git.ID) error {
		data, err := t.repo.Blob(ctx, id)
		if err != nil {
			return err
		}
		more, err := doc.ParseLog(data)
		if err != nil {
			return fmt.Errorf("%s of branch '%s': %w", name, t.branch, err)
		}
		steps = append(steps, more...)
		return nil
	})
	return steps, err
}

// eachBut visits the files in a folder that another tip does not have there with the same content.
func (t *Tip) eachBut(ctx context.Context, other *Tip, dir string, visit func(name string, id git.ID) error) error {
	list, err := t.List(ctx, dir)
	if err != nil {
		return err
	}
	theirs, err := other.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		name := path.Join(dir, e.Name)
		switch {
		case slices.Contains(theirs, e):
		case e.Mode == git.ModeTree:
			err = t.eachBut(ctx, other, name, visit)
		default:
			err = visit(name, e.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Revised reports whether the COMMIT revised the roadmap itself.
func (l *LastChange) Revised() bool {
	id, age := ParseRoadmap(l.Commit.Trailer(TrailerRoadmap))
	before, _ := ParseRoadmap(l.Parent.commit.Trailer(TrailerRoadmap))
	return l.Entry != nil && id != "" && id != before && age == 0
}

// keepAge lets a draft that replaces the change say when the roadmap was revised as the
// change did, if it refers to the same one.
func (l *LastChange) keepAge(c *Draft) {
	if id, age := ParseRoadmap(l.Commit.Trailer(TrailerRoadmap)); id == c.Roadmap {
		c.RoadmapAge = age
	}
}
