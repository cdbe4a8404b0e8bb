package render

import (
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// LinkText shows the links between memory and code, one line for each memory commit and
// code commit, and the commands that show them.
func LinkText(p *Printer, l code.Links) {
	switch {
	case l.MemoryCommit != nil:
		p.linksOfMemory(*l.MemoryCommit, l.Commits)
	case len(l.Commits) > 0:
		p.linksOfCode(l.Commits[0], l.Memory)
	default:
		p.linksOfRange(l.Code, l.Memory)
	}
}

// linksOfCode shows the memory commits of one code commit.
func (p *Printer) linksOfCode(code code.CodeLink, memory []code.LinkedCommit) {
	p.line(bold("# Code "), hash(code.Commit), plain(p.subject(code, len("# Code "))))
	p.blank()
	for _, m := range memory {
		if m.Links[0].Commit == code.Commit {
			p.linkedCommit(m.Commit, linkKind(m.Links[0]))
			continue
		}
		p.linkedCommit(m.Commit, "") // of what a merge brought
		for _, brought := range m.Links {
			p.codeLink("    ", brought)
		}
	}
	if len(memory) == 0 {
		p.line(plain("no memory commit belongs to it"))
	} else {
		p.blank()
		p.command("in full", "--commit %s", memory[0].Hash.Short())
	}
	if code.Time != nil { // a missing code commit has no time to look at
		p.command("what was known then", "--at %s", code.Commit.Short())
	}
}

// linksOfRange shows the memory commits of a range, each with its code commits.
func (p *Printer) linksOfRange(asked string, memory []code.LinkedCommit) {
	if len(memory) == 0 {
		p.line(plain("no memory commit belongs to the code of " + asked))
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

// linksOfMemory shows the code commits of one memory commit.
func (p *Printer) linksOfMemory(m store.Commit, codes []code.CodeLink) {
	p.line(bold("# Memory commit "), hash(*m.Hash), plain(" "+p.fit(m.Summary, len("# Memory commit 0123456789 "))))
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

// linkedCommit shows a memory commit on one line: hash, day, branch, outcome, subject, and
// how it is linked.
func (p *Printer) linkedCommit(c store.Commit, how string) {
	note := ""
	if c.Outcome != nil {
		note = "[" + prose.Fold(*c.Outcome) + "] "
	}
	rest := " " + day(c.Time) + " "
	used := cells(c.Hash.Short()+rest+c.Branch+" "+note) + cells(how)
	p.line(hash(*c.Hash), plain(rest), green(prose.Fold(c.Branch)+" "), outcomeColor(c.Outcome, note),
		plain(p.fit(c.Summary, used)), dim(how))
}

// codeLink shows a code commit on one line, and how the memory commit is linked to it.
func (p *Printer) codeLink(indent string, l code.CodeLink) {
	p.line(plain(indent), hash(l.Commit), plain(p.subject(l, len(indent)+cells(linkKind(l)))), dim(linkKind(l)))
}

// subject returns the day and the subject of a code commit for a line in which used cells
// are taken.
func (p *Printer) subject(l code.CodeLink, used int) string {
	if l.Subject == nil {
		return " (gone from this repository)"
	}
	on := " " + day(*l.Time) + " "
	return on + p.fit(*l.Subject, used+len(l.Commit.Short())+len(on))
}

// linkKind describes why a memory commit is linked to a code commit; "" if that is not recorded.
func linkKind(l code.CodeLink) string {
	var words []string
	for _, h := range []struct{ how, words string }{{code.LinkNoted, "linked"}, {code.LinkMadeOn, "made after"}} {
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
