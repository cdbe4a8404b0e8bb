package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// branchImport is one attempt to import a branch of the folder.
type branchImport struct {
	*store.Chain
	m     *folderImport
	b     *importBranch
	known known
	goal  string

	covers []doc.Step // all steps since the last entry, known ones included
	made   []datedCommit
	res    Counts
	left   []string // a warning for each value that could not be imported
}

// importBranch imports one branch: a chain of commits, and one move of its ref.
func (m *folderImport) importBranch(ctx context.Context, b *importBranch) error {
	tx, err := m.s.Begin(ctx, m.o.Writer, "import: "+m.res.Dialect, b.name)
	if err != nil {
		return err
	}
	defer tx.Close()
	var i *branchImport
	err = tx.Swap(ctx, func(ctx context.Context) error {
		i = &branchImport{m: m, b: b}
		err := i.build(ctx, tx)
		if err == nil && m.o.DryRun {
			err = store.ErrNothing
		}
		return err
	})
	if err != nil {
		return err
	}
	m.res.Commits += i.res.Commits
	m.res.Steps += i.res.Steps
	m.res.Skipped += i.res.Skipped
	m.res.Warnings = append(m.res.Warnings, i.left...)
	if len(i.made) == 0 {
		return nil
	}
	m.res.Branches++
	if b.commits = i.made; m.o.DryRun {
		return nil
	}
	m.res.Warnings = append(m.res.Warnings, tx.LateWarnings(i.Settle(ctx))...)
	return nil
}

// build makes the chain on the present branch and queues its move.
func (i *branchImport) build(ctx context.Context, tx *store.Transaction) error {
	var err error
	if i.known, err = knownOf(ctx, tx.Store, i.b.name); err != nil {
		return err
	}
	if err := i.begin(ctx, tx); err != nil {
		return err
	}
	meter := i.Store.Repo().Meter("Importing branch '"+i.b.name+"'", len(i.b.entries))
	defer meter.End()
	for _, e := range i.b.entries {
		if err := i.add(ctx, e); err != nil {
			return err
		}
		meter.Add(1)
	}
	if err := i.finish(ctx); err != nil {
		return err
	}
	if len(i.made) == 0 {
		return store.ErrNothing
	}
	i.Queue()
	return nil
}

// begin finds the branch's tip, or makes its birth.
func (i *branchImport) begin(ctx context.Context, tx *store.Transaction) error {
	_, roadmap, err := tx.Store.ReadRoadmap(ctx)
	if err != nil {
		return err
	}
	i.goal = doc.ParseRoadmap(roadmap).Goal()
	if i.known.tip != "" {
		at, err := tx.Store.TipAt(ctx, i.b.name, i.known.tip)
		i.Chain = tx.Chain(i.b.name, at)
		i.Content = i.m.files.content
		return err
	}
	i.Chain = tx.Chain(i.b.name, nil)
	i.Content = i.m.files.content
	if i.b.birth == nil {
		return fail.New(fail.ErrStale, fail.Busy, fmt.Sprintf("branch '%s' was deleted meanwhile", i.b.name),
			"run the command again")
	}
	if err := i.Store.CheckNewName(ctx, i.b.name); err != nil {
		return err
	}
	if err := i.Store.DropLeftovers(ctx, i.b.name); err != nil {
		return err
	}
	from, err := i.from(ctx)
	if err != nil {
		return err
	}
	tip, err := i.Store.RoadmapTip(ctx)
	if err != nil {
		return err
	}
	c, err := i.NewBirth(ctx, store.Birth{Name: i.b.name, Purpose: i.b.peer.Purpose, From: from, Roadmap: tip,
		Goal: i.goal, At: i.b.birth.at, ID: i.b.birth.commit.ID})
	if err != nil {
		return err
	}
	tx.SameRoadmap(tip)
	facts := c.Meta.Branch()
	facts.CreatedFrom = cmp.Or(facts.CreatedFrom, i.m.name(i.b.peer.Parent))
	if err := c.Meta.SetBranch(facts); err != nil {
		return err
	}
	if _, err := c.Meta.Unset(keyImported); err != nil { // inherited from the parent
		return err
	}
	return i.commit(ctx, c, i.b.birth.at)
}

// from returns where the branch starts: its parent as it was when the branch was created,
// if this import made that, else the parent's present tip. Without a parent here it starts
// empty.
func (i *branchImport) from(ctx context.Context) (*store.Tip, error) {
	if i.b.peer.Parent == "" {
		return nil, nil
	}
	parent := i.m.name(i.b.peer.Parent)
	for _, b := range i.m.branches {
		if b.name != parent || len(b.commits) == 0 {
			continue
		}
		at := b.commits[0].commit // its birth, or the parent of the first commit
		if b.birth == nil {
			return i.fromExisting(ctx, b)
		}
		return i.Store.TipOf(parent, lastBefore(b.commits, i.b.birth.at, at)), nil
	}
	tip, err := i.Store.Tip(ctx, parent)
	if errors.Is(err, fail.ErrNotFound) {
		return nil, nil
	}
	return tip, err
}

// fromExisting is from for a parent that existed before the import.
func (i *branchImport) fromExisting(ctx context.Context, parent *importBranch) (*store.Tip, error) {
	before, err := i.Store.Repo().Commit(ctx, parent.commits[0].commit.Parents[0])
	if err != nil {
		return nil, err
	}
	return i.Store.TipOf(parent.name, lastBefore(parent.commits, i.b.birth.at, before)), nil
}

// lastBefore returns the last of the commits that is not after at; none if there is no such
// commit.
func lastBefore(commits []datedCommit, at time.Time, none *git.Commit) *git.Commit {
	for _, c := range commits {
		if c.at.After(at) {
			break
		}
		none = c.commit
	}
	return none
}

// add imports one entry. Steps wait for the commit that follows them.
func (i *branchImport) add(ctx context.Context, e *importEntry) error {
	if e.step != nil {
		have, known := i.known.steps[e.key]
		if known {
			i.covers = append(i.covers, have)
			i.res.Skipped++
			return nil
		}
		i.covers = append(i.covers, *e.step)
		i.Wait(*e.step)
		i.res.Steps++
		return nil
	}
	if i.known.commits[e.key] {
		i.covers = nil
		i.res.Skipped++
		return nil
	}
	i.res.Commits++
	return i.addCommit(ctx, e)
}

// addCommit writes the memory commit of an entry and of the steps that waited for it.
func (i *branchImport) addCommit(ctx context.Context, e *importEntry) error {
	m := *e.commit
	m.Goal, m.Steps = i.goal, coveredBy(i.covers)
	i.covers = nil
	commit, err := i.Enter(ctx, m, "")
	if err == nil {
		i.made = append(i.made, datedCommit{e.at, commit})
	}
	return err
}

// coveredBy returns the range of steps that an entry covers. Steps of other branches have
// numbers of their own and are only counted.
func coveredBy(steps []doc.Step) doc.Steps {
	var r doc.Steps
	for n, s := range steps {
		if n == 0 || s.Number < r.First {
			r.First = s.Number
		}
		r.Last = max(r.Last, s.Number)
		r.Count++
	}
	return r
}

// commit writes a draft as the new end of the chain.
func (i *branchImport) commit(ctx context.Context, c *store.Draft, at time.Time) error {
	commit, err := i.Put(ctx, c)
	if err == nil {
		i.made = append(i.made, datedCommit{at, commit})
	}
	return err
}
