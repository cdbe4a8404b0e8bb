package share

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
)

// What git refuses under the other names of a remote is known to an exchange of its own with these names, which fetches together with the one with
// the names in use.

// leftOutBeside is leftOut for the other names. Mostly nothing was ever refused there, which one look for a file tells.
func (ex *exchanger) leftOutBeside(ctx context.Context, f *followed, ours *remote.RefSet) ([]string, error) {
	if has, err := expunge.HasCleanState(ex.s, ex.peer); err != nil || !has {
		return nil, err
	}
	tracked, err := remote.Tracked(ctx, ex.s, ex.peer)
	if err != nil {
		return nil, err
	}
	return ex.leftOut(ctx, f, ours, &tracked)
}

// fetchBesideApart is fetchApart for the other names.
func (ex *exchanger) fetchBesideApart(ctx context.Context, ours *remote.RefSet, f *followed, list []git.Ref, get func([]string) error) error {
	tracked, err := remote.Tracked(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	p := sifting{ex: ex, ours: ours, before: &tracked, get: get, until: time.Now().Add(mostApart)}
	return errors.Join(p.fetch(ctx, p.group(p.moved(f, list))), p.remember(ctx))
}

// keepBeside keeps for the rest of the exchange what git refuses under the other names. Of a ref with one valid commit below it, that counts as
// what is there, also for further names of its object.
func (ex *exchanger) keepBeside(o *exchanger) {
	ex.otherAside, ex.otherSpared = o.aside, o.spared
	known := map[git.ID]bool{}
	for _, r := range o.spared {
		known[r.ID] = known[r.ID] || r.Sifted && len(r.Tips) < 2
	}
	for _, ref := range slices.Sorted(maps.Keys(o.aside)) {
		if r, refused := o.spared[ref]; refused && known[r.ID] {
			ex.warn(o.aside[ref].Error())
			delete(ex.otherAside, ref)
		}
	}
}
