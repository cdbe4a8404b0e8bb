package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// BranchQuery selects branches. Status is one of active, merged, abandoned, or
// empty for all of them; Remotes adds what remotes have, OnlyRemotes leaves out what is here;
// Names are patterns, in which '*' also stands for slashes, or nil for all. Pending, if not nil, is asked in
// the order of the list whose pending steps are counted: that reads a file for each.
type BranchQuery struct {
	Status      string
	Remotes     bool
	OnlyRemotes bool
	Names       []string
	Pending     func(Branch) bool
}

// Branches lists memory branches, the newest first. It reads only the trailers of their tips.
func (s *Store) Branches(ctx context.Context, q BranchQuery) ([]Branch, error) {
	if err := patterns(q.Names).check("git context branch -l 'try-*'"); err != nil {
		return nil, err
	}
	tips, err := s.tipsOfFew(ctx, q)
	if tips == nil && err == nil {
		tips, err = s.askTips(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	current, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	list := []Branch{}
	for _, t := range tips {
		name, ours := git.BranchName(t.ref)
		b := BranchAt(name, t.commit)
		if b.Current = ours && name == current; !ours {
			if b.Remote, name, ours = git.TrackedBranch(t.ref); !ours {
				continue // a remote's roadmap, which is beside its branches
			}
			b.Name = b.Remote + "/" + name
		}
		if q.Status != "" && b.Status != q.Status || q.OnlyRemotes && b.Remote == "" || !patterns(q.Names).matches(b.Name) {
			continue
		}
		if b.Remote == "" && (q.Pending == nil || q.Pending(b)) {
			p, err := s.PendingOf(ctx, s.TipOf(name, t.commit))
			if err != nil {
				return nil, err
			}
			b.Pending = len(p.Lines)
		}
		list = append(list, b)
	}
	return list, nil
}

// branchTip is what a list needs of a branch: the tip with its id, date and message.
type branchTip struct {
	ref    string
	commit *git.Commit
}

// fewBranches is how many branches are read one by one: asking git for them takes as long
// as reading that many.
const fewBranches = 20

// tipsOfFew reads the tips of a few branches. It returns nil where git has to be asked:
// there are many, or remotes' too; refs are no files; one is broken, or goes meanwhile.
func (s *Store) tipsOfFew(ctx context.Context, q BranchQuery) ([]branchTip, error) {
	if _, files := s.repo.RefFile(git.BranchPrefix); !files || q.Remotes {
		return nil, nil
	}
	refs, err := s.repo.RefNames(ctx, git.BranchPrefix)
	if err != nil || len(refs) > fewBranches {
		return nil, err
	}
	tips := []branchTip{}
	for _, ref := range refs {
		id, err := s.repo.Ref(ctx, ref)
		if err != nil || git.CheckBranchName(ref[len(git.BranchPrefix):]) != nil {
			return nil, ctx.Err()
		}
		c, err := s.repo.Commit(ctx, id)
		if err != nil {
			return nil, ctx.Err()
		}
		tips = append(tips, branchTip{ref, c})
	}
	slices.SortStableFunc(tips, func(a, b branchTip) int { return b.commit.Committer.When.Compare(a.commit.Committer.When) })
	return tips, nil
}

// askTips asks git for the tips of all branches, and of what remotes have.
func (s *Store) askTips(ctx context.Context, q BranchQuery) (tips []branchTip, err error) {
	groups := [][]string{{git.BranchPrefix}}
	if q.Remotes {
		if groups, err = s.readableTips(ctx); err != nil {
			return nil, err
		}
	}
	for _, patterns := range groups {
		more, err := s.askGit(ctx, patterns)
		if err != nil {
			return nil, err
		}
		tips = append(tips, more...)
	}
	if len(groups) > 1 {
		slices.SortStableFunc(tips, func(a, b branchTip) int { return b.commit.Committer.When.Compare(a.commit.Committer.When) })
	}
	return tips, nil
}

// askGit is askTips for some patterns.
func (s *Store) askGit(ctx context.Context, patterns []string) ([]branchTip, error) {
	const format = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents)%00"
	out, err := s.repo.View(ctx, append([]string{"for-each-ref", "--sort=-committerdate", format}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var tips []branchTip
	fields := bytes.Split(out, []byte{0})
	for ; len(fields) >= 4; fields = fields[4:] {
		ref := strings.TrimPrefix(string(fields[0]), "\n")
		seconds, err := strconv.ParseInt(string(fields[2]), 10, 64)
		if err != nil && !strings.HasPrefix(ref, git.BranchPrefix) { // a remote may have anything; sync says what
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("git for-each-ref: no date for '%s'", ref)
		}
		tips = append(tips, branchTip{ref, &git.Commit{ID: git.ID(fields[1]),
			Committer: git.Signature{When: time.Unix(seconds, 0)}, Message: string(fields[3])}})
	}
	return tips, nil
}

// largestTip is how large a commit of a remote may be that a list reads: a larger one is refused, and git takes four times its size to print it.
const largestTip = 4 << 20

// mostNamed is how many refs one command line names.
const mostNamed = 1_000

// readableTips returns patterns for git for-each-ref that match all branches, and what remotes have without larger commits, for one command or several.
func (s *Store) readableTips(ctx context.Context) ([][]string, error) {
	refs, err := s.repo.Refs(ctx, strings.TrimSuffix(git.RemotePrefix, "/"))
	if err != nil {
		return nil, err
	}
	ids := make([]git.ID, len(refs))
	for i, r := range refs {
		ids[i] = r.ID
	}
	infos, err := s.repo.InfosHere(ctx, ids)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, r := range refs {
		if infos[i].Size <= largestTip {
			names = append(names, r.Name)
		}
	}
	if len(names) == len(refs) {
		return [][]string{{git.BranchPrefix, git.RemotePrefix}}, nil
	}
	return append([][]string{{git.BranchPrefix}}, slices.Collect(slices.Chunk(names, mostNamed))...), nil
}

// BranchOf is BRANCH of a tip, with its purpose in full.
func (s *Store) BranchOf(ctx context.Context, t *Tip) (Branch, error) {
	b := BranchAt(t.branch, t.commit)
	meta, err := t.Metadata(ctx)
	if err != nil {
		return b, err
	}
	b.Purpose = meta.Branch().Purpose
	current, err := s.Current(ctx)
	if err != nil {
		return b, err
	}
	b.Current = current == t.branch
	p, err := s.Pending(ctx, t)
	b.Pending = len(p.Lines)
	return b, err
}

// SummarySize is how many bytes of a summary lists contain.
const SummarySize = 4 << 10

// BranchAt returns a branch as one of its commits describes it, without pending steps.
func BranchAt(name string, c *git.Commit) Branch {
	_, _, block := c.Parts()
	t := ParseTrailers(block)
	b := Branch{Name: name, Tip: c.ID, Status: t[TrailerStatus], Purpose: t[TrailerPurpose], UpdatedAt: c.Committer.When.UTC(), Summary: t[TrailerLast]}
	if t[TrailerID] != "" {
		b.Summary = doc.ShortText(c.Subject(), SummarySize)
	}
	if b.Status == "" {
		b.Status = doc.StatusActive
	}
	if rest, ok := strings.CutPrefix(c.Subject(), SubjectAbandon); ok && b.Status == doc.StatusAbandoned && t[TrailerID] == "" {
		_, b.Why, _ = strings.Cut(rest, ": ") // no name of a branch has a colon
	}
	b.CreatedAt, b.CreatedFrom = ParseCreated(t[TrailerCreated])
	// A tip that another process's tool made has no count: it shows as none.
	b.Commits, _ = strconv.Atoi(t[TrailerCommits])
	return b
}

// SubjectAbandon begins the subject of the commit that closes a branch as abandoned. The branch's name
// follows and, if it was said, ": " and why.
const SubjectAbandon = "Abandon branch "

// SubjectExpunged is the subject of a commit whose entry was removed.
const SubjectExpunged = "Expunged"

// Branch is a memory branch as lists and JSON show it.
type Branch struct {
	Name        string     `json:"name"`
	Tip         git.ID     `json:"tip"`
	Status      string     `json:"status"` // active, merged, abandoned
	Purpose     string     `json:"purpose"`
	CreatedFrom *string    `json:"created_from"` // the branch's name
	CreatedAt   *time.Time `json:"created_at"`
	Commits     int        `json:"commits"` // entries of its commit.md
	Pending     int        `json:"pending"` // steps recorded and not yet committed
	UpdatedAt   time.Time  `json:"updated_at"`
	Why         string     `json:"why"` // why it was abandoned, on one line; "" if its tip does not say so
	Current     bool       `json:"current"`

	// Summary is the newest commit's, for lists in text; empty without one.
	Summary string `json:"-"`
	// Remote is the remote a remote-tracking branch comes from, else empty.
	Remote string `json:"-"`
}
