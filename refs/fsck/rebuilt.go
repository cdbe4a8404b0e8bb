package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
)

// rebuild writes lost trees and files again that what is here tells exactly, see [remake.Rebuild]: then no commit changes,
// and other repairs have less to leave out. It reports whether there were any. Without --fix it writes nothing, and the repairs of
// what is lost are reported as if nothing came back.
func (c *checker) rebuild(ctx context.Context) (bool, error) {
	if !c.fix {
		return false, nil
	}
	back, err := remake.Rebuild(ctx, c.s, c.w)
	if len(back) == 0 || err != nil {
		return false, err
	}
	c.loaded = nil
	c.found = append(c.found, Problem{Kind: string(incoming.FlawMissing), Object: string(slices.Min(slices.Collect(maps.Keys(back)))),
		Repair: FixCommand, Fixed: true,
		Message: fmt.Sprintf("memory lacked %s, written again as before: other commits and journals tell all of it; lost: %s",
			prose.Count(len(back), "object"), shownObjects(back, nil))})
	return true, nil
}
