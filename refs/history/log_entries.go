package history

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// LogCommits reads the commits of a log in full, in its order. The entry of a commit is in
// its own commit.md and in those of its descendants, so that one walk over the segments of
// the newest finds the entries of the whole branch. For a memory commit without an entry it
// returns what the message contains, see [ReadCommit].
func LogCommits(ctx context.Context, s *store.Store, list []Logged) ([]store.Commit, error) {
	entries := make(map[string]*doc.Commit, len(list)) // nil: not found yet
	for _, m := range list {
		entries[m.ID] = nil
	}
	commits := make([]store.Commit, len(list))
	for i, m := range list {
		if m.ID != "" && entries[m.ID] == nil {
			if err := entriesAt(ctx, s, m, entries); err != nil {
				return nil, err
			}
		}
		if entry := entries[m.ID]; entry != nil {
			commits[i] = store.CommitFrom(*entry)
			commits[i].Hash = &list[i].Commit
			if m.Code != "" {
				commits[i].Code = &list[i].Code
			}
		} else {
			c, err := s.Repo().Commit(ctx, m.Commit)
			if err != nil {
				return nil, err
			}
			commits[i] = store.BetweenCommits(c)
		}
		commits[i].Judge(m.Judgement)
	}
	return commits, nil
}

// entriesAt fills in the wanted entries from the commit.md of a commit, newest first, until
// a segment contains another entry: if few of many are wanted, the commit.md of the next is
// nearer than the segments between.
func entriesAt(ctx context.Context, s *store.Store, at Logged, wanted map[string]*doc.Commit) error {
	tip, err := s.TipAt(ctx, at.Branch, at.Commit)
	if err != nil {
		return err
	}
	return s.SegmentsBackwards(ctx, tip, doc.CommitFile, doc.CommitDir, func(data []byte) (bool, error) {
		ms, err := doc.ParseCommits(data)
		all := true
		for i, m := range ms {
			if _, ok := wanted[m.ID]; ok {
				wanted[m.ID] = &ms[i]
			} else if m.Kind != doc.KindBirth {
				all = false
			}
		}
		return all, err
	})
}
