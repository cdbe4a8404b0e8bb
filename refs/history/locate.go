package history

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// locate fills in the commit, the code commit and the note of a tip's commits, from one git log that ends
// once it has named all of them. A commit that history does not contain (a shallow clone) keeps no commit.
func locate(ctx context.Context, s *store.Store, t *store.Tip, commits []store.Commit) error {
	return locateIn(ctx, s, t, unlocated(commits))
}

// unlocated returns commits by id.
func unlocated(commits []store.Commit) map[string]*store.Commit {
	left := map[string]*store.Commit{}
	for i := range commits {
		left[commits[i].ID] = &commits[i]
	}
	return left
}

// The newest commits of a branch nearly always are its last commits: a few
// reads in process are cheaper than git log's start. nearCommits bounds the walk.
const (
	nearEntries = 3
	nearCommits = 8
)

// locateNear does what locate does for the newest commits of a tip. It looks for a few of them among the
// first parents, and starts no git log if it finds them there.
func locateNear(ctx context.Context, s *store.Store, t *store.Tip, commits []store.Commit) error {
	left := unlocated(commits)
	if len(left) <= nearEntries {
		if err := walkNear(ctx, s, t, left); err != nil {
			return err
		}
	}
	return locateIn(ctx, s, t, left)
}

func walkNear(ctx context.Context, s *store.Store, t *store.Tip, left map[string]*store.Commit) error {
	for c, n := t.Commit(), 0; len(left) > 0 && n < nearCommits; n++ {
		if m := left[c.Trailer(store.TrailerID)]; m != nil {
			if err := locateAt(ctx, s, t.At(), m, c); err != nil {
				return err
			}
			delete(left, m.ID)
		}
		if len(left) == 0 || len(c.Parents) == 0 {
			return nil
		}
		var err error
		if c, err = s.Repo().Commit(ctx, c.Parents[0]); err != nil {
			if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
				return nil
			}
			return err
		}
	}
	return nil
}

// locateAt fills in what a commit's commit and note say, or said at a moment of
// the past.
func locateAt(ctx context.Context, s *store.Store, at *store.At, m *store.Commit, c *git.Commit) error {
	m.Hash = &c.ID
	var err error
	if m.Authored, err = s.ByCommit(ctx, c); err != nil {
		return err
	}
	if code := git.ID(c.Trailer(store.TrailerCode)); code != "" {
		m.Code = &code
	}
	note, err := notes.Read(ctx, s.Repo(), c.ID)
	if err != nil {
		return err
	}
	m.Judge(judgedAt(at, note))
	return nil
}

// locateIn looks for commits in a tip's whole history.
func locateIn(ctx context.Context, s *store.Store, t *store.Tip, left map[string]*store.Commit) error {
	if len(left) == 0 {
		return nil
	}
	return s.LogIDs(ctx, []string{"--notes=context", store.EndOfOptions, string(t.Commit().ID)}, func(f [][]byte) error {
		c := left[string(f[1])]
		if c == nil {
			return nil
		}
		delete(left, c.ID)
		hash := git.ID(f[0])
		c.Hash = &hash
		var err error
		if c.Authored, err = s.By(ctx, string(f[4]), string(f[5])); err != nil {
			return err
		}
		if len(f[2]) > 0 {
			code := git.ID(f[2])
			c.Code = &code
		}
		if c.Judge(judgedAt(t.At(), f[3])); len(left) == 0 {
			return git.ErrEnough
		}
		return nil
	}, store.TrailerValue(store.TrailerCode), "%N", "%an", "%ae")
}

// judgedAt reads what a note says: now, for nil, or at a moment of the past.
func judgedAt(at *store.At, note []byte) notes.Judgement {
	facts := notes.Parse(note)
	if at != nil {
		facts = slices.DeleteFunc(facts, func(f notes.Fact) bool { return f.Time.After(at.Time) })
	}
	return notes.Judge(facts)
}
