package history

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
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

// enoughOlder is how many commits in a row whose newest entry is older than all that are wanted end a walk. A copy of
// a message says nothing of what lies below it, and such a copy of an older one may lie there.
const enoughOlder = 8

// wantedAdders follows a walk from the newest to older commits until it knows which commits added the wanted entries.
type wantedAdders struct {
	Adders
	left   int    // of the wanted entries
	oldest string // of the wanted entries
	older  int    // commits in a row that are older than that
}

func newWanted(ids map[string]*store.Commit) *wantedAdders {
	w := &wantedAdders{left: len(ids)}
	for id := range ids {
		if w.oldest == "" || id < w.oldest {
			w.oldest = id
		}
	}
	return w
}

// found takes a commit that names a wanted entry.
func (w *wantedAdders) found(entry string, c git.ID) {
	if w.Name(entry, c) {
		w.left--
	}
}

// enough reports whether no commit below the one whose Context-Newest is given can have added a wanted entry: each
// entry is newer than all that are in the history of the commit that added it.
func (w *wantedAdders) enough(newest string) bool {
	switch {
	case w.left > 0 || !doc.ValidID(newest):
	case newest >= w.oldest:
		w.older = 0
	default:
		w.older++
	}
	return w.older >= enoughOlder
}

// The newest commits of a branch nearly always are its last commits: a few
// reads in process are cheaper than git log's start. nearCommits bounds the walk.
const (
	nearEntries = 3
	nearCommits = 8 + enoughOlder
)

// locateNear does what locate does for the newest commits of a tip. It looks for a few of them in the last commits, and
// starts no git log if it finds them there.
func locateNear(ctx context.Context, s *store.Store, t *store.Tip, commits []store.Commit) error {
	left := unlocated(commits)
	if len(left) > nearEntries {
		return locateIn(ctx, s, t, left)
	}
	near, err := walkNear(ctx, s, t, left)
	if err != nil {
		return err
	}
	if near == nil {
		return locateIn(ctx, s, t, left)
	}
	for id, c := range near {
		if err := locateAt(ctx, s, t.At(), left[id], c); err != nil {
			return err
		}
	}
	return nil
}

// walkNear returns the commits of entries, and nil where the last commits do not tell them. It takes the commits as git
// log does, by their dates.
func walkNear(ctx context.Context, s *store.Store, t *store.Tip, left map[string]*store.Commit) (map[string]*git.Commit, error) {
	wanted, near := newWanted(left), map[string]*git.Commit{}
	if len(left) == 0 {
		return near, nil
	}
	seen, naming := map[git.ID]bool{}, map[git.ID]*git.Commit{}
	queue := []*git.Commit{t.Commit()}
	for n := 0; len(queue) > 0; n++ {
		if n == nearCommits {
			return nil, nil
		}
		next := 0
		for i, c := range queue {
			if c.Committer.When.After(queue[next].Committer.When) {
				next = i
			}
		}
		c := queue[next]
		queue = slices.Delete(queue, next, next+1)
		wanted.List(c.ID, c.Parents, c.Committer.When.Unix())
		if id := c.Trailer(store.TrailerID); left[id] != nil {
			wanted.found(id, c.ID)
			naming[c.ID] = c
		}
		if wanted.enough(c.Trailer(store.TrailerNewest)) {
			break
		}
		for _, id := range c.Parents {
			if seen[id] {
				continue
			}
			seen[id] = true
			parent, err := s.Repo().Commit(ctx, id)
			if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
				continue
			}
			if err != nil {
				return nil, err
			}
			queue = append(queue, parent)
		}
	}
	for id := range left {
		if c := naming[wanted.Of(id)]; c != nil {
			near[id] = c
		}
	}
	return near, nil
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
	wanted, naming := newWanted(left), map[git.ID]logFields{}
	args := store.EntriesOf([]string{"--notes=context"}, store.EndOfOptions, string(t.Commit().ID))
	err := s.LogIDs(ctx, args, func(f [][]byte) error {
		hash, id := git.ID(f[0]), string(f[1])
		wanted.List(hash, ParentsOf(f[6]), SecondsOf(f[7]))
		if left[id] != nil {
			by, err := s.By(ctx, string(f[4]), string(f[5]))
			if err != nil {
				return err
			}
			wanted.found(id, hash)
			naming[hash] = logFields{by, git.ID(f[2]), judgedAt(t.At(), f[3])}
		}
		if wanted.enough(string(f[8])) {
			return git.ErrEnough
		}
		return nil
	}, store.TrailerValue(store.TrailerCode), "%N", "%an", "%ae", "%P", "%ct", store.TrailerValue(store.TrailerNewest))
	if err != nil {
		return err
	}
	for id, c := range left {
		if hash := wanted.Of(id); hash != "" {
			said := naming[hash]
			c.Hash, c.Authored, c.Code = &hash, said.by, nil
			if said.code != "" {
				c.Code = &said.code
			}
			c.Judge(said.judgement)
		}
	}
	return nil
}

// logFields are what git log says of a commit.
type logFields struct {
	by        store.Authored
	code      git.ID // "" for none
	judgement notes.Judgement
}

// judgedAt reads what a note says: now, for nil, or at a moment of the past.
func judgedAt(at *store.At, note []byte) notes.Judgement {
	facts := notes.Parse(note)
	if at != nil {
		facts = slices.DeleteFunc(facts, func(f notes.Fact) bool { return f.Time.After(at.Time) })
	}
	return notes.Judge(facts)
}
