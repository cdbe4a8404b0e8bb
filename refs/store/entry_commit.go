package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// idSlack is how much older than the time in its id a commit's commit may be for
// the quick look: a busy minute's ids run ahead of the clock.
const idSlack = time.Hour

// ByID looks for a commit by its id: first among the commits of branches that are not older than
// the id, which for what was made lately are few, then among all, then among those of tags, to which nobody merges anything. Of
// several it returns the one that added the entry. One
// that names the id without adding its entry, as a commit made by hand with the message of another may, is returned only
// if no other names it.
func (s *Store) ByID(ctx context.Context, name string) (git.ID, error) {
	var alone git.ID
	args := []string{"--fixed-strings", "--grep=" + TrailerID + ": " + name}
	young := fmt.Sprintf("--max-age=%d", max(doc.IDTime(name).Add(-idSlack).Unix(), 0))
	branches, tags := "--glob="+git.BranchPrefix+"*", "--glob="+git.TagPrefix+"*"
	for _, args := range [][]string{append(args, branches, young), append(args, branches), append(args, tags)} {
		var found []*git.Commit
		err := s.LogIDs(ctx, args, func(f [][]byte) error {
			if string(f[1]) != name { // its text speaks of the id
				return nil
			}
			c, err := s.repo.Commit(ctx, git.ID(f[0]))
			if err != nil {
				return err
			}
			if entry, err := s.added(ctx, c); err == nil && entry == nil { // one that cannot be read may have it
				alone = cmp.Or(alone, c.ID)
				return nil
			}
			found = append(found, c)
			return nil
		})
		if len(found) > 0 && err == nil {
			return s.firstOf(ctx, name, found)
		}
		if err != nil {
			return "", err
		}
	}
	return alone, nil
}

// Original reports which of two commits that name one entry, and are not in each other's history, stands for the entry: the one whose
// date is nearer to the time in the entry's id, because a copy that somebody pushes is made later, or says that it was made before; and of
// one date, as an expunge and its refusal leave two, the one with the smaller hash, so that all views take the same. Dates are in
// seconds.
func Original(entry string, a git.ID, aSeconds int64, b git.ID, bSeconds int64) bool {
	made := doc.IDTime(entry).Unix()
	return cmp.Or(cmp.Compare(distance(made, aSeconds), distance(made, bSeconds)), cmp.Compare(a, b)) < 0
}

// distance is |a-b|, of any two.
func distance(a, b int64) uint64 { return uint64(max(a, b)) - uint64(min(a, b)) }

func original(entry string, a, b *git.Commit) bool {
	return Original(entry, a.ID, a.Committer.When.Unix(), b.ID, b.Committer.When.Unix())
}

// firstOf returns which of some commits that name one entry added it: the first in the history of that which [Original] takes.
func (s *Store) firstOf(ctx context.Context, entry string, commits []*git.Commit) (git.ID, error) {
	first := commits[0]
	for _, c := range commits {
		if original(entry, c, first) {
			first = c
		}
	}
	if len(commits) == 1 {
		return first.ID, nil
	}
	list, err := s.repo.History(ctx, []git.ID{first.ID})
	if err != nil {
		return "", err
	}
	for _, n := range list {
		if slices.ContainsFunc(commits, func(c *git.Commit) bool { return c.ID == n.ID }) {
			return n.ID, nil
		}
	}
	return first.ID, nil
}

// NewestCommitAt returns the commit that a revision names: itself if it has an entry, else the
// newest one below it that has. fail.ErrNotFound where there is none.
func (s *Store) NewestCommitAt(ctx context.Context, rev string) (*git.Commit, error) {
	c, err := s.Revision(ctx, rev)
	if err != nil {
		return nil, err
	}
	newest, err := s.newestListed(ctx, c)
	if err == nil && newest == nil {
		err = fail.New(fail.ErrNotFound, fail.MemoryCommitNotFound, fmt.Sprintf("'%s' has no commit yet", prose.OneLine(rev, 100)),
			"git context commit -m SUMMARY")
	}
	return newest, err
}

