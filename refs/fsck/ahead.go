package fsck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
)

// aheadBranches reports our own refs whose only flaw are ids that are ahead of the clock, and removes the flaws
// from flaws. The clock of the machine that wrote them was ahead, or the one here is behind:
//
//  1. no tracking ref leads to such ids: no other repository is known to have them, and the repair gives new ones.
//     All such refs are mended together, because branches share history;
//  2. one does: they stay, and are accepted everywhere when their time has come.
func (c *checker) aheadBranches(ctx context.Context, v *memory, flaws map[string][]Problem) error {
	bad, other := map[git.ID]bool{}, map[git.ID]bool{}
	for _, f := range v.flaws {
		if f.Kind == incoming.FlawAhead {
			bad[f.At.ID] = true
		} else {
			other[f.At.ID] = true
		}
	}
	if len(bad) == 0 {
		return nil
	}
	tracked, err := remake.Tracked(ctx, c.s, bad)
	if err != nil {
		return err
	}
	latest, err := incoming.Latest(c.s)
	if err != nil {
		return err
	}
	var mended []git.Ref
	var problems []Problem
	for _, t := range v.tips {
		if !isOwn(t.Name) || t.Role != incoming.RoleBranch || v.leadsTo(t.ID, other) || !v.leadsTo(t.ID, bad) {
			continue
		}
		p, err := c.aheadRef(ctx, t.Ref, latest)
		if err != nil {
			return err
		}
		delete(flaws, t.Name)
		if v.leadsTo(t.ID, tracked) {
			p.Message += "; another repository has them, so that they stay"
			p.Repair = "set the clock, if it is behind; else wait"
			c.report(ctx, nil, p)
			continue
		}
		p.Message += "; set the clock, if it is behind; else the repair gives them new ids"
		mended, problems = append(mended, t.Ref), append(problems, p)
	}
	c.report(ctx, func(ctx context.Context) error {
		err := remake.Mend(ctx, c.s, c.w, mended, latest, bad)
		if err == nil {
			c.loaded = nil // the checks that follow read what is there now
		}
		return err
	}, problems...)
	return nil
}

// aheadRef describes what a ref leads to that is ahead of the clock.
func (c *checker) aheadRef(ctx context.Context, r git.Ref, latest time.Time) (Problem, error) {
	n, newest, err := remake.Count(ctx, c.s, r.ID, latest)
	if err != nil {
		return Problem{}, err
	}
	name := "'" + incoming.Printable(r.Name) + "'"
	if branch, ok := git.BranchName(r.Name); ok {
		name = "branch '" + branch + "'"
	}
	what := fmt.Sprintf("%d entries with ids", n)
	switch n {
	case 0:
		what = "history with ids"
	case 1:
		what = "1 entry with an id"
	}
	return Problem{Kind: string(incoming.FlawAhead), Object: r.Name, Repair: FixCommand,
		Message: fmt.Sprintf("%s has %s %s", name, what, aheadUntil(newest))}, nil
}

// aheadUntil says that ids up to newest are ahead of the clock, and from when on every clone accepts them, to the minute.
func aheadUntil(newest string) string {
	from := doc.IDTime(newest).Add(time.Minute - incoming.MaxAhead).Truncate(time.Minute)
	return fmt.Sprintf("more than %d hours ahead of the clock, which other clones refuse until %s",
		int(incoming.MaxAhead.Hours()), from.Format("2006-01-02 15:04 UTC"))
}

// checkAheadJournals reports journals whose ids are ahead of the clock while those of their branches are not:
// steps that were recorded with a clock that was ahead, or what a killed repair left.
func checkAheadJournals(ctx context.Context, c *checker) error {
	latest, err := incoming.Latest(c.s)
	if err != nil {
		return err
	}
	names, err := c.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := readJournal(c.s.JournalPath(name))
		if err != nil {
			return err
		}
		if len(journal.Check(data, readableStep).Flaws) > 0 { // checkJournals mends it first
			continue
		}
		newest, n, err := remake.JournalAhead(ctx, c.s, name, latest)
		if errors.Is(err, fail.ErrNotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if newest == "" {
			continue
		}
		tip, err := c.s.Tip(ctx, name)
		if err != nil {
			return err
		}
		if id, err := tip.NewestEntry(ctx); err != nil || doc.IDTime(id).After(latest) { // it was reported
			if err != nil {
				return err
			}
			continue
		}
		p := Problem{Kind: string(incoming.FlawAhead), Object: c.s.JournalPath(name), Repair: FixCommand,
			Message: fmt.Sprintf("the journal of branch '%s' has ids %s", name, aheadUntil(newest))}
		if n > 0 {
			p.Message = strings.Replace(p.Message, "ids", prose.Count(n, "step")+" with ids", 1)
		}
		p.Message += "; set the clock, if it is behind; else the repair gives new ids"
		c.report(ctx, func(ctx context.Context) error { return remake.MendJournal(ctx, c.s, name) }, p)
	}
	return nil
}
