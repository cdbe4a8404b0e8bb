// Package remake makes commits of memory again where no clone would take them as they are, with everything that they
// have: entries, topics, metadata, attachments, author, committer and dates. A commit is made again and not left out
// because scores, links, tags, views of the past and diffs belong to commits. Commits that descend from such a one are
// made again, too, and its hash is replaced wherever it occurs as a word in messages and notes.
//
//  1. Ids that are ahead of the clock, because the clock of the machine that wrote them was: a [Rewriter] gives new
//     ids, in documents, messages and notes. Every clone refuses such ids, see [incoming.MaxAhead]. The new ids depend
//     on the old ids and on what precedes them alone, see [doc.MovedID]. So two copies of a repository that are mended
//     separately get the same ids, and the same commits unless these are signed. On every line of history the order of
//     the entries stays.
//  2. Objects that are lost below a tip that is whole, see [Holes].
//
// It writes objects; [Mend] and [Holes.Mend] move refs. Afterwards Mend replaces journals, whose pending steps have ids
// already.
package remake

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Rewriter rewrites the history of branches. One goroutine may use it.
type Rewriter struct {
	s      *store.Store
	latest time.Time
	flawed map[git.ID]bool
	sign   func(context.Context, *git.Commit) (git.ID, error)

	ids     map[string]string   // new ids by old ones
	commits map[git.ID]git.ID   // new commits by old ones, without those that stay
	lines   map[git.ID]line     // by old commit
	scans   map[git.ID]string   // the largest sound id below a tree or in a file
	trees   map[key]git.ID      // new trees by old ones
	blobs   map[key]replacement // new files by old ones
}

// line is what the history of a commit says of its ids.
type line struct {
	sound string // the largest id that was never ahead; "" for none
	last  string // the largest new id
}

// NewRewriter returns a Rewriter for the commits in whose trees or messages ids later than latest were found
// first: all commits with such ids are among them or descend from them. sign stores a commit; nil: unsigned.
func NewRewriter(s *store.Store, latest time.Time, flawed map[git.ID]bool,
	sign func(context.Context, *git.Commit) (git.ID, error)) *Rewriter {
	if sign == nil {
		sign = s.Repo().WriteCommit
	}
	return &Rewriter{s: s, latest: latest, flawed: flawed, sign: sign, ids: map[string]string{},
		commits: map[git.ID]git.ID{}, lines: map[git.ID]line{}, scans: map[git.ID]string{}, trees: map[key]git.ID{},
		blobs: map[key]replacement{}}
}

// isAhead reports whether an id is refused by clones.
func (w *Rewriter) isAhead(id string) bool { return doc.IDTime(id).After(w.latest) }

// Rewrite makes the commits that tips lead to again, parents first.
func (w *Rewriter) Rewrite(ctx context.Context, tips []git.ID) error {
	list, err := w.s.Repo().History(ctx, tips)
	if err != nil {
		return err
	}
	for _, n := range list {
		moved := slices.ContainsFunc(n.Parents, func(p git.ID) bool { return w.commits[p] != "" })
		if !moved && !w.flawed[n.ID] {
			continue
		}
		if err := w.commit(ctx, n.ID); err != nil {
			return err
		}
	}
	return nil
}

// Now returns the commit that replaces one, or that commit itself.
func (w *Rewriter) Now(id git.ID) git.ID {
	if now := w.commits[id]; now != "" {
		return now
	}
	return id
}

func (w *Rewriter) commit(ctx context.Context, id git.ID) error {
	old, err := w.s.Repo().Commit(ctx, id)
	if err != nil {
		return err
	}
	if err := w.give(ctx, old); err != nil {
		return err
	}
	now := *old
	if now.Tree, err = w.tree(ctx, "", old.Tree); err != nil {
		return err
	}
	now.Parents = make([]git.ID, len(old.Parents))
	for i, p := range old.Parents {
		now.Parents[i] = w.Now(p)
	}
	now.Message = w.message(old)
	return w.replace(ctx, old, now)
}

// replace stores what a commit is now, if that differs.
func (w *Rewriter) replace(ctx context.Context, old *git.Commit, now git.Commit) (err error) {
	if now.Tree == old.Tree && now.Message == old.Message && slices.Equal(now.Parents, old.Parents) {
		return nil
	}
	now.Extra = old.Unsigned()
	if now.ID, err = w.sign(ctx, &now); err == nil {
		w.commits[old.ID] = now.ID
	}
	return err
}

// give gives new ids to those of a commit that its parents do not have.
func (w *Rewriter) give(ctx context.Context, c *git.Commit) error {
	var fresh []string
	note := func(id string) {
		if doc.ValidID(id) && w.isAhead(id) && w.ids[id] == "" {
			fresh = append(fresh, id)
		}
	}
	for _, key := range []string{store.TrailerID, store.TrailerNewest} {
		note(c.Trailer(key))
	}
	sound, err := w.scan(ctx, "", c.Tree, note)
	if err != nil {
		return err
	}
	l := line{sound: sound}
	for _, p := range c.Parents {
		of, err := w.lineOf(ctx, p)
		if err != nil {
			return err
		}
		l.sound, l.last = max(l.sound, of.sound), max(l.last, of.last)
	}
	slices.Sort(fresh)
	fresh = slices.Compact(fresh)
	if l.sound == "" && len(fresh) > 0 {
		if l.sound, err = w.beginning(fresh[0]); err != nil {
			return err
		}
	}
	l.last = max(l.last, l.sound)
	for _, id := range fresh {
		now, err := doc.MovedID(id, l.sound)
		if err == nil && now <= l.last {
			now, err = doc.IDAfter(l.last)
		}
		if err != nil {
			return err
		}
		w.ids[id], l.last = now, now
	}
	w.lines[c.ID] = l
	return nil
}

// lineOf returns what the history of a parent says. A commit beyond the edge of a shallow clone says nothing.
func (w *Rewriter) lineOf(ctx context.Context, id git.ID) (line, error) {
	if l, known := w.lines[id]; known {
		return l, nil
	}
	c, err := w.s.Repo().Commit(ctx, id)
	if errors.Is(err, git.ErrNotFound) {
		return line{}, nil
	}
	if err != nil {
		return line{}, err
	}
	newest, err := w.s.TipOf(store.BranchOf(c), c).NewestEntry(ctx)
	if err != nil {
		return line{}, err
	}
	w.lines[id] = line{newest, newest}
	return w.lines[id], nil
}

// aboutYear is by how much the time of a history moves back that has no id that is not ahead: 398 days.
const aboutYear = (1 << 35) * time.Millisecond

// beginning returns the id that the new ids of a history follow all of whose ids are ahead: of the time of its
// first, set back by as many times aboutYear as needed. It must not depend on when the history is mended.
func (w *Rewriter) beginning(first string) (string, error) {
	at := doc.IDTime(first)
	for at.After(w.latest) {
		at = at.Add(-aboutYear)
	}
	return doc.FirstID(at)
}
