package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Merge is MERGE: it brings a branch's memory into the target. The cases:
//
//  1. the source is the target: refused;
//  2. abandon: the source is closed as abandoned, nothing is merged. The summary is why: it is in the
//     subject of the closing commit, see [store.Branch], and under Branch Outcomes;
//  3. the target has everything of the source already: up to date, no change;
//  4. some slot was filled differently on both sides, and neither Prefer nor what
//     was resolved before says what is to be there: fail.ErrConflict, the result
//     lists every one of them, nothing has moved, and the merge waits for
//     [Resolve] and [ContinueMerge], or [Abort];
//  5. otherwise one transaction makes a closing commit on the source, a merge
//     commit with both parents and a commit on the target, and a line under
//     Branch Outcomes in the roadmap.
//
// The source is closed only if it descends from the target by created_from, and
// not with Keep. Steps pending on the source are committed with it; those of the
// target stay pending.
//
// The source may be a remote's branch as it was when the remote was last asked, such as origin/x. It is
// checked like what a sync brings, and stays as it is.
//
// If o.Into names the target, or the source is current and is closed, the target is current afterwards: what
// follows must not go to a closed branch. Without a target, abandoning the current branch means the branch
// that it was created from.
func Merge(ctx context.Context, s *store.Store, o store.MergeOptions) (Result, error) {
	current, err := s.Current(ctx)
	if err != nil {
		return Result{}, err
	}
	if o.Abandon && o.Into == "" && o.Source == current {
		if o.Into, err = origin(ctx, s, current); err != nil {
			return Result{}, err
		}
	}
	return store.OnBranch(ctx, s, o.Into, func(branch string) (Result, error) { return mergeOn(ctx, s, branch, current, o) })
}

// origin returns the branch that a branch was created from, if it still exists; else "".
func origin(ctx context.Context, s *store.Store, name string) (string, error) {
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return "", err
	}
	b, err := s.BranchOf(ctx, tip)
	if err != nil || b.CreatedFrom == nil {
		return "", err
	}
	there, err := s.HasBranch(ctx, *b.CreatedFrom)
	if !there {
		return "", err
	}
	return *b.CreatedFrom, nil
}

// itself refuses a merge of a branch into itself. The hint names the branch that it was created from.
func itself(ctx context.Context, s *store.Store, branch string) error {
	into, err := origin(ctx, s, branch)
	if err != nil {
		return err
	}
	message := fmt.Sprintf("branch '%s' cannot be merged into itself", branch)
	if into == "" || into == branch {
		return fail.New(fail.ErrRefused, fail.MergeItself, message, "git context merge OTHER", "git context merge "+branch+" --into TARGET")
	}
	return fail.New(fail.ErrRefused, fail.MergeItself, message, "git context merge "+branch+" --into "+into)
}

func mergeOn(ctx context.Context, s *store.Store, target, current string, o store.MergeOptions) (Result, error) {
	res := Result{Branch: target, Merged: o.Source, Conflicts: []store.Conflict{}}
	if o.Source == target {
		return res, itself(ctx, s, target)
	}
	if err := check(ctx, s, &o); err != nil {
		return res, err
	}
	source, remote, err := s.MergeSource(ctx, o.Source)
	if err != nil {
		return res, err
	}
	locked := []string{o.Source, target}
	if remote {
		if o.Abandon {
			return res, fail.New(fail.ErrRefused, fail.BranchRemote, fmt.Sprintf("'%s' is a remote's branch, which cannot be abandoned here", o.Source),
				"git context switch "+source.Name())
		}
		o.Keep, locked = true, locked[1:]
	}
	if o.Abandon && !o.DryRun { // a commit, so that no deletion takes these steps for nothing
		if err := s.CommitPending(ctx, o.Source); err != nil {
			return res, err
		}
	}
	view, err := history.Newest(ctx, s, source, 10)
	if err != nil {
		return res, err
	}
	res.Context = &view
	tx, err := s.Begin(ctx, o.Writer, "merge: "+o.Source+" into "+target, locked...)
	if err != nil {
		return res, err
	}
	defer tx.Close()
	m := &operation{Transaction: tx, o: o, target: target, current: current, remote: remote, res: &res}
	m.tip = source.Commit().ID
	if err := m.prepare(ctx); err != nil {
		return res, err
	}
	err = tx.Swap(ctx, func(ctx context.Context) error {
		if err := m.build(ctx); err != nil {
			return err
		}
		return m.point(ctx)
	})
	if m.disagree != nil {
		res.Disagree = m.disagree()
	}
	if err != nil {
		return res, m.pointBack(ctx, m.wait(err))
	}
	if o.DryRun {
		return res, nil
	}
	if !res.UpToDate {
		res.Warnings = m.finish(ctx)
	}
	if m.held != nil { // done, or abandoned
		return res, s.FinishMerge(target, m.held)
	}
	return res, nil
}

