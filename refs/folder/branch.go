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
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// branchImport is one attempt to import a branch of the folder.
type branchImport struct {
	*store.Transaction
	m     *folderImport
	b     *importBranch
	known known
	goal  string
	tip   *store.Tip // the end of the chain so far; nil before a birth

	waiting []doc.Step // new steps for the next commit
	covers  []doc.Step // all steps since the last entry, known ones included
	made    []datedCommit
	res     Counts
	last    int      // the highest number assigned
	left    []string // a warning for each value that could not be imported
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
		i = &branchImport{Transaction: tx, m: m, b: b}
		err := i.build(ctx)
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
	m.res.Warnings = append(m.res.Warnings, tx.LateWarnings(i.settle(ctx))...)
	return nil
}

// settle does what follows the move of the ref: the journal and the notes.
func (i *branchImport) settle(ctx context.Context) (mark, fold error) {
	end := i.made[len(i.made)-1].commit
	if i.known.tip == "" {
		mark = i.Store.MakeJournal(ctx, i.b.name)
	} else {
		var p store.Pending
		if p, mark = i.Store.Pending(ctx, i.Store.TipOf(i.b.name, end)); mark == nil {
			mark = i.Mark(ctx, i.b.name, p.Untouched(), end.ID, i.last, end.Trailer(store.TrailerNewest))
		}
	}
	if lazy, err := i.Store.LazyNotes(ctx); err != nil || lazy {
		return mark, err
	}
	_, err := i.FoldAll(ctx, []*git.Commit{end}, "")
	return mark, err
}

// build makes the chain on the present branch and queues its move.
func (i *branchImport) build(ctx context.Context) error {
	var err error
	if i.known, err = knownOf(ctx, i.Store, i.b.name); err != nil {
		return err
	}
	if err := i.begin(ctx); err != nil {
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
	i.Refs.Update(git.BranchRef(i.b.name), i.tip.Commit().ID, i.known.tip)
	return nil
}

// begin finds the branch's tip, or makes its birth.
func (i *branchImport) begin(ctx context.Context) (err error) {
	_, roadmap, err := i.Store.ReadRoadmap(ctx)
	if err != nil {
		return err
	}
	i.goal = doc.ParseRoadmap(roadmap).Goal()
	if i.known.tip != "" {
		i.tip, err = i.Store.TipAt(ctx, i.b.name, i.known.tip)
		return err
	}
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
		i.covers, i.waiting = append(i.covers, *e.step), append(i.waiting, *e.step)
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
	c, err := i.next(ctx, m.Summary)
	if err != nil {
		return err
	}
	data, err := i.tip.OptionalDocument(ctx, doc.CommitFile)
	if err != nil {
		return err
	}
	if err := c.Count(i.b.name, 0, 1); err != nil {
		return err
	}
	live, err := doc.ParseCommits(data)
	if err != nil {
		return err
	}
	m.Number = store.NextNumber(live, i.b.name, c.Meta.Totals().Origins[i.b.name].Commits)
	m.Goal, m.Steps = i.goal, coveredBy(i.covers)
	i.covers = nil
	grown, err := doc.GrowCommits(data, []doc.Commit{m})
	if err != nil {
		return err
	}
	if err := i.PutGrowth(ctx, c.Tree, doc.CommitFile, grown); err != nil {
		return err
	}
	c.Entry, c.Newest = &m, max(c.Newest, m.ID)
	if m.Contribution != m.Summary {
		c.Body = m.Contribution
	}
	c.Subject = prose.OneLine(m.Summary, maxSubject)
	return i.commit(ctx, c, e.at)
}

// maxSubject limits a title that another tool did not limit, in characters. The entry
// contains all of it.
const maxSubject = 300

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

// next begins a draft with the waiting steps. The present code commit is unrelated to it.
func (i *branchImport) next(ctx context.Context, subject string) (*store.Draft, error) {
	c, err := i.Follow(ctx, i.tip, subject)
	if err != nil {
		return nil, err
	}
	c.Code = ""
	if len(i.waiting) == 0 {
		return c, nil
	}
	data, err := i.tip.OptionalDocument(ctx, doc.LogFile)
	if err != nil {
		return nil, err
	}
	grown, err := doc.GrowLog(data, i.waiting)
	if err != nil {
		return nil, err
	}
	for _, s := range i.waiting {
		if c.Newest = max(c.Newest, s.ID); s.Origin == i.b.name {
			i.last = max(i.last, s.Number)
		}
		if err := c.Count(s.Origin, 1, 0); err != nil {
			return nil, err
		}
	}
	i.waiting = nil
	return c, i.PutGrowth(ctx, c.Tree, doc.LogFile, grown)
}

// commit writes a draft as the new end of the chain. Its writer is that of the entry.
func (i *branchImport) commit(ctx context.Context, c *store.Draft, at time.Time) error {
	by := *i.Transaction
	if c.Entry != nil {
		by.Writer = store.Writer{Agent: c.Entry.Agent, Session: c.Entry.Session}
	}
	commit, err := by.WriteObjects(ctx, c)
	if err != nil {
		return err
	}
	i.tip = i.Store.TipOf(i.b.name, commit)
	i.made = append(i.made, datedCommit{at, commit})
	return nil
}
