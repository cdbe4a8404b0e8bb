package fsck

import (
	"context"
	"errors"
	"os"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// dropDamaged reports the damaged loose object for which something failed, and removes its file: then the object is lost, which
// other checks mend. It reports whether it did.
func (c *checker) dropDamaged(ctx context.Context, failed error) bool {
	var damaged *git.DamagedError
	return errors.As(failed, &damaged) && c.dropFile(ctx, damaged.ID,
		failed.Error()+"; the repair removes its file, and what needs it is mended as if it were lost")
}

// dropDamagedFiles does so for damaged objects of memory. Where a remote may have them, checkDocuments prints how they come back.
// It reports whether it removed any.
func (c *checker) dropDamagedFiles(ctx context.Context, v *memory) (bool, error) {
	remote, err := v.fetchedFrom(ctx)
	if !c.fix || remote != "" || err != nil {
		return false, err
	}
	dropped := false
	for _, f := range v.flaws {
		if !lost(f) {
			continue
		}
		f.Kind, f.What = incoming.FlawDamaged, "it is damaged"
		dropped = c.dropFile(ctx, f.ID, f.Error()) || dropped
	}
	return dropped, nil
}

// dropFile reports a damaged loose object once, and removes its file. It reports whether it did.
func (c *checker) dropFile(ctx context.Context, id git.ID, message string) bool {
	file, here := c.s.Repo().LooseFile(id)
	if !here || c.damaged[id] {
		return false
	}
	c.damaged[id] = true
	c.report(ctx, func(context.Context) error { return os.Remove(file) },
		Problem{Kind: string(incoming.FlawDamaged), Object: string(id), Repair: FixCommand, Message: message})
	return c.found[len(c.found)-1].Fixed
}
