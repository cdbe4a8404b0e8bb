package refs

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
// empty for all of them; Remotes adds what remotes have.
type BranchQuery struct {
	Status  string
	Remotes bool
}

// fewBranches is how many branches are read one by one: asking git for them takes as long
// as reading that many.
const fewBranches = 20

// Branches lists memory branches, the newest first. What a list shows stands in the tips'
// trailers, and one for-each-ref answers it where there are many.
func (s *Store) Branches(ctx context.Context, q BranchQuery) ([]Branch, error) {
	list, err := s.tipsOfFew(ctx, q)
	if list == nil && err == nil {
		list, err = s.askBranches(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(b Branch) bool { return b.Name == "" || q.Status != "" && b.Status != q.Status }), nil
}

// tipsOfFew reads the tips of a few branches. It returns nil where git has to be asked:
// there are many, or remotes' too; refs are no files; one is broken, or goes meanwhile.
func (s *Store) tipsOfFew(ctx context.Context, q BranchQuery) ([]Branch, error) {
	if _, files := s.repo.RefFile(git.BranchPrefix); !files || q.Remotes {
		return nil, nil
	}
	refs, err := s.repo.RefNames(ctx, git.BranchPrefix)
	if err != nil || len(refs) > fewBranches {
		return nil, err
	}
	current, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	list := []Branch{}
	for _, ref := range refs {
		id, err := s.repo.Ref(ctx, ref)
		if err != nil || git.CheckBranchName(ref[len(git.BranchPrefix):]) != nil {
			return nil, ctx.Err()
		}
		c, err := s.repo.Commit(ctx, id)
		if err != nil {
			return nil, ctx.Err()
		}
		b, err := s.listed(ctx, ref, c, current)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b Branch) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return list, nil
}

// askBranches asks git for branches, and for what stands beside a remote's, without a name.
func (s *Store) askBranches(ctx context.Context, q BranchQuery) ([]Branch, error) {
	const format = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents)%00"
	args := []string{"for-each-ref", "--sort=-committerdate", format, git.BranchPrefix}
	if q.Remotes {
		args = append(args, git.RemotePrefix)
	}
	out, err := s.repo.View(ctx, args...)
	if err != nil {
		return nil, err
	}
	current, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	list := []Branch{}
	fields := bytes.Split(out, []byte{0})
	for ; len(fields) >= 4; fields = fields[4:] {
		ref := strings.TrimPrefix(string(fields[0]), "\n")
		seconds, err := strconv.ParseInt(string(fields[2]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git for-each-ref: no date for '%s'", ref)
		}
		c := &git.Commit{ID: git.ID(fields[1]), Committer: git.Signature{When: time.Unix(seconds, 0)}, Message: string(fields[3])}
		b, err := s.listed(ctx, ref, c, current)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// listed is one line of Branches: a ref whose tip has at least an id, a date and a message.
// A remote's roadmap, which stands beside its branches, gives a Branch without a name.
func (s *Store) listed(ctx context.Context, ref string, tip *git.Commit, current string) (b Branch, err error) {
	name, ours := git.BranchName(ref)
	b = branchAt(name, tip)
	if ours {
		b.Current = name == current
		b.Pending, err = s.pendingCount(ctx, name, tip)
	} else if remote, name, ok := git.TrackedBranch(ref); ok {
		b.Remote, b.Name = remote, remote+"/"+name
	}
	return b, err
}

// BranchOf is BRANCH of a tip, with its purpose in full.
func (s *Store) BranchOf(ctx context.Context, t *Tip) (Branch, error) {
	b := branchAt(t.branch, t.commit)
	meta, err := s.metadata(ctx, t)
	if err != nil {
		return b, err
	}
	b.Purpose = meta.Branch().Purpose
	current, err := s.Current(ctx)
	if err != nil {
		return b, err
	}
	b.Current = current == t.branch
	p, err := s.pending(ctx, t)
	b.Pending = len(p.lines)
	return b, err
}

// branchAt is BRANCH as one of its commits has it.
func branchAt(name string, c *git.Commit) Branch {
	_, _, block := c.Parts()
	t := trailerMap(block)
	b := Branch{Name: name, Tip: c.ID, Status: t[trailerStatus], Purpose: t[trailerPurpose], UpdatedAt: c.Committer.When.UTC(), Summary: t[trailerLast]}
	if t[trailerID] != "" {
		b.Summary = c.Subject()
	}
	if b.Status == "" {
		b.Status = doc.StatusActive
	}
	b.CreatedAt, b.CreatedFrom = parseCreated(t[trailerCreated])
	// A tip that somebody else's tool made has no count: it shows as none.
	b.Commits, _ = strconv.Atoi(t[trailerCommits])
	return b
}
