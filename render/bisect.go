package render

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// BisectText shows the state of a bisect and the next step, or the first bad commit and how
// to see it.
func BisectText(p *Printer, b history.Bisection) {
	switch {
	case b.FirstBad != nil:
		p.firstBad(*b.FirstBad)
	case b.Next != nil:
		p.nextTest(b)
	case len(b.Suspects) > 0:
		p.line(plain("only skipped commits are left; the first bad one is one of"))
		for _, id := range b.Suspects {
			p.line(yellow(string(id)))
		}
	default:
		p.line(plain("Bisecting '" + b.Branch + "': " + unknown(b)))
	}
}

// unknown returns what must be known first.
func unknown(b history.Bisection) string {
	switch {
	case b.Bad == nil && len(b.Good) == 0:
		return "waiting for a bad and a good commit"
	case b.Bad == nil:
		return fmt.Sprintf("waiting for a bad commit, %d good known", len(b.Good))
	}
	return "waiting for a good commit, a bad one is known"
}

func (p *Printer) nextTest(b history.Bisection) {
	if b.MergeBase {
		p.line(plain("Bisecting '" + b.Branch + "': good is not an ancestor of bad; test their merge base first"))
	} else {
		p.line(plain(fmt.Sprintf("Bisecting '%s': %s left to test after this (roughly %s)", b.Branch,
			prose.Count(b.Left-1, "commit"), prose.Count(bits.Len(uint(b.Left))-1, "more step"))))
	}
	c := *b.Next
	p.line(plain("["), yellow(string(*c.Hash)), plain("] "+prose.Fold(c.Summary)))
	if c.Code != nil {
		p.line(dim("code: "), plain(string(*c.Code)))
	}
	p.command("then", "bisect good|bad|skip")
}

// firstBad shows the first bad commit.
func (p *Printer) firstBad(c store.Commit) {
	kind := "commit"
	if c.ID == "" {
		kind = "memory commit, without an entry in commit.md"
	}
	p.line(yellow(string(*c.Hash)), plain(" "+prose.Fold(c.Summary)), bold(" is the first bad "+kind))
	p.blank()
	p.attribute("id", plain(c.ID))
	p.attribute("branch", plain(c.Branch))
	p.attribute("time", plain(p.when(c.Time)))
	p.attribute("agent", plain(c.Agent))
	if c.Steps.Count > 0 {
		p.attribute("steps", plain(fmt.Sprintf("%d-%d (%d)", c.Steps.First, c.Steps.Last, c.Steps.Count)))
	}
	if c.Outcome != nil {
		p.attribute("outcome", plain(*c.Outcome))
	}
	if c.Score != nil {
		p.attribute("score", plain(score(*c.Score)))
	}
	p.attribute("tags", plain(strings.Join(tags(c.Tags), ", ")))
	if c.Code != nil {
		p.attribute("code", yellow(string(*c.Code)))
	}
	p.blank()
	if c.ID != "" {
		p.command("in full", "--commit %s", c.Hash.Short())
	}
	p.command("what was known then", "--at %s topics", c.Hash.Short())
	p.command("when done", "bisect reset")
}
