package graph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/render"
)

// What a picture measures, in CSS pixels.
const (
	RowHeight = 28
	laneWidth = 18
	margin    = 14
	nodeSize  = 5
	textWidth = 760 // of the columns right of the lanes
	colors    = 8   // of lanes; a sheet of styles has the classes lane0 to lane7
)

// Picture says what [WriteSVG] draws of a layout.
type Picture struct {
	From, To int  // rows, To excluded
	Text     bool // the columns right of the lanes, and a style sheet: the picture is a file without others
	Title    string
	Left     string // a line on what is left out, below the rows; empty: nothing
}

// Width returns the width of the lanes in pixels.
func (l Layout) Width() int {
	return margin + laneWidth*l.columns()
}

func (l Layout) columns() int {
	if l.Code {
		return l.Lanes + 1
	}
	return l.Lanes
}

// x returns the middle of a lane. The code's lane is on the left of the others.
func (l Layout) x(lane int) int {
	if l.Code {
		lane++
	}
	return margin + laneWidth*lane
}

// WriteSVG draws rows of a layout. Shapes say what colours say: a ring is the birth of a branch, a diamond a
// merge, a square a commit of the code; a tick or a cross in a node is its outcome. All text of memory is
// character data, and control characters are made visible.
func WriteSVG(w io.Writer, l Layout, p Picture) error {
	d := &drawing{b: bufio.NewWriter(w), l: l, p: p}
	width, height := l.Width(), RowHeight*(p.To-p.From)
	if p.Text {
		width += textWidth
		if p.Left != "" {
			height += RowHeight
		}
	}
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" class="graph" width="%d" height="%d" viewBox="0 0 %d %d"`,
		width, height, width, height)
	if p.Text {
		d.f(` role="img"><title>%s</title><style>%s</style><rect class="ground" width="100%%" height="100%%"/>`,
			text(p.Title), style)
	} else {
		d.f(` aria-hidden="true">`)
	}
	for _, e := range l.Edges {
		d.edge(e)
	}
	for i := p.From; i < p.To; i++ {
		d.node(i)
		if p.Text {
			d.line(i)
		}
	}
	if p.Text && p.Left != "" {
		d.f(`<text class="about" x="%d" y="%d">%s</text>`, l.Width(), height-RowHeight/2+4, text(p.Left))
	}
	d.f("</svg>\n")
	return d.b.Flush()
}

type drawing struct {
	b *bufio.Writer // keeps the first error
	l Layout
	p Picture
}

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(d.b, format, args...) }

// y returns the middle of a row.
func (d *drawing) y(row int) int { return RowHeight*(row-d.p.From) + RowHeight/2 }

// edge draws an edge that is in the picture or crosses it. A branch bends next to the row where it begins or
// ends, and is straight between.
func (d *drawing) edge(e Edge) {
	if e.From >= d.p.To || e.To < d.p.From {
		return
	}
	from, to := d.l.Rows[e.From], d.l.Rows[e.To]
	x1, y1, x2, y2 := d.l.x(from.Lane), d.y(e.From), d.l.x(to.Lane), d.y(e.To)
	class := laneClass(from.Lane)
	var path string
	switch e.Kind {
	case EdgeNext, EdgeCode:
		path = fmt.Sprintf("M%d %dV%d", x1, y1, y2)
	case EdgeFork:
		bend := y2 - RowHeight
		path = fmt.Sprintf("M%d %dV%dC%d %d %d %d %d %d", x1, y1, bend, x1, y2-RowHeight/2, x2, y2-RowHeight/2, x2, y2)
	case EdgeJoin:
		class = laneClass(to.Lane)
		bend := y1 + RowHeight
		path = fmt.Sprintf("M%d %dC%d %d %d %d %d %dV%d", x1, y1, x1, y1+RowHeight/2, x2, y1+RowHeight/2, x2, bend, y2)
	case EdgeLink:
		class = "link"
		path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, (x1+x2)/2, y1, x2, (y1+y2)/2, x2, y2)
	}
	d.f(`<path class="edge %s" d="%s"/>`, class, path)
}

