package fsck

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// dropDamaged reports the damaged loose object for which something failed, and removes its file: then the object is lost, which
// other checks mend. It reports whether it did.
func (c *checker) dropDamaged(ctx context.Context, failed error) bool {
	damaged := c.damagedIn(ctx, failed)
	return damaged != nil && c.dropFile(ctx, damaged.ID,
		damaged.Error()+"; the repair removes its file, and what needs it is mended as if it were lost")
}

// hashes finds the hashes of objects in what git says, also as paths of loose objects.
var hashes = regexp.MustCompile(`\b[0-9a-f]{2}/?[0-9a-f]{38}(?:[0-9a-f]{24})?\b`)

// damagedIn returns the damaged loose object for which something failed; nil for none. Git names it in its words.
func (c *checker) damagedIn(ctx context.Context, failed error) *git.DamagedError {
	var damaged *git.DamagedError
	if errors.As(failed, &damaged) {
		return damaged
	}
	var child *git.Error
	if !errors.As(failed, &child) {
		return nil
	}
	for _, id := range c.named(child) {
		if _, err := c.s.Repo().Object(ctx, string(id)); errors.As(err, &damaged) {
			return damaged
		}
	}
	return nil
}

// lostIn returns the objects that are not here and that git names when it fails.
func (c *checker) lostIn(ctx context.Context, failed error) (map[git.ID]bool, error) {
	var child *git.Error
	if !errors.As(failed, &child) {
		return nil, failed
	}
	infos, err := c.s.Repo().Infos(ctx, c.named(child))
	lost := map[git.ID]bool{}
	for _, info := range infos {
		if info.Type == "" {
			lost[info.ID] = true
		}
	}
	return lost, err
}

// named returns the objects that git names in its words.
func (c *checker) named(child *git.Error) (ids []git.ID) {
	for _, hash := range hashes.FindAllString(child.Stderr, -1) {
		if id := strings.Replace(hash, "/", "", 1); c.s.Repo().IsID(id) {
			ids = append(ids, git.ID(id))
		}
	}
	return ids
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
