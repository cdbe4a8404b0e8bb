package fsck

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// splitRemotes reports the remotes that had memory under two sets of names when they were last asked. Clones
// that use different names see each other's memory only after a sync, which says how to end that.
func (c *checker) splitRemotes(ctx context.Context, remotes []string) error {
	for _, name := range remotes {
		p := remote.Remote{Name: name, Tracking: git.RemoteTracking(name)}
		there, err := remote.Tracked(ctx, c.s, p.Other())
		if err != nil {
			return err
		}
		named, err := remote.Tracked(ctx, c.s, p)
		if err != nil {
			return err
		}
		if named.Empty() || !there.Whole() {
			continue
		}
		c.report(ctx, nil, Problem{Kind: "mapping-split", Object: "context." + name + ".mapping",
			Repair: remote.SyncCommand(prose.ShellWord(name)),
			Message: fmt.Sprintf("remote '%s' has memory under two sets of names, %s and %s", git.Shown(name),
				git.NameOn(git.Root, false), git.NameOn(git.Root, true))})
	}
	return nil
}