func (d *drawing) node(row int) {
	r := d.l.Rows[row]
	x, y, n := d.l.x(r.Lane), d.y(row), nodeSize
	class := laneClass(r.Lane)
	switch r.Kind {
	case history.NodeCode:
		d.f(`<rect class="node code" x="%d" y="%d" width="%d" height="%d"/>`, x-n+1, y-n+1, 2*n-2, 2*n-2)
	case history.NodeBirth:
		d.f(`<circle class="birth %s" cx="%d" cy="%d" r="%d"/>`, class, x, y, n-1)
	case history.NodeMerge:
		d.f(`<path class="node %s" d="M%d %dl%d %dl%d %dl%d %dz"/>`, class, x, y-n-2, n+2, n+2, -n-2, n+2, -n-2, -n-2)
	case history.NodeCommit:
		d.f(`<circle class="node %s" cx="%d" cy="%d" r="%d"/>`, class, x, y, n+1)
	}
	switch Outcome(r.Node) {
	case OutcomeGood:
		d.f(`<path class="sign" d="M%d %dl2 2l4 -5"/>`, x-3, y+1)
	case OutcomeBad:
		d.f(`<path class="sign" d="M%d %dl5 5m0 -5l-5 5"/>`, x-2, y-2)
	}
	for _, t := range r.Tips {
		if t.Status == "abandoned" {
			d.f(`<path class="end %s" d="M%d %dh10"/>`, class, x-5, y-n-4)
		}
	}
}

// line writes the columns of a row.
func (d *drawing) line(row int) {
	r := d.l.Rows[row]
	x, y := d.l.Width(), d.y(row)+4
	d.f(`<text class="%s" x="%d" y="%d">%s</text>`, "summary "+string(r.Kind), x, y,
		text(prose.OneLine(Label(r.Node), 70)))
	about := r.Time.UTC().Format(time.DateOnly) + "  " + r.Agent
	d.f(`<text class="about" x="%d" y="%d">%s</text>`, x+520, y, text(prose.OneLine(about, 34)))
}

// Label returns a node in one line: the branches that end there, what it is, and its summary.
func Label(n history.Node) string {
	var b strings.Builder
	for _, t := range n.Tips {
		if t.Status == "active" {
			fmt.Fprintf(&b, "[%s] ", t.Name)
		} else {
			fmt.Fprintf(&b, "[%s, %s] ", t.Name, t.Status)
		}
	}
	for _, t := range n.Tags {
		fmt.Fprintf(&b, "(%s) ", t)
	}
	switch n.Kind {
	case history.NodeBirth:
		b.WriteString(n.Branch + " begins")
		if n.Summary != "" {
			b.WriteString(": " + n.Summary)
		}
	case history.NodeCode:
		b.WriteString(n.Commit.Short() + " " + n.Summary)
	case history.NodeCommit, history.NodeMerge:
		b.WriteString(n.Summary)
	}
	return b.String()
}

// What the outcome or the score of a node says, as [Outcome] returns it.
const (
	OutcomeNone = iota
	OutcomeGood
	OutcomeBad
)

// Outcome judges a node by its outcome, or else by its score, of which 0.5 and more is good.
func Outcome(n history.Node) int {
	switch {
	case n.Outcome != nil && *n.Outcome == "success", n.Outcome == nil && n.Score != nil && *n.Score >= 0.5:
		return OutcomeGood
	case n.Outcome != nil || n.Score != nil:
		return OutcomeBad
	}
	return OutcomeNone
}

func laneClass(lane int) string {
	if lane == codeLane {
		return "code"
	}
	return fmt.Sprintf("lane%d", lane%colors)
}

// text escapes text for XML, which excludes most control characters.
func text(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(render.Safe(s))); err != nil {
		panic(err) // a strings.Builder does not fail
	}
	return b.String()
}

// style is that of a picture in a file of its own.
const style = `svg{font:13px system-ui,sans-serif;--ground:#fff;--text:#1b1f24;--quiet:#57606a}` + Colors +
	`.ground{fill:var(--ground)}text{fill:var(--text)}text.about,text.code,text.birth{fill:var(--quiet)}` +
	`@media(prefers-color-scheme:dark){svg{--ground:#0d1117;--text:#e6edf3;--quiet:#9198a1}}`

// Colors is the part of a style sheet that draws lanes and nodes. It needs the properties --ground and --quiet.
const Colors = `.lane0{color:#0969da}.lane1{color:#bc4c00}.lane2{color:#1a7f37}.lane3{color:#8250df}` +
	`.lane4{color:#bf3989}.lane5{color:#9a6700}.lane6{color:#1b7c83}.lane7{color:#cf222e}` +
	`path.code,rect.code,path.link{color:var(--quiet)}.edge{fill:none;stroke:currentColor;stroke-width:2}` +
	`.edge.link{stroke-width:1;stroke-dasharray:2 3}.node{fill:currentColor}` +
	`circle.birth{fill:var(--ground);stroke:currentColor;stroke-width:2}.end{stroke:currentColor;stroke-width:3}` +
	`.sign{fill:none;stroke:var(--ground);stroke-width:1.6}` +
	`@media(prefers-color-scheme:dark){.lane0{color:#4493f8}.lane1{color:#f0883e}.lane2{color:#3fb950}.lane3{color:#ab7df8}` +
	`.lane4{color:#db61a2}.lane5{color:#d29922}.lane6{color:#39c5cf}.lane7{color:#f85149}}`
