package refs

import (
	"bytes"
	"context"
	"errors"
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
// there are many, or remotes' too; refs are no files; one is broken, or somebody else's
// tool made its tip, whose message git reads by more rules than ours.
func (s *Store) tipsOfFew(ctx context.Context, q BranchQuery) ([]Branch, error) {
	if _, files := s.repo.RefFile(git.HeadName); !files || q.Remotes {
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
		if errors.Is(err, git.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, ctx.Err()
		}
		c, err := s.repo.Commit(ctx, id)
		if err != nil || c.Trailer(trailerStatus) == "" || bytes.HasPrefix(c.Extra, []byte("encoding ")) {
			return nil, ctx.Err()
		}
		b := branchAt(ref[len(git.BranchPrefix):], c)
		if b.Current = b.Name == current; c.Trailer(trailerID) != "" {
			b.Summary = c.Subject()
		}
		if b.Pending, err = s.pendingCount(ctx, b.Name, c); err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b Branch) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return list, nil
}

// askBranches asks git for branches, and for what stands beside a remote's, without a name.
func (s *Store) askBranches(ctx context.Context, q BranchQuery) ([]Branch, error) {
	const format = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)%00" +
		"%(contents:trailers:only,unfold)%00"
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
	for ; len(fields) >= 5; fields = fields[5:] {
		b, err := s.listed(ctx, fields[:5], current)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// listed reads one record of Branches. A remote's roadmap, which stands beside
// its branches, gives a Branch without a name.
func (s *Store) listed(ctx context.Context, field [][]byte, current string) (Branch, error) {
	ref := strings.TrimPrefix(string(field[0]), "\n")
	seconds, err := strconv.ParseInt(string(field[2]), 10, 64)
	if err != nil {
		return Branch{}, fmt.Errorf("git for-each-ref: no date for '%s'", ref)
	}
	t := trailerMap(string(field[4]))
	summary := t[trailerLast]
	if t[trailerID] != "" {
		summary = string(field[3])
	}
	b := branchFrom(t, git.ID(field[1]), summary, time.Unix(seconds, 0))
	if name, ok := git.BranchName(ref); ok {
		b.Name, b.Current = name, name == current
		b.Pending, err = s.pendingCount(ctx, name, &git.Commit{ID: b.Tip,
			Message: message(b.Summary, "", trailerJournal+": "+t[trailerJournal]+"\n")})
		return b, err
	}
	if remote, name, ok := git.TrackedBranch(ref); ok {
		b.Remote, b.Name = remote, remote+"/"+name
	}
	return b, nil
}

// branchFrom is BRANCH as the trailers of its tip have it.
func branchFrom(t map[string]string, tip git.ID, summary string, at time.Time) Branch {
	b := Branch{Tip: tip, Status: t[trailerStatus], Purpose: t[trailerPurpose], UpdatedAt: at.UTC(), Summary: summary}
	if b.Status == "" {
		b.Status = doc.StatusActive
	}
	b.CreatedAt, b.CreatedFrom = parseCreated(t[trailerCreated])
	// A tip that somebody else's tool made has no count: it shows as none.
	b.Commits, _ = strconv.Atoi(t[trailerCommits])
	return b
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
	trailers := map[string]string{}
	for _, key := range []string{trailerStatus, trailerPurpose, trailerCreated, trailerCommits} {
		trailers[key] = c.Trailer(key)
	}
	b := branchFrom(trailers, c.ID, lastSummary(c), c.Committer.When)
	b.Name = name
	return b
}
