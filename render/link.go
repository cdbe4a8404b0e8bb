package render

import (
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// LinkText shows what belongs together, one line for each milestone and code commit, and
// what opens it.
func LinkText(p *Printer, l code.Links) {
	switch {
	case l.Milestone != nil:
		p.linksOfMilestone(*l.Milestone, l.Commits)
	case len(l.Commits) > 0:
		p.linksOfCode(l.Commits[0], l.Memory)
	default:
		p.linksOfRange(l.Code, l.Memory)
	}
}

// linksOfCode shows the milestones of one code commit.
func (p *Printer) linksOfCode(code code.CodeLink, memory []code.LinkedCommit) {
	p.line(bold("# Code "), hash(code.Commit), plain(p.subject(code, len("# Code "))))
	p.blank()
	for _, m := range memory {
		p.linkedCommit(m.Commit, how(m.Links[0]))
	}
	if len(memory) == 0 {
		p.line(plain("no milestone belongs to it"))
	} else {
		p.blank()
		p.command("in full", "--commit %s", memory[0].Hash.Short())
	}
	if code.Time != nil { // of what is gone there is no time to look at
		p.command("what was known then", "--at %s", code.Commit.Short())
	}
}

// linksOfRange shows the milestones of a range, each with its code commits.
func (p *Printer) linksOfRange(asked string, memory []code.LinkedCommit) {
	if len(memory) == 0 {
		p.line(plain("no milestone belongs to the code of " + asked))
		if _, _, end := history.SplitRange(asked); end != "" {
			p.command("what was known then", "--at %s", end)
		}
		return
	}
	for _, m := range memory {
		p.linkedCommit(m.Commit, "")
		for _, code := range m.Links {
			p.codeLink("    ", code)
		}
	}
	p.blank()
	p.command("in full", "--commit %s", memory[0].Hash.Short())
}

// linksOfMilestone shows the code commits of one milestone.
func (p *Printer) linksOfMilestone(m store.Commit, codes []code.CodeLink) {
	p.line(bold("# Milestone "), hash(*m.Hash), plain(" "+p.fit(m.Summary, len("# Milestone 0123456789 "))))
	p.blank()
	for _, code := range codes {
		p.codeLink("", code)
	}
	if len(codes) == 0 {
		p.line(plain("it belongs to no code commit"))
		return
	}
	if codes[0].Time != nil {
		p.blank()
		p.line(dim("the code: "), plain("git show "+codes[0].Commit.Short()))
	}
}

// linkedCommit shows a milestone on one line: hash, day, branch, what its note says, subject,
// and how it belongs.
func (p *Printer) linkedCommit(c store.Commit, how string) {
	note := ""
	if c.Outcome != nil {
		note = "[" + flat(*c.Outcome) + "] "
	}
	rest := " " + day(c.Time) + " "
	used := cells(c.Hash.Short()+rest+c.Branch+" "+note) + cells(how)
	p.line(hash(*c.Hash), plain(rest), green(flat(c.Branch)+" "), judgedAs(c.Outcome, note), plain(p.fit(c.Summary, used)), dim(how))
}

// codeLink shows a code commit on one line, and how the milestone belongs to it.
func (p *Printer) codeLink(indent string, l code.CodeLink) {
	p.line(plain(indent), hash(l.Commit), plain(p.subject(l, len(indent)+cells(how(l)))), dim(how(l)))
}

// subject is the day and subject of a code commit for a line behind used cells.
func (p *Printer) subject(l code.CodeLink, used int) string {
	if l.Subject == nil {
		return " (gone from this repository)"
	}
	on := " " + day(*l.Time) + " "
	return on + p.fit(*l.Subject, used+len(l.Commit.Short())+len(on))
}

// how says in words why a milestone belongs to a code commit; "" where nothing says so.
func how(l code.CodeLink) string {
	var words []string
	for _, h := range []struct{ how, words string }{{code.LinkNoted, "linked"}, {code.LinkMadeOn, "made on it"}} {
		if slices.Contains(l.How, h.how) {
			words = append(words, h.words)
		}
	}
	if l.Unreachable {
		words = append(words, "unreachable")
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}
