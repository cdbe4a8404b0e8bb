package fsck

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
)

// rebuild writes lost trees and files again that what is here tells exactly, see [remake.Rebuild]: then no commit changes,
// and other repairs have less to leave out. It returns them; the caller reports. Without --fix it writes nothing, and what is lost is
// reported as if nothing came back.
func (c *checker) rebuild(ctx context.Context) (back map[git.ID]bool, err error) {
	if !c.fix {
		return nil, nil
	}
	if back, err = remake.Rebuild(ctx, c.s, c.w); len(back) > 0 {
		c.loaded = nil
	}
	return back, err
}

// rebuildBelow rebuilds what is lost of history, which a ref leads to, and reports it. It reports whether anything came back.
func (c *checker) rebuildBelow(ctx context.Context, ref string) (bool, error) {
	back, err := c.rebuild(ctx)
	if len(back) == 0 || err != nil {
		return false, err
	}
	c.reportRebuilt("history-lost", ref, fmt.Sprintf("the history of '%s' lacks %s", incoming.Printable(ref), prose.Count(len(back), "object")), back)
	return true, nil
}

// reportRebuilt reports what was lost and has been written again.
func (c *checker) reportRebuilt(kind, object, message string, back map[git.ID]bool) {
	c.found = append(c.found, Problem{Kind: kind, Object: object, Repair: FixCommand, Fixed: true,
		Message: fmt.Sprintf("%s; written again as before: other commits and journals tell all of it: %s", message, shownObjects(back, nil))})
}

// rebuiltRefs reports the lost refs that are whole by now, and cleans their reflogs: what was undone before may be lost, too.
func (c *checker) rebuiltRefs(ctx context.Context, lost []lostRef, back map[git.ID]bool) error {
	said := map[git.ID]bool{}
	for _, r := range lost {
		if !c.whole(ctx, r.ID) {
			continue
		}
		if !said[r.ID] { // several refs may name it
			c.reportRebuilt("ref-lost", r.Name, r.lacks(), back)
		}
		said[r.ID] = true
		if err := c.dropLostMoves(ctx, r.Name); err != nil {
			return err
		}
	}
	return nil
}
