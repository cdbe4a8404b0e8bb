package remake

import (
	"context"
	"errors"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// Tracked returns those of some commits that tracking refs of remotes and bundles lead to: other repositories have
// them, so that their ids must not change. It costs one rev-list of all that those refs lead to.
func Tracked(ctx context.Context, s *store.Store, commits map[git.ID]bool) (map[git.ID]bool, error) {
	v, err := expunge.ListRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	tips := expunge.UniqueIDs(v.Tracking())
	if len(tips) == 0 || len(commits) == 0 {
		return nil, nil
	}
	list, err := s.Repo().History(ctx, tips)
	if err != nil {
		return nil, err
	}
	found := map[git.ID]bool{}
	for _, n := range list {
		if commits[n.ID] {
			found[n.ID] = true
		}
	}
	return found, nil
}

// Stays reports whether the ids of a commit must not change, which is the oldest one with ids later than latest
// that a remote lacks: a tracking ref leads to it, or the remote has a parent with such ids.
func Stays(ctx context.Context, s *store.Store, n *incoming.Commit, latest time.Time) (bool, error) {
	for _, p := range n.Parents {
		c, err := s.Repo().Commit(ctx, p)
		if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
			continue
		}
		if err != nil {
			return false, err
		}
		newest, err := s.TipOf(store.BranchOf(c), c).NewestEntry(ctx)
		if err != nil || doc.IDTime(newest).After(latest) {
			return err == nil, err
		}
	}
	tracked, err := Tracked(ctx, s, map[git.ID]bool{n.ID: true})
	return len(tracked) > 0, err
}

// Count returns how many entries of a commit's tree have ids later than latest, and the largest id.
func Count(ctx context.Context, s *store.Store, id git.ID, latest time.Time) (entries int, newest string, err error) {
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return 0, "", err
	}
	if newest = c.Trailer(store.TrailerNewest); !doc.ValidID(newest) {
		newest = ""
	}
	w := NewRewriter(s, latest, nil, nil)
	_, err = w.scan(ctx, "", c.Tree, func(id string) {
		if newest = max(newest, id); w.isAhead(id) {
			entries++
		}
	})
	return entries, newest, err
}