// CommitMeant finds the commit that something is to be written about. A branch
// means its newest one; any other name must name a commit itself, because what is
// said of one must not go to another.
func (s *Store) CommitMeant(ctx context.Context, rev string) (*git.Commit, error) {
	c, ref, err := s.revision(ctx, rev)
	if err != nil {
		return nil, err
	}
	if entry, err := s.added(ctx, c); err != nil || entry != nil {
		return c, err
	}
	newest, err := s.newestListed(ctx, c)
	if err != nil {
		return nil, err
	}
	branch := strings.HasPrefix(ref, git.BranchPrefix) && beforeSuffix(rev) == rev
	switch own := c.Trailer(TrailerCommits) != "0"; {
	case newest == nil || branch && !own:
		return nil, fail.New(fail.ErrNotFound, fail.MemoryCommitNotFound, fmt.Sprintf("'%s' has no commit yet", prose.OneLine(rev, 100)),
			"git context commit -m SUMMARY")
	case !branch:
		return nil, fail.New(fail.ErrInvalid, fail.NoEntry, fmt.Sprintf("'%s' has no entry in commit.md; it was made after commit %s", prose.OneLine(rev, 100), newest.ID.Short()),
			"git context log --oneline "+prose.OneLine(rev, 100))
	}
	return newest, nil
}

// NewestCommit follows every way back from c to the first commit that added an entry and returns the
// one with the largest id; nil for none. A merge of one branch from two repositories has no
// entry of its own.
func (s *Store) NewestCommit(ctx context.Context, c *git.Commit) (*git.Commit, error) {
	var newest *git.Commit
	seen := map[git.ID]bool{}
	for queue := []*git.Commit{c}; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		entry, err := s.added(ctx, c)
		if err != nil {
			return nil, err
		}
		if entry != nil {
			if newest == nil || entry.ID > newest.Trailer(TrailerID) || entry.ID == newest.Trailer(TrailerID) && original(entry.ID, c, newest) {
				newest = c
			}
			continue
		}
		for _, p := range c.Parents {
			if seen[p] {
				continue
			}
			seen[p] = true
			parent, err := s.repo.Commit(ctx, p)
			if err != nil {
				return nil, err
			}
			queue = append(queue, parent)
		}
	}
	return newest, nil
}

// newestListed is NewestCommit, or the commit of the newest entry in commit.md, where copies of older ones that somebody pushed
// hide that.
func (s *Store) newestListed(ctx context.Context, c *git.Commit) (*git.Commit, error) {
	newest, err := s.NewestCommit(ctx, c)
	if err != nil || newest == nil || newest.ID == c.ID {
		return newest, err
	}
	list, _, err := s.TipOf(BranchOf(c), c).LiveCommits(ctx)
	if err != nil || len(list) == 0 || list[len(list)-1].ID <= newest.Trailer(TrailerID) {
		return newest, err
	}
	id, err := s.ByID(ctx, list[len(list)-1].ID)
	if err != nil || id == "" {
		return newest, err
	}
	return s.repo.Commit(ctx, id)
}

// EntryOf returns the entry of a commit in its commit.md, and nil where there is none. A
// Context-Id without an entry, as other tools may copy one, is not an error.
func (s *Store) EntryOf(ctx context.Context, c *git.Commit) (*doc.Commit, error) {
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

// added is EntryOf for the commit that added the entry: nil also where a parent has the entry.
func (s *Store) added(ctx context.Context, c *git.Commit) (*doc.Commit, error) {
	entry, err := s.EntryOf(ctx, c)
	if entry == nil || err != nil {
		return nil, err
	}
	for _, id := range c.Parents {
		p, err := s.repo.Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
			continue
		}
		if err != nil {
			return nil, err
		}
		if newest := p.Trailer(TrailerNewest); doc.ValidID(newest) && newest < entry.ID {
			continue // so it is for all that our commands make
		}
		if has, err := s.TipOf(BranchOf(p), p).ContainsEntry(ctx, CommitEntries, entry.ID); err != nil || has {
			return nil, err
		}
	}
	return entry, nil
}
