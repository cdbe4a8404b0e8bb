package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/git-context/git-context/render/graph"
)

// Home is the first page: what holds now, what was tried, who works, and the history of all branches.
type Home struct {
	Frame
	Memory  render.Snapshot
	Tried   []store.Branch // the newest branches, without the one that Memory is of
	Total   int            // of branches, those of remotes included
	More    bool           // there are branches that Tried leaves out
	Working []Working
	Graph   Graph
}

// Open lists what is to do.
func (h Home) Open() []store.Item { return items(h.Memory.Roadmap, false) }

// Done lists what is done.
func (h Home) Done() []store.Item { return items(h.Memory.Roadmap, true) }

func items(r render.Roadmap, done bool) []store.Item {
	var list []store.Item
	for _, item := range slices.Concat(r.Milestones, r.Todo) {
		if item.Done == done {
			list = append(list, item)
		}
	}
	return list
}

// Working is a branch with steps that no commit contains: an agent works on it, or did.
type Working struct {
	Branch string
	Steps  int
	Last   store.Step
}

// Graph is a part of the history's picture.
type Graph struct {
	Layout    graph.Layout
	From, To  int // rows
	Newer     int // row at which the page of newer ones begins; -1: there is none
	linkFrame Frame
}

// NewGraph returns the rows of a layout from one on, at most most of them.
func NewGraph(f Frame, l graph.Layout, from, most int) Graph {
	from = min(max(from, 0), len(l.Rows))
	g := Graph{Layout: l, From: from, To: min(from+most, len(l.Rows)), Newer: -1, linkFrame: f}
	if from > 0 {
		g.Newer = max(from-most, 0)
	}
	return g
}

// Older reports whether there are rows below.
func (g Graph) Older() bool { return g.To < len(g.Layout.Rows) }

// Picture is the lanes as SVG.
func (g Graph) Picture() (template.HTML, error) {
	var b bytes.Buffer
	err := graph.WriteSVG(&b, g.Layout, graph.Picture{From: g.From, To: g.To})
	return template.HTML(b.String()), err // without Text, the picture has none of memory
}

// GraphRow is a row beside the picture.
type GraphRow struct {
	history.Node
	Link    string // "" for none
	Outcome string
}

// Rows lists the rows.
func (g Graph) Rows() []GraphRow {
	list := make([]GraphRow, 0, g.To-g.From)
	for i := g.From; i < g.To; i++ {
		r := g.Layout.Rows[i]
		row := GraphRow{Node: r.Node}
		if r.Kind != history.NodeCode {
			row.Link = g.linkFrame.Link(r.Commit)
		}
		switch graph.Outcome(r.Node) {
		case graph.OutcomeGood:
			row.Outcome = "success"
		case graph.OutcomeBad:
			row.Outcome = "failed"
		}
		list = append(list, row)
	}
	return list
}

// CommitView is one memory commit in full.
type CommitView struct {
	Frame
	Commit  render.Commit
	Parents []git.ID
	Steps   []store.Step
	Missing int // steps that are not listed
	Topics  []DiffLine
	Roadmap []DiffLine
	Code    []DiffLine
	Cut     string // what of the diffs is left out; ""
}

// Brief is what an agent gets.
type Brief struct {
	Frame
	Text   string
	Tokens int // budget; 0: none
	Bytes  int
	Cuts   []render.Cut
}

// Used returns how many tokens of four bytes the text takes.
func (b Brief) Used() int { return (b.Bytes + render.BytesPerToken - 1) / render.BytesPerToken }

// Budgets are the budgets that the page offers.
func (b Brief) Budgets() []Pick {
	var list []Pick
	for _, n := range []int{500, 1500, 4000, 0} {
		label := strconv.Itoa(n) + " tokens"
		if n == 0 {
			label = "all"
		}
		list = append(list, Pick{strconv.Itoa(n), label, n == b.Tokens})
	}
	return list
}

