package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// isFetched reports whether a lost commit can only be fetched: nothing is committed on a tag or a deleted branch, so that what it named
// before is another matter.
func isFetched(r lostRef) bool {
	return r.kind == "" && (strings.HasPrefix(r.Name, git.TagPrefix) || strings.HasPrefix(r.Name, git.DeletedPrefix))
}

// withoutFetched leaves out the tracking refs of commits that are to be fetched: they tell which remote has them.
func (c *checker) withoutFetched(lost []lostRef) []lostRef {
	fetched := map[git.ID]bool{}
	for _, r := range lost {
		if isFetched(r) {
			fetched[r.ID] = true
		}
	}
	return slices.DeleteFunc(lost, func(r lostRef) bool { return tracking(r.Name) && fetched[r.ID] })
}

// fetchTip reports a lost commit that a remote had when it was last asked. A plain fetch brings no tags, and git makes objects of what it
// fetches also where it then fails over other refs. If the remote has the commit no longer, the command does what it does where there is no
// remote.
func (c *checker) fetchTip(ctx context.Context, r lostRef, p Problem) (bool, error) {
	if !isFetched(r) || c.whole(ctx, r.ID) { // the repair of a branch may have made it again
		return false, nil
	}
	from, ref, err := c.hadBy(ctx, r.Ref)
	if ref == "" || err != nil {
		return false, err
	}
	without, err := c.bringBackTip(ctx, r.Ref)
	if err != nil {
		return false, err
	}
	clean, err := withoutDamaged(ctx, c.s)
	if err != nil {
		return false, err
	}
	p.Message += fmt.Sprintf("; remote '%s' had it", git.Shown(from.Name))
	spec := "+" + git.NameOn(ref, from.Heads) + ":" + from.Tracking.Of(ref)
	p.Repair = fmt.Sprintf("%sgit fetch --refetch %s %s", clean, prose.ShellQuoted(from.Name), prose.ShellQuoted(spec)) +
		ifStillLost(from.Name, r.ID, without)
	c.report(ctx, nil, p)
	return true, nil
}

// hadBy returns the remote that had a commit, or that tag, when it was last asked, with the ref that led to it; "" for none.
func (c *checker) hadBy(ctx context.Context, r git.Ref) (from remote.Remote, ref string, err error) {
	names, err := c.s.Repo().Remotes(ctx)
	if err != nil {
		return from, "", err
	}
	for _, name := range names {
		if from, err = remote.Find(ctx, c.s, name); err != nil {
			return from, "", err
		}
		l, err := c.s.Repo().ListRefs(ctx, from.Tracking.All()...)
		if err != nil {
			return from, "", err
		}
		for _, t := range l.Refs {
			if here, ok := hereOf(t.Name, &from); ok && t.ID == r.ID {
				return from, here, nil
			}
		}
		shared, err := remote.ReadShared(c.s, from)
		if err != nil {
			return from, "", err
		}
		if strings.HasPrefix(r.Name, git.TagPrefix) && shared[r.Name] {
			return from, r.Name, nil
		}
	}
	return from, "", nil
}
