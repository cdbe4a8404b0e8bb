package history

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Commits reads n of a branch's commits behind the newest skip, newest
// first, and how many there are. Which they are and what they say is in
// commit.md and its segments; their commits and notes come from one git log.
func Commits(ctx context.Context, s *store.Store, t *store.Tip, skip, n int) ([]store.Commit, int, error) {
	return cutCommits(ctx, s, t, skip, n, nil)
}

func cutCommits(ctx context.Context, s *store.Store, t *store.Tip, skip, n int, cut Cut) ([]store.Commit, int, error) {
	meta, err := t.Metadata(ctx)
	if err != nil {
		return nil, 0, err
	}
	commits, err := readEntries(ctx, t, skip, n, cut)
	if err != nil {
		return nil, 0, err
	}
	return commits, meta.Totals().Commits, locate(ctx, s, t, commits)
}

// Cut returns what a view takes of a text, in a copy, so that the document can be forgotten before the
// next one is read: ten contributions of 31 MiB each would take a third of a gigabyte. It is used for
// large documents only; nil takes everything.
type Cut func(text string) string

// largeDocument is how many bytes a document has whose texts are cut.
const largeDocument = 1 << 20

// texts cuts the texts of one document.
func (cut Cut) texts(document []byte, texts ...*string) {
	if cut == nil || len(document) < largeDocument {
		return
	}
	for _, text := range texts {
		*text = cut(*text)
	}
}

// readEntries reads n commits behind the newest skip from commit.md and its segments.
func readEntries(ctx context.Context, t *store.Tip, skip, n int, cut Cut) ([]store.Commit, error) {
	found := []doc.Commit{}
	err := t.SegmentsBackwards(ctx, doc.CommitFile, doc.CommitDir, func(data []byte) (bool, error) {
		ms, err := doc.ParseCommits(data)
		if err != nil {
			return false, err
		}
		for _, m := range slices.Backward(ms) {
			if m.Kind != doc.KindBirth && len(found) < skip+n {
				cut.texts(data, &m.ID, &m.Agent, &m.Session, &m.Model, &m.Source, &m.Origin, &m.Summary, &m.Goal, &m.Purpose,
					&m.Progress, &m.Contribution)
				found = append(found, m)
			}
		}
		return len(found) < skip+n, nil
	})
	if err != nil {
		return nil, err
	}
	found = found[min(skip, len(found)):min(skip+n, len(found))]
	commits := make([]store.Commit, len(found))
	for i, m := range found {
		commits[i] = CommitFrom(m)
	}
	return commits, nil
}

// CommitFrom returns an entry of commit.md as views show it, without its hash, code commit and
// note.
func CommitFrom(m doc.Commit) store.Commit {
	return store.Commit{ID: m.ID, Branch: m.Origin, Time: m.Time, Agent: m.Agent, Summary: m.Summary, Purpose: m.Purpose,
		Progress: m.Progress, Contribution: m.Contribution, Steps: store.StepRange(m.Steps), Tags: map[string]string{},
		Goal: m.Goal, Kind: m.Kind}
}

// Find reads one commit in full, with what its note says. rev is
// whatever names it; where it names another memory commit, the newest commit
// that this one follows is meant. Of a commit that a shallow clone lacks, the entry is read.
func Find(ctx context.Context, s *store.Store, rev string) (store.Commit, error) {
	c, err := s.NewestCommitAt(ctx, rev)
	if err != nil {
		return beyondEdge(ctx, s, rev, err)
	}
	return CommitOf(ctx, s, nil, c)
}

// CommitOf is a memory commit in full, with what its note says or said at a moment of
// the past: the commit that it is, or, of one that is none, what its message says,
// without an id.
func CommitOf(ctx context.Context, s *store.Store, at *store.At, c *git.Commit) (store.Commit, error) {
	entry, err := s.EntryOf(ctx, c)
	if err != nil {
		return store.Commit{}, err
	}
	out := BetweenCommits(c)
	if entry != nil {
		out = CommitFrom(*entry)
	}
	return out, locateAt(ctx, s, at, &out, c)
}

