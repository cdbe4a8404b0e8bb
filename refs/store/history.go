package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// Newest reads a branch's newest n milestones in full, newest first.
func (s *Store) Newest(ctx context.Context, t *Tip, n int) ([]Commit, error) {
	commits, err := s.listCommits(ctx, t, 0, n)
	return commits, err
}

// Commits reads n of a branch's milestones behind the newest skip, newest
// first, and how many there are. Which they are and what they say stands in
// commit.md and its segments; their commits and notes come from one git log.
func (s *Store) Commits(ctx context.Context, t *Tip, skip, n int) ([]Commit, int, error) {
	meta, err := t.Metadata(ctx)
	if err != nil {
		return nil, 0, err
	}
	commits, err := s.listCommits(ctx, t, skip, n)
	return commits, meta.Totals().Commits, err
}

func (s *Store) listCommits(ctx context.Context, t *Tip, skip, n int) ([]Commit, error) {
	found := []doc.Commit{}
	err := t.SegmentsBackwards(ctx, doc.CommitFile, doc.CommitDir, func(data []byte) (bool, error) {
		ms, err := doc.ParseCommits(data)
		if err != nil {
			return false, err
		}
		for _, m := range slices.Backward(ms) {
			if m.Kind != doc.KindBirth {
				found = append(found, m)
			}
		}
		return len(found) < skip+n, nil
	})
	if err != nil {
		return nil, err
	}
	found = found[min(skip, len(found)):min(skip+n, len(found))]
	commits := make([]Commit, len(found))
	for i, m := range found {
		commits[i] = CommitFrom(m)
	}
	return commits, s.locate(ctx, t, skip, commits)
}

