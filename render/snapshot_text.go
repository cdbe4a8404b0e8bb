package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Text shows a snapshot: the project first, then its branches, then the purpose and the
// state of the current branch.
func (v Snapshot) Text(p *Printer) {
	p.line(bold("# Context of "), green(v.Branch), plain(" at "), hash(v.Head))
	p.writePast(v.At)
	p.section("Goal", v.Roadmap.Goal)
	p.items("Milestones", v.Roadmap.Milestones)
	p.items("To-Do", v.Roadmap.Todo)
	v.branches(p)
	p.section("Purpose of "+v.Branch, v.Purpose)
	p.section("Progress", v.Progress)
	v.newest(p)
	if v.Pending > 0 {
		p.blank()
		p.command(prose.Count(v.Pending, "step")+" pending", "-b %s --log --steps %d", v.Branch, v.Pending)
	}
}

// newest shows the newest commits in full.
func (v Snapshot) newest(p *Printer) {
	switch n := len(v.Commits); n {
	case 0:
		return
	case 1:
		p.heading("## ", "Newest commit")
	default:
		p.heading("## ", fmt.Sprintf("Newest %d commits", n))
	}
	for i, c := range v.Commits {
		if i > 0 {
			p.blank()
		}
		p.commit("### ", c, shownTexts{goal: v.Roadmap.Goal, purpose: v.Purpose, progress: v.Progress})
	}
}

// items shows a check list. An item of several lines stays one item.
func (p *Printer) items(title string, list []store.Item) {
	if len(list) == 0 {
		return
	}
	p.heading("## ", title)
	for _, i := range list {
		box := "- [ ] "
		if i.Done {
			box = "- [x] "
		}
		first, rest, more := strings.Cut(i.Text, "\n")
		p.line(plain(box + first))
		if more {
			p.block("      ", rest)
		}
	}
}

// branches lists the branches with their purposes, and the commands for the others.
func (v Snapshot) branches(p *Printer) {
	if v.Total == 0 {
		return
	}
	p.heading("## ", "Branches")
	width, ages := 0, 0
	for _, b := range v.active {
		width, ages = max(width, p.column(b.Name)), max(ages, len(age(b.UpdatedAt, p.Now)))
	}
	for _, b := range v.active {
		p.branch(b, width, ages)
	}
	v.others(p)
}

// others writes the numbers of branches that were not listed, with the commands for them.
func (v Snapshot) others(p *Printer) {
	first := true
	for _, rest := range []struct{ status, what, arguments string }{
		{statusActive, "more", "branch"}, {"merged", "merged", "branch --merged"},
		{"abandoned", "abandoned", "branch --abandoned"},
	} {
		n := v.more[rest.status]
		if n == 0 {
			continue
		}
		if first {
			p.blank()
			first = false
		}
		arguments := rest.arguments
		if v.At != nil { // the list of branches shows only the present
			arguments = "--json" + atFlag(v.At)
		}
		p.command(fmt.Sprintf("%d %s", n, rest.what), "%s", arguments)
	}
	if v.unknown > 0 {
		if first {
			p.blank()
		}
		p.command(fmt.Sprintf("%d that moved on far since", v.unknown), "--branch NAME%s", atFlag(v.At))
	}
}

// longName is the maximum width of a name with which the other lines of a list align.
const longName = 48

// column returns the width that a name requires of its column. A name that is too long
// returns 0: it exceeds the column and takes no room from the other lines.
func (p *Printer) column(name string) int {
	most := longName
	if p.Width > 0 {
		most = min(most, p.Width*2/5)
	}
	if n := cells(name); n <= most {
		return n
	}
	return 0
}

// branch shows a branch on two lines: its state, and its purpose.
func (p *Printer) branch(b store.Branch, width, ages int) {
	mark, name := "  ", plain(b.Name)
	if b.Current {
		mark, name = "* ", green(b.Name)
	}
	gap := pad(b.Name, width)
	when := fmt.Sprintf("  %-*s  ", ages, age(b.UpdatedAt, p.Now))
	what := remarks(b)
	used := cells(mark + b.Name + gap + when + what)
	p.line(plain(mark), name, plain(gap), dim(when), yellow(what), plain(p.fit(b.Summary, used)))
	if b.Purpose != "" {
		indent := strings.Repeat(" ", len(mark)+width+2)
		p.line(plain(indent), dim("purpose: "), plain(p.fit(b.Purpose, len(indent)+9)))
	}
}

// remarks returns the status and the pending steps of a branch if unusual: "[merged, 3
// steps pending] ".
func remarks(b store.Branch) string {
	var all []string
	if b.Status != statusActive {
		all = append(all, b.Status)
	}
	if b.Pending > 0 {
		all = append(all, prose.Count(b.Pending, "step")+" pending")
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "] "
}
