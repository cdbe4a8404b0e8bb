package history

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// NodeKind says what a commit of a graph is.
type NodeKind string

const (
	NodeCommit NodeKind = "commit" // made by COMMIT or rollback
	NodeMerge  NodeKind = "merge"
	NodeBirth  NodeKind = "birth" // a branch begins
	NodeCode   NodeKind = "code"  // a commit of the code
)

// Node is a commit of a graph. Changes of topics and metadata are no nodes: their parents stand in for them.
type Node struct {
	Commit  git.ID    `json:"commit"`
	Parents []git.ID  `json:"parents"` // nodes, the first parent's first
	Kind    NodeKind  `json:"kind"`
	ID      string    `json:"id"`     // of its entry in commit.md; "" without one
	Branch  string    `json:"branch"` // that it was made on; "" for a commit of the code
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`   // or the author
	Summary string    `json:"summary"` // on one line; of a birth the branch's purpose
	Code    *git.ID   `json:"code"`    // the code's HEAD when it was made; nil for none
	Made    bool      `json:"made"`    // Code was made with this commit
	Score   *float64  `json:"score"`
	Outcome *string   `json:"outcome"`
	Tags    []string  `json:"tags"` // of memory
	Tips    []NodeTip `json:"tips"` // branches whose newest node this is
}

// NodeTip is a branch at its newest node.
type NodeTip struct {
	Name   string `json:"name"`   // of a branch here, or REMOTE/NAME
	Status string `json:"status"` // active, merged, abandoned
}

// GraphOptions select the nodes of a graph.
type GraphOptions struct {
	Remotes bool // branches of remotes, too
	Code    bool // the code's first-parent history of HEAD, and the commits that memory names
	Most    int  // nodes of memory, the newest; 0: all
}

// Graph is the history of all memory branches. Nodes are listed children before parents, otherwise newest
// first.
type Graph struct {
	Nodes []Node `json:"nodes"`
	More  bool   `json:"more"` // there are older nodes than Most
}

// graphSummary limits the summary of a node, in characters.
const graphSummary = 200

// ReadGraph reads the graph of all memory branches and tags with one git log, and another one for the code. It
// reads no document.
func ReadGraph(ctx context.Context, s *store.Store, o GraphOptions) (Graph, error) {
	r := &graphReader{passed: map[git.ID][]git.ID{}}
	prefixes := []string{git.BranchPrefix}
	if o.Remotes {
		prefixes = append(prefixes, git.RemotePrefix)
	}
	refs, err := s.Repo().Refs(ctx, prefixes...)
	if err != nil {
		return Graph{}, err
	}
	if r.tags, err = TagNames(ctx, s); err != nil {
		return Graph{}, err
	}
	args := []string{"log", "-z", "--no-color", "--date-order", "--notes=context",
		"--format=%H%x00%P%x00%an%x00%cI%x00%N%x00%B", "--glob=" + git.TagPrefix + "*"}
	for _, p := range prefixes {
		args = append(args, "--glob="+p+"*")
	}
	read := &store.Records{Fields: 6, Each: r.add}
	if err := s.Repo().ViewTo(ctx, read, nil, append(args, "--")...); err != nil {
		return Graph{}, err
	}
	r.join()
	r.name(refs)
	if o.Most > 0 && len(r.g.Nodes) > o.Most {
		r.g.Nodes, r.g.More = r.g.Nodes[:o.Most], true
	}
	if o.Code {
		return r.g, r.g.addCode(ctx, s)
	}
	return r.g, nil
}

type graphReader struct {
	g      Graph
	tags   map[git.ID][]string
	all    []passing           // every commit, in the log's order
	passed map[git.ID][]git.ID // the nodes that stand in for a commit
}

// passing is a commit of memory as the log lists it.
type passing struct {
	id      git.ID
	parents []git.ID
	branch  string
	node    int // -1: none
	status  string
}

// add takes a record of the log. Fields are good only until it returns.
func (r *graphReader) add(f [][]byte) error {
	c := &git.Commit{ID: git.ID(f[0]), Message: string(f[5])}
	branch := store.BranchOf(c)
	if branch == "" { // the roadmap's, or another program's
		return nil
	}
	p := passing{id: c.ID, branch: branch, node: len(r.g.Nodes), status: c.Trailer(store.TrailerStatus)}
	for parent := range strings.FieldsSeq(string(f[1])) {
		p.parents = append(p.parents, git.ID(parent))
	}
	n := Node{Commit: c.ID, Kind: NodeCommit, ID: c.Trailer(store.TrailerID), Branch: branch, Summary: c.Subject(),
		Agent: c.Trailer(store.TrailerAgent), Parents: []git.ID{}, Tips: []NodeTip{},
		Tags: append([]string{}, r.tags[c.ID]...)}
	j := notes.Judge(notes.Parse(f[4]))
	n.Score, n.Outcome = j.Score, j.Outcome
	if n.Agent == "" {
		n.Agent = string(f[2])
	}
	if made := c.Trailer(store.TrailerLink); git.IsID(made) {
		n.Code, n.Made = (*git.ID)(&made), true
	} else if on := c.Trailer(store.TrailerCode); git.IsID(on) {
		n.Code = (*git.ID)(&on)
	}
	n.Time, _ = time.Parse(time.RFC3339, string(f[3])) // git prints a valid date, or none
	if n.ID == "" {
		n.Kind, n.Summary = NodeBirth, c.Trailer(store.TrailerPurpose)
	} else if len(p.parents) > 1 {
		n.Kind = NodeMerge
	}
	n.Summary = prose.OneLine(n.Summary, graphSummary)
	r.all, r.g.Nodes = append(r.all, p), append(r.g.Nodes, n)
	return nil
}

// mostStandIns is how many nodes stand in for a commit that is none: thousands of merges on top of each other would each pass on all.
const mostStandIns = 64

// join drops what is no node, and gives each node the nodes that its ancestors are. It goes from the oldest
// to the newest commit, so that the parents of a commit are known.
func (r *graphReader) join() {
	branches := make(map[git.ID]string, len(r.all))
	for _, p := range r.all {
		branches[p.id] = p.branch
	}
	keep := make([]bool, len(r.all))
	for i, p := range slices.Backward(r.all) {
		parents, seen := []git.ID{}, map[git.ID]bool{}
		for _, id := range p.parents {
			for _, node := range r.passed[id] {
				if !seen[node] {
					parents, seen[node] = append(parents, node), true
				}
			}
		}
		n := &r.g.Nodes[i]
		begins := len(p.parents) == 0 || branches[p.parents[0]] != p.branch
		if keep[i] = n.ID != "" || begins; !keep[i] {
			r.passed[p.id] = parents[:min(len(parents), mostStandIns)]
			continue
		}
		n.Parents, r.passed[p.id] = parents, []git.ID{p.id}
	}
	nodes := r.g.Nodes[:0]
	for i, n := range r.g.Nodes {
		if keep[i] {
			nodes = append(nodes, n)
		}
	}
	r.g.Nodes = nodes
}

// name says at which nodes branches end. A tip that is no node has passed on its name.
func (r *graphReader) name(refs []git.Ref) {
	at := map[git.ID]int{}
	for i, n := range r.g.Nodes {
		at[n.Commit] = i
	}
	status := map[git.ID]string{}
	for _, p := range r.all {
		status[p.id] = p.status
	}
	for _, ref := range refs {
		name, ok := git.BranchName(ref.Name)
		if !ok {
			remote, branch, tracked := git.TrackedBranch(ref.Name)
			if !tracked {
				continue // a remote's roadmap
			}
			name = remote + "/" + branch
		}
		nodes := r.passed[ref.ID]
		if len(nodes) == 0 {
			continue
		}
		newest := len(r.g.Nodes) // a tip that unites two sides has more than one, which no parent of it orders
		for _, id := range nodes {
			newest = min(newest, at[id])
		}
		if newest < len(r.g.Nodes) {
			n := &r.g.Nodes[newest]
			n.Tips = append(n.Tips, NodeTip{Name: name, Status: status[ref.ID]})
		}
	}
}

// addCode adds the commits of the code that are not older than the oldest node: those of HEAD's first-parent
// history, and those that a node names. Their order is that of their times.
func (g *Graph) addCode(ctx context.Context, s *store.Store) error {
	if len(g.Nodes) == 0 {
		return nil
	}
	oldest, named := g.Nodes[0].Time, map[git.ID]bool{}
	for _, n := range g.Nodes {
		if n.Time.Before(oldest) {
			oldest = n.Time
		}
		if n.Code != nil {
			named[*n.Code] = true
		}
	}
	code, err := readCode(ctx, s, oldest, named)
	if err != nil {
		return err
	}
	g.Nodes = interleave(g.Nodes, code)
	return nil
}

// readCode lists commits of the code, newest first.
func readCode(ctx context.Context, s *store.Store, since time.Time, named map[git.ID]bool) ([]Node, error) {
	ids := make([]git.ID, 0, len(named))
	for id := range named {
		if s.Repo().IsID(string(id)) { // not of another object format
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var here []git.ID
	for i, info := range infos {
		if info.Type == "commit" {
			here = append(here, ids[i])
		}
	}
	head, err := s.CodeHead(ctx)
	if err != nil {
		return nil, err
	}
	var list []Node
	seen := map[git.ID]bool{}
	read := &store.Records{Fields: 5, Each: func(f [][]byte) error {
		n := Node{Commit: git.ID(f[0]), Parents: []git.ID{}, Kind: NodeCode, Agent: string(f[2]),
			Summary: prose.OneLine(string(f[4]), graphSummary), Tags: []string{}, Tips: []NodeTip{}}
		n.Time, _ = time.Parse(time.RFC3339, string(f[3]))
		for parent := range strings.FieldsSeq(string(f[1])) {
			n.Parents = append(n.Parents, git.ID(parent))
		}
		if !seen[n.Commit] && (named[n.Commit] || !n.Time.Before(since)) {
			seen[n.Commit] = true
			list = append(list, n)
		}
		return nil
	}}
	format := []string{"log", "-z", "--no-color", "--no-notes", "--format=%H%x00%P%x00%an%x00%cI%x00%s"}
	if head != "" {
		walk := append(slices.Clone(format), "--first-parent",
			"--since="+since.UTC().Format(time.RFC3339), string(head), "--")
		if err := s.Repo().ViewTo(ctx, read, nil, walk...); err != nil {
			return nil, err
		}
	}
	if len(here) > 0 {
		var in bytes.Buffer
		for _, id := range here {
			in.WriteString(string(id) + "\n")
		}
		if err := s.Repo().ViewTo(ctx, read, in.Bytes(), append(format, "--no-walk=unsorted", "--stdin")...); err != nil {
			return nil, err
		}
	}
	for i := range list { // a parent that is not listed is not drawn
		list[i].Parents = slices.DeleteFunc(list[i].Parents, func(id git.ID) bool { return !seen[id] })
	}
	slices.SortStableFunc(list, func(a, b Node) int { return b.Time.Compare(a.Time) })
	return list, nil
}

// interleave puts the code's commits between nodes of memory, by time. The order of each list stays.
func interleave(memory, code []Node) []Node {
	list := make([]Node, 0, len(memory)+len(code))
	for _, n := range memory {
		for len(code) > 0 && code[0].Time.After(n.Time) {
			list, code = append(list, code[0]), code[1:]
		}
		list = append(list, n)
	}
	return append(list, code...)
}
