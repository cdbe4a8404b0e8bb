// Package graph draws the history of memory branches: a row for each commit, a lane for each branch, beside
// the lane of the code's commits.
//
// [Arrange] decides where everything is, in rows and lanes; it knows no unit of length. [WriteSVG] draws it.
package graph

import (
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
)

// Layout is a graph whose nodes have places.
type Layout struct {
	Rows  []Row // a row for each node, in the graph's order
	Edges []Edge
	Lanes int  // of branches
	Code  bool // the code has a lane of its own, on the left of the others
}

// Row is a node and its place. Lane counts from 0; it is -1 for a commit of the code.
type Row struct {
	history.Node
	Lane int
}

// EdgeKind says what an edge connects.
type EdgeKind int

const (
	EdgeNext EdgeKind = iota // a commit and the one before it on the branch
	EdgeFork                 // the first commit of a branch and the one that it begins at
	EdgeJoin                 // a merge and what it merged
	EdgeCode                 // two commits of the code
	EdgeLink                 // a memory commit and the code commit that it was made with, or first made on
)

// Edge leads from a row down to an older one.
type Edge struct {
	From, To int // rows
	Kind     EdgeKind
}

// codeLane is the lane of the code's commits.
const codeLane = -1

// Arrange gives each branch of a graph a lane. A lane is used again for a branch that ended before: below the
// last row of the one, or above the first row of the other. The branch first has lane 0 for itself.
func Arrange(g history.Graph, first string) Layout {
	l := Layout{Rows: make([]Row, len(g.Nodes))}
	at := make(map[git.ID]int, len(g.Nodes))
	for i, n := range g.Nodes {
		l.Rows[i] = Row{Node: n}
		if n.Kind == history.NodeCode {
			l.Rows[i].Lane, l.Code = codeLane, true
		}
		at[n.Commit] = i
	}
	l.connect(at)
	lanes := l.lanes(first)
	for i := range l.Rows {
		if r := &l.Rows[i]; r.Kind != history.NodeCode {
			r.Lane = lanes[r.Branch]
		}
	}
	return l
}

// connect lists the edges. A parent that the graph has left out, because it is too old, has no row.
func (l *Layout) connect(at map[git.ID]int) {
	linked := map[git.ID]int{} // code commits, and the edge from the oldest memory commit that was made on it
	for from, r := range l.Rows {
		for i, parent := range r.Parents {
			to, ok := at[parent]
			if !ok {
				continue
			}
			kind := EdgeNext
			switch {
			case r.Kind == history.NodeCode:
				kind = EdgeCode
			case i > 0:
				kind = EdgeJoin
			case l.Rows[to].Branch != r.Branch:
				kind = EdgeFork
			}
			l.Edges = append(l.Edges, Edge{from, to, kind})
		}
		if r.Code == nil {
			continue
		}
		to, ok := at[*r.Code]
		if !ok || l.Rows[to].Kind != history.NodeCode {
			continue
		}
		if e, again := linked[*r.Code]; again && !r.Made {
			l.Edges[e].From = from
			continue
		} else if !r.Made {
			linked[*r.Code] = len(l.Edges)
		}
		l.Edges = append(l.Edges, Edge{from, to, EdgeLink})
	}
}

// span is the rows between which a branch needs its lane.
type span struct {
	branch      string
	first, last int
}

// lanes returns the lane of each branch. A branch needs it from the merge that takes it in, or its newest
// commit, to the commit that it began at.
func (l *Layout) lanes(first string) map[string]int {
	spans := map[string]*span{}
	var order []*span
	for i, r := range l.Rows {
		if r.Kind == history.NodeCode {
			continue
		}
		s := spans[r.Branch]
		if s == nil {
			s = &span{r.Branch, i, i}
			spans[r.Branch], order = s, append(order, s)
		}
		s.last = i
	}
	for _, e := range l.Edges {
		switch e.Kind {
		case EdgeFork:
			spans[l.Rows[e.From].Branch].reach(e.To)
		case EdgeJoin:
			spans[l.Rows[e.To].Branch].reach(e.From)
		case EdgeNext, EdgeCode, EdgeLink: // within a branch, or not of one
		}
	}
	return l.assign(order, first)
}

// assign gives each span, from the top down, the first lane whose last branch ended above it.
func (l *Layout) assign(spans []*span, first string) map[string]int {
	slices.SortStableFunc(spans, func(a, b *span) int { return a.first - b.first })
	lanes := map[string]int{}
	var ends []int // the last row that a lane is used in
	if slices.ContainsFunc(spans, func(s *span) bool { return s.branch == first }) {
		lanes[first], ends = 0, []int{len(l.Rows)}
	}
	for _, s := range spans {
		if s.branch == first {
			continue
		}
		lane := slices.IndexFunc(ends, func(end int) bool { return end < s.first })
		if lane < 0 {
			lane, ends = len(ends), append(ends, 0)
		}
		lanes[s.branch], ends[lane] = lane, s.last
	}
	l.Lanes = len(ends)
	return lanes
}

func (s *span) reach(row int) {
	s.first, s.last = min(s.first, row), max(s.last, row)
}
