package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
)

// longAgent is the maximum length of an agent's name with which other lines align.
const longAgent = 24

// BlameText shows who wrote each line, when, and the first memory commit that contains it,
// and lists these commits below: `git context blame KEY`.
func BlameText(p *Printer, b history.TopicBlame) {
	if len(b.Lines) == 0 {
		p.line(plain("no text in '" + b.Key + "'"))
		return
	}
	agents, width := 0, 0
	for _, l := range b.Lines {
		agents = max(agents, cells(cut(prose.Fold(l.Agent), longAgent)))
		width = max(width, len(commitLabel(l)))
	}
	digits := len(strconv.Itoa(len(b.Lines)))
	for _, l := range b.Lines {
		agent, label := cut(prose.Fold(l.Agent), longAgent), commitLabel(l)
		p.line(hash(l.Commit), plain(" "+agent+pad(agent, agents)+" "), dim(day(l.Time)+" "),
			yellow(label), plain(pad(label, width)+fmt.Sprintf(" %*d) ", digits, l.Line)),
			plain(strings.TrimSuffix(l.Text, "\r")))
	}
	p.lineCommits(b)
}

// commitLabel names the commit of a line.
func commitLabel(l history.BlameLine) string {
	if l.Entry == nil {
		return "-"
	}
	return l.Entry.Commit.Short()
}

// lineCommits lists the commits of the lines, in their order.
func (p *Printer) lineCommits(b history.TopicBlame) {
	if b.Branch == "" { // the roadmap belongs to no branch, so no commit contains it
		return
	}
	p.blank()
	seen := map[git.ID]bool{}
	none := false
	for _, l := range b.Lines {
		switch m := l.Entry; {
		case m == nil:
			none = true
		case !seen[m.Commit]:
			seen[m.Commit] = true
			p.line(hash(m.Commit), plain(" "+p.fit(m.Summary, len(m.Commit.Short())+1)))
		}
	}
	if none {
		p.line(plain("-          in no commit yet"))
	}
}
