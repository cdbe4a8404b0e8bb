package fsck

import (
	"context"
	"errors"
	"os"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// dropDamaged reports the damaged loose object for which something failed, once. The repair removes its file: then the object is
// lost, which other checks mend. It reports whether it did.
func (c *checker) dropDamaged(ctx context.Context, failed error) bool {
	var damaged *git.DamagedError
	if !errors.As(failed, &damaged) || c.damaged[damaged.ID] {
		return false
	}
	file, here := c.s.Repo().LooseFile(damaged.ID)
	if !here {
		return false
	}
	c.damaged[damaged.ID] = true
	c.report(ctx, func(context.Context) error { return os.Remove(file) },
		Problem{Kind: "object-damaged", Object: file, Repair: FixCommand,
			Message: failed.Error() + "; the repair removes its file, and what needs it is mended as if it were lost"})
	return c.found[len(c.found)-1].Fixed
}

// dropDamagedFiles removes the files of damaged loose objects of memory, so that they count as lost. Where a remote may have them,
// checkDocuments prints how they come back. It reports whether it removed any.
func (c *checker) dropDamagedFiles(ctx context.Context, v *memory) (bool, error) {
	remote, err := v.fetchedFrom(ctx)
	if !c.fix || remote != "" || err != nil {
		return false, err
	}
	dropped := false
	for _, f := range v.flaws {
		file, here := c.s.Repo().LooseFile(f.ID)
		if !here || !lost(f) || c.damaged[f.ID] {
			continue
		}
		c.damaged[f.ID] = true
		f.Kind, f.What = incoming.FlawDamaged, "it is damaged"
		c.report(ctx, func(context.Context) error { return os.Remove(file) },
			Problem{Kind: string(f.Kind), Object: string(f.ID), Repair: FixCommand, Message: f.Error()})
		dropped = dropped || c.found[len(c.found)-1].Fixed
	}
	return dropped, nil
}
