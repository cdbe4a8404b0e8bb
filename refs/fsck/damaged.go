package fsck

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// dropDamaged reports the damaged loose object for which something failed, and removes its file: then the object is lost, which
// other checks mend. It reports whether it did.
func (c *checker) dropDamaged(ctx context.Context, failed error) bool {
	damaged := c.damagedIn(ctx, failed)
	return damaged != nil && c.dropFile(ctx, damaged.ID,
		damaged.Error()+"; the repair removes its file, and what needs it is mended as if it were lost")
}

// hashes finds the hashes of objects in what git says, also as paths of loose objects.
var hashes = regexp.MustCompile(`\b(?:pack-)?[0-9a-f]{2}/?[0-9a-f]{38}(?:[0-9a-f]{24})?\b`)

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
	for _, id := range c.named(child.Stderr) {
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
	return c.s.Repo().NotPromised(ctx, c.named(child.Stderr))
}

// notFetched reports whether something failed only because a remote has what this partial clone lacks.
func (c *checker) notFetched(ctx context.Context, failed error) bool {
	if errors.Is(failed, git.ErrNotFetched) {
		return true
	}
	var child *git.Error
	if !errors.As(failed, &child) {
		return false
	}
	ids := c.named(child.Stderr)
	infos, err := c.s.Repo().InfosHere(ctx, ids)
	if err != nil || !slices.ContainsFunc(infos, func(o git.ObjectInfo) bool { return o.Type == "" }) {
		return false
	}
	lost, err := c.s.Repo().NotPromised(ctx, ids)
	return err == nil && len(lost) == 0
}

// fetchNeeded returns the command that fetches what this partial clone lacks of memory and a repair needs.
func (c *checker) fetchNeeded(ctx context.Context) string {
	remote := "REMOTE"
	if names, err := c.s.Repo().Remotes(ctx); err == nil && len(names) > 0 {
		remote = names[0]
	}
	if c.loaded != nil {
		if name, err := c.loaded.fetchedFrom(ctx); err == nil && name != "" {
			remote = name
		}
	}
	return fetchRest(ctx, c.s, remote) + " && " + FixCommand
}

// fetchRest returns the command that fetches all memory of a remote.
func fetchRest(ctx context.Context, s *store.Store, remote string) string {
	all := "git fetch --refetch --no-filter " + prose.ShellQuoted(remote)
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return all // with the code
	}
	for _, spec := range share.WantedRefspecs(cfg, remote) {
		all += " " + prose.ShellQuoted(spec)
	}
	return all
}

// mostRemoved is how many files one command line removes.
const mostRemoved = 100

// withoutDamaged returns the beginning of the command line of a fetch, which removes the files of damaged loose objects; "" for none. git
// does not take a history of which it meets one, and none but these checks knows of those behind a lost commit.
func withoutDamaged(ctx context.Context, s *store.Store) (string, error) {
	damaged, err := s.Repo().DamagedLoose(ctx)
	if err != nil || len(damaged) == 0 {
		return "", err
	}
	command := "rm -f"
	for _, id := range damaged[:min(len(damaged), mostRemoved)] {
		command += " " + prose.ShellQuoted(s.Repo().LoosePath(id))
	}
	return command + " && ", nil
}

// named returns the objects that git names in its words.
func (c *checker) named(said string) (ids []git.ID) {
	for _, hash := range hashes.FindAllString(said, -1) {
		if id := strings.Replace(hash, "/", "", 1); c.s.Repo().IsID(id) {
			ids = append(ids, git.ID(id))
		}
	}
	return ids
}

// dropDamagedFiles does so for damaged objects of memory. Where a remote may have them, checkDocuments prints how they come back.
// It reports whether it removed any.
func (c *checker) dropDamagedFiles(ctx context.Context, v *memory) (bool, error) {
	flaws := slices.Clone(v.flaws)
	slices.SortStableFunc(flaws, func(a, b incoming.Flaw) int { return lostFirst(a) - lostFirst(b) }) // the size of another one may be damaged
	ids := make([]git.ID, len(flaws))
	for i, f := range flaws {
		ids[i] = f.ID
	}
	dropped, err := c.splitPacks(ctx, ids) // which hide what a fetch brings
	if !c.fix || err != nil {
		return dropped, err
	}
	if remote, err := v.fetchedFrom(ctx); remote != "" || err != nil {
		return dropped, err
	}
	for _, f := range v.flaws {
		if !lost(f) {
			continue
		}
		f.Kind, f.What = incoming.FlawDamaged, "it is damaged"
		dropped = c.dropFile(ctx, f.ID, f.Error()) || dropped
	}
	return dropped, nil
}

func lostFirst(f incoming.Flaw) int {
	if lost(f) {
		return 0
	}
	return 1
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