// check refuses options that no merge can follow, and completes the others.
func check(ctx context.Context, s *store.Store, o *store.MergeOptions) error {
	if _, err := s.Clean(ctx, &o.Summary, &o.Contribution, &o.Purpose); err != nil {
		return err
	}
	if err := store.CheckBranchName(o.Source); err != nil {
		return err
	}
	if err := CheckSettle(o.Prefer); err != nil {
		return err
	}
	if _, err := s.CheckRevision(ctx, o.RoadmapChange); err != nil {
		return err
	}
	if o.Summary == "" && o.Contribution == "" {
		return nil
	}
	if _, err := s.CheckEntry(ctx, &o.Summary, &o.Contribution, new(string)); err != nil {
		return err
	}
	if o.Contribution == o.Summary { // the merge says enough of itself
		o.Contribution = ""
	}
	return nil
}

// operation is one MERGE: what it was asked and what the last try made.
type operation struct {
	*store.Transaction
	o       store.MergeOptions
	target  string
	current string // the branch that was current
	left    string // the branch that CONTEXT_HEAD named, if it was moved to the target
	remote  bool   // the source is a remote's branch
	res     *Result
	tip     git.ID              // of the source, as it was found
	held    *store.WaitingMerge // what waits on the target for this merge; nil if nothing does
	settle  Settler

	was      git.ID        // the source, if it had to be healed; else ""
	closing  *git.Commit   // on the source; nil where the source needed none
	merged   *git.Commit   // on the target; nil for abandon
	drained  store.Pending // of the source
	closed   bool          // the source is, or will be
	waiting  store.Pending // of the target
	lastID   string
	disagree func() []Disagreement // the result of the last try; nil if it did not get that far
	warnings []string              // of the try that succeeded
}

// build makes one try, on both tips as they are now.
func (m *operation) build(ctx context.Context) error {
	m.res.Conflicts, m.res.UpToDate = []store.Conflict{}, false
	m.res.brings(&United{})
	m.was, m.closing, m.merged, m.disagree = "", nil, nil, nil
	source, remote, err := m.Store.MergeSource(ctx, m.o.Source)
	if err != nil {
		return err
	}
	if remote != m.remote {
		return fail.New(fail.ErrStale, fail.Stale, fmt.Sprintf("'%s' was made or deleted meanwhile", m.o.Source), "git context merge "+m.o.Source)
	}
	target, err := m.Store.Tip(ctx, m.target)
	if err != nil {
		return err
	}
	if !m.remote {
		if m.drained, err = m.Store.Pending(ctx, source); err != nil {
			return err
		}
	}
	if m.o.Abandon {
		if err := m.checkOpen(source); err != nil {
			return err
		}
	}
	if m.waiting, err = m.Store.Pending(ctx, target); err != nil {
		return err
	}
	bases, err := m.bases(ctx, source, target)
	if err != nil {
		return err
	}
	if !m.o.Abandon && len(m.drained.Lines) == 0 && len(bases) == 1 && bases[0] == source.Commit().ID {
		m.res.UpToDate, m.closed = true, isClosed(source)
		if m.held == nil && (!m.o.RoadmapChange.Empty() || m.o.Purpose != "") {
			return fail.New(fail.ErrRefused, fail.UpToDate, fmt.Sprintf("'%s' is merged into '%s' already; nothing was changed", m.o.Source, m.target),
				"git context roadmap milestone done TEXT", "git context metadata set branch.purpose TEXT")
		}
		return nil
	}
	if !m.o.Abandon {
		if source, err = m.heal(ctx, source, target.Commit().ID, bases); err != nil {
			return err
		}
	}
	ended, err := m.closeSource(ctx, source)
	if err != nil {
		return err
	}
	if m.closed = isClosed(ended); m.o.Abandon {
		return nil
	}
	return m.mergeInto(ctx, target, ended, bases)
}

// isClosed reports whether a branch is merged or abandoned.
func isClosed(t *store.Tip) bool {
	return store.BranchAt(t.Name(), t.Commit()).Status != doc.StatusActive
}

// bases are the commits that both sides come from, seen before the source gets its
// closing commit.
func (m *operation) bases(ctx context.Context, source, target *store.Tip) ([]git.ID, error) {
	ahead, err := isAhead(ctx, m.Store, source.Commit(), target.Commit().ID)
	if err != nil {
		return nil, err
	}
	if ahead {
		return []git.ID{target.Commit().ID}, nil
	}
	return m.Store.Repo().MergeBases(ctx, target.Commit().ID, source.Commit().ID)
}

// aheadWalk bounds how many commits isAhead reads before git is asked.
const aheadWalk = 32

// isAhead reports whether a commit's first parents lead to another one soon: a
// short branch whose target has not moved has that tip as its base, and git need
// not be started to find it.
func isAhead(ctx context.Context, s *store.Store, c *git.Commit, of git.ID) (bool, error) {
	for range aheadWalk {
		if len(c.Parents) == 0 {
			return false, nil
		}
		if c.Parents[0] == of {
			return true, nil
		}
		parent, err := s.Repo().Commit(ctx, c.Parents[0])
		if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
			return false, nil
		}
		if err != nil {
			return false, err
		}
		c = parent
	}
	return false, nil
}

