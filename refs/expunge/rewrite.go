package expunge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Rewriter rewrites history without what was expunged. It is a pure function of a commit and a
// set of tombstones: repositories with the same tombstones get the same hashes. It writes
// objects and moves no ref.
//
//	tree       documents redacted (see [doc.Expunged.Redact]); a segment whose first
//	           entry is removed gets another name, an empty one is gone; totals recounted
//	parents    rewritten
//	message    redacted, its trailers updated, see Rewriter.message
//	signature  dropped, because it would not match
//
// Everything else stays, dates included. A commit in which nothing changes keeps its hash.
// Rewriting by T and then by U equals rewriting by both at once; so the Rewriter must not read
// anything from the old commit that the first rewriting changes.
type Rewriter struct {
	s *store.Store
	e doc.Expunged

	commits map[git.ID]git.ID // by old id
	gone    map[git.ID]bool   // old ids of commits whose entry was removed
	last    map[git.ID]string // by new id: the summary of the newest commit
	dirs    map[dirKey]dirChange
	roots   map[git.ID]rootChange // by tree
	blobs   map[dirKey]blobChange
	newest  map[git.ID]string // by the blob of a commit.md
	sources []string          // of the steps that were removed

	ofRoadmap        []git.ID          // commits of the roadmap that others name
	replacedRoadmaps map[git.ID]git.ID // by earlier expunges; nil: not read

	unsigned  int // commits that were signed and have no signature any more
	edge      edge
	rehearsal bool // its objects are removed, see rehearse
}

// NewRewriter returns a Rewriter for a set of tombstones. It remembers what it has rewritten,
// so that asking again is cheap. One goroutine may use it.
func NewRewriter(s *store.Store, e doc.Expunged) *Rewriter {
	return &Rewriter{s: s, e: e, commits: map[git.ID]git.ID{}, gone: map[git.ID]bool{}, last: map[git.ID]string{},
		dirs: map[dirKey]dirChange{}, roots: map[git.ID]rootChange{}, blobs: map[dirKey]blobChange{},
		newest: map[git.ID]string{}}
}

// Rewrite returns the replacements of commits of branches and of the roadmap; a commit that
// reaches nothing expunged maps to itself.
func (w *Rewriter) Rewrite(ctx context.Context, tips []git.ID) (map[git.ID]git.ID, error) {
	var todo []git.ID
	for _, id := range tips {
		if _, known := w.commits[id]; !known {
			todo = append(todo, id)
		}
	}
	list, err := w.s.Repo().History(ctx, todo)
	if err != nil {
		return nil, err
	}
	if err := w.rehearse(ctx, list); err != nil {
		return nil, err
	}
	if err := w.all(ctx, list); err != nil {
		return nil, err
	}
	out := make(map[git.ID]git.ID, len(tips))
	for _, id := range tips {
		out[id] = w.commits[id]
	}
	return out, nil
}

// all rewrites commits that are listed parents first.
func (w *Rewriter) all(ctx context.Context, list []git.NewCommit) error {
	if err := w.roadmaps(ctx, list); err != nil {
		return err
	}
	meter := w.s.Repo().Meter("Rewriting commits", len(list))
	defer meter.End()
	for _, c := range list {
		if err := w.commit(ctx, c.ID); err != nil {
			return err
		}
		meter.Add(1)
	}
	return nil
}

// replaced returns the old commits that have a replacement, sorted.
func (w *Rewriter) replaced() []git.ID {
	var ids []git.ID
	for old, now := range w.commits {
		if old != now {
			ids = append(ids, old)
		}
	}
	slices.Sort(ids)
	return ids
}

// commit rewrites a commit whose parents are rewritten. About one at the edge of a shallow clone atEdge decides.
func (w *Rewriter) commit(ctx context.Context, id git.ID) error {
	if _, known := w.commits[id]; known {
		return nil
	}
	if err := w.readEdge(); err != nil {
		return err
	}
	old, err := w.s.Repo().Commit(ctx, id)
	if err != nil {
		return err
	}
	tree, err := w.root(ctx, old.Tree)
	if err != nil {
		return fmt.Errorf("commit %s: %w", id, err)
	}
	now := *old
	now.Tree, now.Parents = tree.id, make([]git.ID, len(old.Parents))
	for i, p := range old.Parents {
		if now.Parents[i] = p; w.commits[p] != "" {
			now.Parents[i] = w.commits[p]
		}
	}
	changed := now.Tree != old.Tree || !slices.Equal(now.Parents, old.Parents)
	m, err := w.message(ctx, old, &now, tree, changed)
	if err != nil {
		return fmt.Errorf("commit %s: %w", id, err)
	}
	now.Message = m.text
	if m.gone {
		w.gone[id] = true
	}
	if w.isCut(old) {
		to, err := w.atEdge(ctx, old, &now)
		if err != nil {
			return err
		}
		if w.commits[id] = to; to != id {
			return nil
		}
	} else if changed || now.Message != old.Message {
		if now.Extra = old.Unsigned(); !bytes.Equal(now.Extra, old.Extra) {
			w.unsigned++
		}
		if now.ID, err = w.s.Repo().WriteCommit(ctx, &now); err != nil {
			return err
		}
	}
	w.commits[id], w.commits[now.ID] = now.ID, now.ID
	w.last[now.ID] = store.LastSummary(&now)
	return nil
}

// rootsReplaced returns the replaced commits without a replaced parent: all old history
// descends from them.
func (w *Rewriter) rootsReplaced(ctx context.Context) ([]git.ID, error) {
	var roots []git.ID
	for _, id := range w.replaced() {
		c, err := w.s.Repo().Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(c.Parents, func(p git.ID) bool { return w.commits[p] != "" && w.commits[p] != p }) {
			roots = append(roots, id)
		}
	}
	return roots, nil
}

// RewriteNew is Rewrite for repositories whose own memory is known to be clean: it reads only
// commits that our refs do not reach.
func (w *Rewriter) RewriteNew(ctx context.Context, tips []git.ID) (map[git.ID]git.ID, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	list, err := w.s.Repo().NewCommits(ctx, tips, -1)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if err := w.rehearse(ctx, list); err != nil {
		return nil, err
	}
	if err := w.all(ctx, list); err != nil {
		return nil, err
	}
	now := make(map[git.ID]git.ID, len(tips))
	for _, id := range tips {
		now[id] = w.now(id)
	}
	return now, nil
}