// Trace is a page of steps, newest first.
type Trace struct {
	Frame
	Branches                []string
	Filter                  TraceFilter
	Steps                   []store.Step
	Total                   int // of the branch, whatever the filter
	Skip                    int
	Next                    int  // where the page of older steps begins; 0: there is none
	Limited                 bool // the filter was asked of a part of the steps; those from Next on are not searched
	Agents, Sessions, Tools []string
}

// TraceFilter selects steps; empty fields select all.
type TraceFilter struct {
	Agent, Session, Tool string
}

// Matches reports whether a filter selects a step.
func (f TraceFilter) Matches(s store.Step) bool {
	return (f.Agent == "" || f.Agent == s.Agent) && (f.Session == "" || f.Session == s.Session) &&
		(f.Tool == "" || f.Tool == Tool(s))
}

// Empty reports whether it selects all.
func (f TraceFilter) Empty() bool { return f == TraceFilter{} }

// Tool returns the tool that a captured step names before its first colon, "" if it names none.
func Tool(s store.Step) string {
	tool, _, ok := strings.Cut(s.Action, ":")
	if !ok || tool == "" || len(tool) > 64 || strings.ContainsAny(tool, " \t\n\"'`/$(){}") {
		return ""
	}
	return tool
}

// Address returns the address of the page that begins at a step.
func (t Trace) Address(skip int) string {
	v := url.Values{}
	for key, value := range map[string]string{"agent": t.Filter.Agent, "session": t.Filter.Session, "tool": t.Filter.Tool, "branch": t.Branch} {
		if value != "" {
			v.Set(key, value)
		}
	}
	if skip > 0 {
		v.Set("skip", strconv.Itoa(skip))
	}
	return "/trace?" + v.Encode()
}

// Topics lists what a branch keeps.
type Topics struct {
	Frame
	Branches []string
	List     []store.Topic
}

// TopicView is one topic with the author of each line.
type TopicView struct {
	Frame
	Topic store.Topic
	Lines []history.BlameLine
	Said  []string // why lines are not known
}

// Branches lists branches, those of remotes, and worktrees.
type Branches struct {
	Frame
	Local     []store.Branch
	More      int // older ones that are not listed
	Remotes   []store.Branch
	Worktrees []Worktree
}

// Worktree is a worktree and the memory branch that is current there.
type Worktree struct {
	Path, Branch string
}

// NewWorktree returns a worktree by its CONTEXT_HEAD.
func NewWorktree(h git.WorktreeHead) Worktree {
	branch, ok := git.BranchName(h.Target)
	if !ok {
		branch = h.Target
	}
	return Worktree{h.Path, branch}
}

// Search is the result of a search.
type Search struct {
	Frame
	Query string
	Hits  []search.Hit
	Took  string
	Error string
}

// Address returns the address of the page that shows a hit; "" for a commit that history does not contain.
func (s Search) Address(h search.Hit) string {
	switch {
	case h.Kind == "topic":
		return "/topic?" + url.Values{"key": {h.ID}, "branch": {h.Branch}}.Encode()
	case h.Commit != nil:
		return s.Link(*h.Commit)
	case h.Kind == "step":
		return "/trace?" + url.Values{"branch": {h.Branch}, "step": {h.ID}}.Encode() + "#s-" + url.PathEscape(h.ID)
	}
	return ""
}

// Conflicts are those of a merge or a sync that waits.
type Conflicts struct {
	Frame
	Source string
	List   []store.Conflict
}

// Style returns the style sheet that is part of the file.
func (Export) Style() template.CSS { return template.CSS(Style()) }

// StyleHash returns the source that permits the style sheet in a Content-Security-Policy.
func (Export) StyleHash() template.HTMLAttr {
	sum := sha256.Sum256([]byte(Style()))
	return template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(sum[:]))
}

// Failure is an error, with the way out.
type Failure struct {
	Frame
	Message string
	Hints   []string
	Bare    bool // there is no memory to go back to
}

// Export is a whole memory in one file.
type Export struct {
	Home
	Brief   Brief
	Commits []CommitView
	Topics  []store.Topic
	Trace   []store.Step
	Left    []string // what the file leaves out
	Made    string   // when
}
