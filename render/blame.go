package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
)

// longAgent is the longest agent's name that the other lines align with.
const longAgent = 24

// BlameText shows who wrote each line, when, and in which milestone it first stood,
// and lists these milestones below: `git context blame KEY`.
func BlameText(p *Printer, b history.TopicBlame) {
	if len(b.Lines) == 0 {
		p.line(plain("no text in '" + b.Key + "'"))
		return
	}
	agents, stones := 0, 0
	for _, l := range b.Lines {
		agents = max(agents, cells(cut(flat(l.Agent), longAgent)))
		stones = max(stones, len(stoneOf(l)))
	}
	digits := len(strconv.Itoa(len(b.Lines)))
	for _, l := range b.Lines {
		agent, stone := cut(flat(l.Agent), longAgent), stoneOf(l)
		p.line(hash(l.Commit), plain(" "+agent+pad(agent, agents)+" "), dim(day(l.Time)+" "),
			yellow(stone), plain(pad(stone, stones)+fmt.Sprintf(" %*d) ", digits, l.Line)), plain(strings.TrimSuffix(l.Text, "\r")))
	}
	p.stones(b)
}

// stoneOf names the milestone of a line.
func stoneOf(l history.BlameLine) string {
	if l.Milestone == nil {
		return "-"
	}
	return l.Milestone.Commit.Short()
}

// stones lists the milestones of the lines, in their order.
func (p *Printer) stones(b history.TopicBlame) {
	if b.Branch == "" { // the roadmap is of no branch, and so of no milestone
		return
	}
	p.blank()
	seen := map[git.ID]bool{}
	none := false
	for _, l := range b.Lines {
		switch m := l.Milestone; {
		case m == nil:
			none = true
		case !seen[m.Commit]:
			seen[m.Commit] = true
			p.line(hash(m.Commit), plain(" "+p.fit(m.Summary, len(m.Commit.Short())+1)))
		}
	}
	if none {
		p.line(plain("-          in no milestone yet"))
	}
}
