package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render/graph"
)

// drawing is the graph of all branches, with a place for each commit.
type drawing struct {
	layout graph.Layout
	nodes  map[git.ID]bool   // the commits of memory that are drawn
	before map[git.ID]git.ID // a commit, and the one before it on its branch
}

// drawings keeps the newest drawing for as long as no ref moves.
type drawings struct {
	mu     sync.Mutex // held while one is made: who comes meanwhile waits for it
	key    [sha256.Size]byte
	newest *drawing
}

// read returns the drawing of the present.
func (d *drawings) read(ctx context.Context, s *refs.Store, first string) (*drawing, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, err := drawingKey(ctx, s, first)
	if err != nil {
		return nil, err
	}
	if d.newest != nil && d.key == key {
		return d.newest, nil
	}
	g, err := history.ReadGraph(ctx, s, history.GraphOptions{Remotes: true, Code: true})
	if err != nil {
		return nil, err
	}
	fresh := &drawing{layout: graph.Arrange(g, first), nodes: map[git.ID]bool{}, before: map[git.ID]git.ID{}}
	for _, n := range g.Nodes {
		if n.Kind == history.NodeCode {
			continue
		}
		if fresh.nodes[n.Commit] = true; len(n.Parents) > 0 {
			fresh.before[n.Commit] = n.Parents[0]
		}
	}
	d.key, d.newest = key, fresh
	return fresh, nil
}

// drawingKey says which refs a drawing is made of.
func drawingKey(ctx context.Context, s *refs.Store, first string) (key [sha256.Size]byte, err error) {
	list, err := s.Repo().Refs(ctx, git.BranchPrefix, git.RemotePrefix, git.TagPrefix, git.NotesRef)
	if err != nil {
		return key, err
	}
	head, err := s.CodeHead(ctx)
	if err != nil {
		return key, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", first, head)
	for _, r := range list {
		fmt.Fprintf(h, "%s %s\n", r.ID, r.Name)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