// BetweenCommits is a memory commit without an entry in commit.md.
func BetweenCommits(c *git.Commit) store.Commit {
	out := store.Commit{Hash: &c.ID, Branch: store.BranchOf(c), Time: c.Committer.When.UTC(), Agent: store.WriterOf(c), Summary: c.Subject(),
		Purpose: c.Trailer(store.TrailerPurpose), Contribution: c.Body(), Tags: map[string]string{}}
	if code := git.ID(c.Trailer(store.TrailerCode)); code != "" {
		out.Code = &code
	}
	return out
}

// BranchContext is CONTEXT of one branch: `git context --branch NAME`.
type BranchContext struct {
	Branch   store.Branch   `json:"branch"`
	Purpose  string         `json:"purpose"`
	Progress string         `json:"progress"`
	Total    int            `json:"total"`
	Skip     int            `json:"skip"`
	Commits  []store.Commit `json:"commits"`
	At       *store.At      `json:"at"` // nil: now

	Limit int `json:"-"` // how many commits were asked for, for paging
}

// ReadBranch returns CONTEXT of one branch: its purpose, its progress and n of its
// commits behind the newest skip, see [Commits].
func ReadBranch(ctx context.Context, s *store.Store, t *store.Tip, skip, n int) (BranchContext, error) {
	return CutBranch(ctx, s, t, skip, n, nil)
}

// CutBranch is [ReadBranch] for a view that takes only a part of each text.
func CutBranch(ctx context.Context, s *store.Store, t *store.Tip, skip, n int, cut Cut) (BranchContext, error) {
	v, err := readBranch(ctx, s, t, skip)
	if err != nil {
		return v, err
	}
	v.Commits, v.Total, err = cutCommits(ctx, s, t, skip, n, cut)
	return v, err
}

// Newest returns CONTEXT of one branch with its newest n commits, as ReadBranch does. If there are only a
// few, it starts no git log.
func Newest(ctx context.Context, s *store.Store, t *store.Tip, n int) (BranchContext, error) {
	v, err := readBranch(ctx, s, t, 0)
	if err != nil {
		return v, err
	}
	meta, err := t.Metadata(ctx)
	if err != nil {
		return v, err
	}
	v.Total = meta.Totals().Commits
	if v.Commits, err = readEntries(ctx, t, 0, n, nil); err != nil {
		return v, err
	}
	return v, locateNear(ctx, s, t, v.Commits)
}

func readBranch(ctx context.Context, s *store.Store, t *store.Tip, skip int) (v BranchContext, err error) {
	v.Skip, v.At = skip, t.At()
	if v.Branch, err = s.BranchOf(ctx, t); err != nil {
		return v, err
	}
	v.Purpose, v.Progress, err = PurposeProgress(ctx, s, t)
	return v, err
}

// PurposeProgress is a branch's purpose, and the progress summary of its newest
// commit: what came before that one.
func PurposeProgress(ctx context.Context, s *store.Store, t *store.Tip) (purpose, progress string, err error) {
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

// NewestPending returns the newest pending steps of a tip, at most n, oldest first.
func NewestPending(ctx context.Context, s *store.Store, t *store.Tip, n int) ([]store.Step, error) {
	p, err := s.Pending(ctx, t)
	if err != nil || len(p.Lines) == 0 {
		return nil, err
	}
	p.Lines = p.Lines[max(0, len(p.Lines)-n):]
	waiting, err := s.WaitingSteps(ctx, t.Name(), p)
	if err != nil {
		return nil, err
	}
	steps := make([]store.Step, len(waiting))
	for i, step := range waiting {
		steps[i] = stepFrom(step, true)
	}
	return steps, nil
}