// Steps reads n of a branch's steps behind the newest skip, oldest first, and
// how many there are. Pending steps are the newest.
func (s *Store) Steps(ctx context.Context, t *Tip, skip, n int) ([]Step, int, error) {
	p, err := s.Pending(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	meta, err := t.Metadata(ctx)
	if err != nil {
		return nil, 0, err
	}
	waiting, err := s.WaitingSteps(ctx, t.branch, p)
	if err != nil {
		return nil, 0, err
	}
	found := []Step{} // newest first
	for _, step := range slices.Backward(waiting) {
		found = append(found, stepFrom(step, true))
	}
	total := meta.Totals().Steps + len(waiting)
	if len(found) < skip+n {
		err = t.SegmentsBackwards(ctx, doc.LogFile, doc.LogDir, func(data []byte) (bool, error) {
			steps, err := doc.ParseLog(data)
			for _, step := range slices.Backward(steps) {
				found = append(found, stepFrom(step, false))
			}
			return len(found) < skip+n, err
		})
	}
	found = found[min(skip, len(found)):min(skip+n, len(found))]
	slices.Reverse(found)
	return found, total, err
}

// waiting reads pending steps, each with the agent that COMMIT would give it.
func (s *Store) WaitingSteps(ctx context.Context, branch string, p Pending) ([]doc.Step, error) {
	if len(p.Lines) == 0 {
		return nil, nil
	}
	ident, err := s.repo.Committer(ctx)
	if err != nil {
		// A view needs no identity: only a COMMIT writes one down, and says then
		// what is wrong with it.
		ident = git.Identity{}
	}
	return p.steps(branch, committerAgent(ident))
}

// backwards hands a document's files to visit, the live one first and then the
// sealed segments from the newest to the oldest, until visit has enough. It
// opens only the directories that it needs.
func (t *Tip) SegmentsBackwards(ctx context.Context, live, dir string, visit func([]byte) (bool, error)) error {
	data, err := t.OptionalDocument(ctx, live)
	if err != nil {
		return err
	}
	more, err := visit(data)
	if err != nil {
		return fmt.Errorf("%s of branch '%s': %w", live, t.branch, err)
	}
	if !more {
		return nil
	}
	return t.segmentsFrom(ctx, dir, "", visit)
}

// segmentsFrom hands sealed segments to visit, from the one at a path or the last
// before it (from the newest, if last is empty) to the oldest.
func (t *Tip) segmentsFrom(ctx context.Context, dir, last string, visit func([]byte) (bool, error)) error {
	_, err := t.backwardsIn(ctx, dir, last, visit)
	return err
}

func (t *Tip) backwardsIn(ctx context.Context, dir, last string, visit func([]byte) (bool, error)) (bool, error) {
	list, err := t.List(ctx, dir)
	if err != nil {
		return false, err
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b git.TreeEntry) int { return strings.Compare(b.Name, a.Name) })
	for _, e := range list {
		name := path.Join(dir, e.Name)
		if last != "" && name > last {
			continue
		}
		var more bool
		if e.Mode == git.ModeTree {
			more, err = t.backwardsIn(ctx, name, last, visit)
		} else {
			var data []byte
			if data, err = t.repo.Blob(ctx, e.ID); err == nil {
				if more, err = visit(data); err != nil {
					err = fmt.Errorf("%s of branch '%s': %w", name, t.branch, err)
				}
			}
		}
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// eachLog hands every committed step of a branch to visit, a file at a time.
func (t *Tip) EachLog(ctx context.Context, visit func([]doc.Step)) error {
	return t.SegmentsBackwards(ctx, doc.LogFile, doc.LogDir, func(data []byte) (bool, error) {
		steps, err := doc.ParseLog(data)
		visit(steps)
		return true, err
	})
}

func CommitFrom(m doc.Commit) Commit {
	return Commit{ID: m.ID, Branch: m.Origin, Time: m.Time, Agent: m.Agent, Summary: m.Summary, Purpose: m.Purpose,
		Progress: m.Progress, Contribution: m.Contribution, Steps: StepRange(m.Steps), Tags: map[string]string{},
		Goal: m.Goal, Kind: m.Kind}
}

func stepFrom(d doc.Step, pending bool) Step {
	return Step{ID: d.ID, Step: d.Number, Time: d.Time, Agent: d.Agent, Session: d.Session, Origin: d.Origin,
		Observation: d.Observation, Thought: d.Thought, Action: d.Action, Pending: pending,
		Model: d.Model, Source: d.Source, Tokens: d.Tokens}
}

// locateSlack is how many memory commits git log reads for each milestone that is
// looked for, before it is asked for the whole history: births, topics and
// closing commits stand between milestones.
const locateSlack = 3

// locate fills in the commit, the code commit and the note of milestones that
// stand behind the newest skip of a tip. A milestone that history does not hold
// (a shallow clone) keeps no commit.
func (s *Store) locate(ctx context.Context, t *Tip, skip int, commits []Commit) error {
	left := map[string]*Commit{}
	for i := range commits {
		left[commits[i].ID] = &commits[i]
	}
	if skip == 0 && len(commits) <= nearMilestones {
		if err := s.locateNear(ctx, t, left); err != nil {
			return err
		}
	}
	for _, most := range []int{locateSlack*(skip+len(commits)) + 10, 0} {
		if len(left) == 0 {
			return nil
		}
		if err := s.locateIn(ctx, t, most, left); err != nil {
			return err
		}
	}
	return nil
}

// The newest milestones of a branch nearly always are its last commits: a few
// reads in process are cheaper than git log's start. nearCommits bounds the walk.
const (
	nearMilestones = 3
	nearCommits    = 8
)

// locateNear looks for milestones among the first parents of a tip.
func (s *Store) locateNear(ctx context.Context, t *Tip, left map[string]*Commit) error {
	for c, n := t.commit, 0; len(left) > 0 && n < nearCommits; n++ {
		if m := left[c.Trailer(TrailerID)]; m != nil {
			if err := s.locateAt(ctx, t.at, m, c); err != nil {
				return err
			}
			delete(left, m.ID)
		}
		if len(left) == 0 || len(c.Parents) == 0 {
			return nil
		}
		var err error
		if c, err = s.repo.Commit(ctx, c.Parents[0]); err != nil {
			if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
				return nil
			}
			return err
		}
	}
	return nil
}

// locateAt fills in what a milestone's commit and note say, or said at a moment of
// the past.
func (s *Store) locateAt(ctx context.Context, at *At, m *Commit, c *git.Commit) error {
	m.Hash = &c.ID
	if code := git.ID(c.Trailer(TrailerCode)); code != "" {
		m.Code = &code
	}
	note, err := notes.Read(ctx, s.repo, c.ID)
	if err != nil {
		return err
	}
	m.Judge(at.judge(note))
	return nil
}

func (s *Store) locateIn(ctx context.Context, t *Tip, most int, left map[string]*Commit) error {
	args := []string{"--notes=context"}
	if most > 0 {
		args = append(args, fmt.Sprintf("--max-count=%d", most))
	}
	return s.LogIDs(ctx, append(args, EndOfOptions, string(t.commit.ID)), func(f [][]byte) error {
		c := left[string(f[1])]
		if c == nil {
			return nil
		}
		delete(left, c.ID)
		hash := git.ID(f[0])
		c.Hash = &hash
		if len(f[2]) > 0 {
			code := git.ID(f[2])
			c.Code = &code
		}
		if c.Judge(t.at.judge(f[3])); len(left) == 0 {
			return git.ErrEnough
		}
		return nil
	}, TrailerValue(TrailerCode), "%N")
}

// judge reads what a note says: now, for nil, or at a moment of the past.
func (at *At) judge(note []byte) notes.Judgement {
	facts := notes.Parse(note)
	if at != nil {
		facts = slices.DeleteFunc(facts, func(f notes.Fact) bool { return f.Time.After(at.Time) })
	}
	return notes.Judge(facts)
}

// judge fills in what a milestone's note says.
func (c *Commit) Judge(j notes.Judgement) {
	c.Score, c.Outcome, c.Tags, c.Reviews = j.Score, j.Outcome, j.Tags, j.Reviews
}

// FindCommit reads one milestone in full, with what its note says. rev is
// whatever names it; where it names another memory commit, the newest milestone
// that this one stands on is meant.
func (s *Store) FindCommit(ctx context.Context, rev string) (Commit, error) {
	c, err := s.NewestCommitAt(ctx, rev)
	if err != nil {
		return Commit{}, err
	}
	return s.CommitOf(ctx, nil, c)
}

// commitOf is a memory commit in full, with what its note says or said at a moment of
// the past: the milestone that it is, or, of one that is none, what its message says,
// without an id.
func (s *Store) CommitOf(ctx context.Context, at *At, c *git.Commit) (Commit, error) {
	entry, err := s.entryOf(ctx, c)
	if err != nil {
		return Commit{}, err
	}
	out := BetweenCommits(c)
	if entry != nil {
		out = CommitFrom(*entry)
	}
	return out, s.locateAt(ctx, at, &out, c)
}

// entryOf is what the commit.md of a milestone says of it; nil for a commit that is
// none, also where its Context-Id names no entry there: another tool may have copied
// the trailer, and no view shall fail for it.
func (s *Store) entryOf(ctx context.Context, c *git.Commit) (*doc.Commit, error) {
	id := c.Trailer(TrailerID)
	if id == "" {
		return nil, nil
	}
	ms, _, err := s.TipOf(BranchOf(c), c).LiveCommits(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(ms, func(m doc.Commit) bool { return m.ID == id }); i >= 0 {
		return &ms[i], nil
	}
	return nil, nil
}

// betweenMilestones is a memory commit that is no milestone.
func BetweenCommits(c *git.Commit) Commit {
	out := Commit{Hash: &c.ID, Branch: BranchOf(c), Time: c.Committer.When.UTC(), Agent: WriterOf(c), Summary: c.Subject(),
		Purpose: c.Trailer(TrailerPurpose), Contribution: c.Body(), Tags: map[string]string{}}
	if code := git.ID(c.Trailer(TrailerCode)); code != "" {
		out.Code = &code
	}
	return out
}

// PurposeProgress is a branch's purpose, and the progress summary of its newest
// milestone: what came before that one.
func (s *Store) PurposeProgress(ctx context.Context, t *Tip) (purpose, progress string, err error) {
	meta, err := t.Metadata(ctx)
	if err != nil {
		return "", "", err
	}
	live, _, err := t.LiveCommits(ctx)
	if err != nil {
		return "", "", err
	}
	if n := len(live); n > 0 {
		progress = live[n-1].Progress
	}
	return meta.Branch().Purpose, progress, nil
}

// BranchContext is CONTEXT of one branch: its purpose, its progress and n of its
// milestones behind the newest skip.
func (s *Store) BranchContext(ctx context.Context, t *Tip, skip, n int) (BranchContext, error) {
	v := BranchContext{Skip: skip, At: t.at}
	var err error
	if v.Branch, err = s.BranchOf(ctx, t); err != nil {
		return v, err
	}
	if v.Purpose, v.Progress, err = s.PurposeProgress(ctx, t); err != nil {
		return v, err
	}
	v.Commits, v.Total, err = s.Commits(ctx, t, skip, n)
	return v, err
}

// holds reports whether an entry is found in a tip's live file, or in the segment
// that it must be in unless segments of several branches overlap there.
func (t *Tip) ContainsEntry(ctx context.Context, k EntryKind, id string) (bool, error) {
	live, err := t.OptionalDocument(ctx, k.File)
	if err != nil {
		return false, err
	}
	found, err := hasEntry(k, live, id)
	if err != nil || found {
		return found, err
	}
	last := doc.SegmentPath(k.Dir, id)
	err = t.segmentsFrom(ctx, k.Dir, last, func(data []byte) (bool, error) {
		found, err = hasEntry(k, data, id)
		return false, err
	})
	return found, err
}

var (
	LogEntries    = EntryKind{doc.LogFile, doc.LogDir, doc.UnionLog}
	CommitEntries = EntryKind{doc.CommitFile, doc.CommitDir, doc.UnionCommits}
)

// entryKind is one of the two documents that are sets of entries.
type EntryKind struct {
	File, Dir string
	Union     func(ours, theirs doc.Entries) (doc.Union, error)
}

func hasEntry(k EntryKind, data []byte, id string) (bool, error) {
	heads, err := doc.EntryHeads(k.File, data)
	return slices.ContainsFunc(heads, func(h doc.EntryHead) bool { return h.ID == id }), err
}

// writerOf is who made a memory commit: the agent, or whoever used another tool.
func WriterOf(c *git.Commit) string {
	if agent := c.Trailer(TrailerAgent); agent != "" {
		return agent
	}
	return c.Author.Name
}