// mergeInto builds the merge commit on the target.
func (m *operation) mergeInto(ctx context.Context, target, source *store.Tip, bases []git.ID) error {
	summary := m.o.Summary
	if summary == "" {
		summary = "Merge branch '" + m.o.Source + "'"
	}
	c, err := m.Follow(ctx, target, summary)
	if err != nil {
		return err
	}
	c.Parents = append(c.Parents, source.Commit().ID)
	u, err := MergeTrees(ctx, m.Transaction, c, TreeMerge{Ours: target, Theirs: source, Bases: bases, Settle: m.settle, Prefer: m.o.Prefer})
	if err != nil {
		return hintPrefer(err, m.o)
	}
	theirs, err := source.NewestEntry(ctx)
	if err != nil {
		return err
	}
	c.Newest = max(c.Newest, theirs)
	m.res.brings(u)
	m.res.Conflicts = append(m.res.Conflicts, u.Conflicts...)
	SortConflicts(m.res.Conflicts)
	if m.disagree, err = m.disagreements(ctx, target, u, bases); err != nil {
		return err
	}
	if open := Unsettled(u.Conflicts); open > 0 {
		return conflictError(open, m.target, m.o)
	}
	if err := setPurpose(c, m.o.Purpose); err != nil {
		return err
	}
	if c.Roadmap, err = m.outcome(ctx, source, "merged into "+m.target); err != nil {
		return err
	}
	c.RoadmapAge = 0
	entry, err := m.entry(ctx, summary, source, target, u)
	if err != nil {
		return err
	}
	live, err := doc.ParseCommits(u.Commits)
	if err != nil {
		return fmt.Errorf("the merged %s: %w", doc.CommitFile, err)
	}
	if err := m.AddCommit(ctx, c, live, u.Commits, entry); err != nil {
		return err
	}
	if err := m.Store.RefreshDetected(ctx, c, target.Commit()); err != nil {
		return err
	}
	if m.merged, err = m.Write(ctx, c, target.Commit().ID); err != nil {
		return err
	}
	m.warnings = c.Warnings
	m.res.ID, m.res.Commit = &entry.ID, &m.merged.ID
	if m.o.DryRun {
		m.res.ID, m.res.Commit = nil, nil
		return store.ErrNothing
	}
	return nil
}

// setPurpose revises what a branch is for, unless purpose is empty.
func setPurpose(c *store.Draft, purpose string) error {
	if purpose == "" {
		return nil
	}
	facts := c.Meta.Branch()
	facts.Purpose = purpose
	return c.Meta.SetBranch(facts)
}

// finish marks both journals and folds the notes.
func (m *operation) finish(ctx context.Context) []string {
	warnings := m.warnings
	if m.closing != nil {
		mark := m.Mark(ctx, m.o.Source, m.drained, m.closing.ID, 0, m.lastID)
		warnings = append(warnings, m.LateWarnings(mark, nil)...)
	}
	if m.merged != nil {
		mark := m.Mark(ctx, m.target, m.waiting.Untouched(), m.merged.ID, 0, *m.res.ID)
		warnings = append(warnings, m.LateWarnings(mark, m.Fold(ctx, m.merged))...)
	}
	return warnings
}

// Result is what MERGE made, or the conflicts that kept it from that.
type Result struct {
	ID        *string                `json:"id"`
	Commit    *git.ID                `json:"commit"`
	Branch    string                 `json:"branch"` // the target
	Merged    string                 `json:"merged"` // the source
	Steps     int                    `json:"steps"`  // how many came
	Commits   int                    `json:"commits"`
	Topics    []TopicChange          `json:"topics"`   // that came, by key
	Disagree  []Disagreement         `json:"disagree"` // at most 5, the most similar first
	Conflicts []store.Conflict       `json:"conflicts"`
	UpToDate  bool                   `json:"up_to_date"`
	Context   *history.BranchContext `json:"context"` // the source's CONTEXT as it was before

	Switched  bool     `json:"-"` // the target was not current before, and is now
	Summaries []string `json:"-"` // of the commits that came, newest first
	Warnings  []string `json:"-"`
}

// TopicChange says that a source changed a topic.
type TopicChange struct {
	Key     string `json:"key"`
	Removed bool   `json:"removed"`
}

// brings takes over what the source brought.
func (r *Result) brings(u *United) {
	r.Steps, r.Commits = u.steps, len(u.brought)
	r.Topics, r.Summaries = []TopicChange{}, nil
	for _, c := range slices.Backward(u.brought) {
		r.Summaries = append(r.Summaries, c.Summary)
	}
	for name, id := range u.theirTopics {
		r.Topics = append(r.Topics, TopicChange{Key: strings.TrimSuffix(name, ".md"), Removed: id == ""})
	}
	slices.SortFunc(r.Topics, func(a, b TopicChange) int { return strings.Compare(a.Key, b.Key) })
}

// Status is a merge or a sync that waits on a branch.
type Status struct {
	Source    string           `json:"source"` // the merged branch, or the remote
	Target    string           `json:"target"`
	Conflicts []store.Conflict `json:"conflicts"` // sorted by path

	Replaced bool `json:"-"` // invalid UTF-8 or NUL became U+FFFD
}
