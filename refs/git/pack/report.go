package pack

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

const (
	maxKeepers    = 16  // refs that are named as what keeps objects
	containsChunk = 100 // objects that one child is asked about
)

// report finds out what keeps the objects that still exist.
func (p *purger) report(ctx context.Context) error {
	if err := p.reportReached(ctx); err != nil {
		return err
	}
	if len(p.doomed) == 0 {
		return nil
	}
	stores, _, err := p.repo.Alternates(ctx)
	if err != nil {
		return err
	}
	for _, dir := range append([]string{p.repo.ObjectDir()}, stores...) {
		if err := p.reportStore(ctx, dir); err != nil {
			return err
		}
	}
	p.kept(KeptByWriter, "", slices.Collect(maps.Keys(p.fresh)))
	p.res.Objects = len(p.gone)
	return nil
}

// kept adds objects that are kept for one reason.
func (p *purger) kept(by KeptBy, name string, ids []git.ID) {
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	p.res.Kept = append(p.res.Kept, Kept{by, name, ids})
	for _, id := range ids {
		delete(p.gone, id) // only a copy was deleted
	}
}

// reportStore looks in an object directory for what was to be deleted: in packs with a
// .keep file of our own, or anywhere in an alternate.
func (p *purger) reportStore(ctx context.Context, dir string) error {
	own := dir == p.repo.ObjectDir()
	packs, err := packsIn(dir)
	if err != nil {
		return err
	}
	var borrowed []git.ID
	for _, k := range packs {
		if own && !k.keep {
			continue
		}
		found, err := containedIn(ctx, p.repo, k, p.doomed)
		if err != nil {
			return err
		}
		if own {
			p.kept(KeptByPack, filepath.Base(k.base)+".pack", found)
		} else {
			borrowed = append(borrowed, found...)
		}
	}
	if own {
		return nil
	}
	for id := range p.doomed {
		_, err := os.Lstat(filepath.Join(dir, string(id[:2]), string(id[2:])))
		switch {
		case err == nil:
			borrowed = append(borrowed, id)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	p.kept(KeptByAlternate, dir, borrowed)
	return nil
}

// reportReached finds out which refs, or what else, reach what was asked for.
func (p *purger) reportReached(ctx context.Context) error {
	if len(p.reached) == 0 {
		return nil
	}
	rest := maps.Clone(p.reached)
	names, err := p.containing(ctx, slices.Sorted(maps.Keys(rest)))
	if err != nil {
		return err
	}
	for _, name := range names[:min(len(names), maxKeepers)] {
		id, err := p.repo.Ref(ctx, name)
		if errors.Is(err, git.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if err := p.reportWalk(ctx, KeptByRef, name, rest, []git.ID{id}); err != nil {
			return err
		}
	}
	if len(rest) == 0 {
		return nil
	}
	if err := p.reportWalk(ctx, KeptByReflog, "", rest, nil, "--reflog"); err != nil {
		return err
	}
	p.kept(KeptByWorktree, "", slices.Collect(maps.Keys(rest)))
	return nil
}

// reportWalk reports what some roots reach as kept by them, and removes it from rest.
func (p *purger) reportWalk(
	ctx context.Context, by KeptBy, name string, rest map[git.ID]bool, from []git.ID, args ...string,
) error {
	var found []git.ID
	err := p.walk(ctx, from, func(id git.ID) {
		if p.reached[id] {
			found = append(found, id)
			delete(rest, id)
		}
	}, args...)
	p.kept(by, name, found)
	return err
}

// containing lists the refs that reach any of some commits.
func (p *purger) containing(ctx context.Context, ids []git.ID) ([]string, error) {
	infos, err := p.repo.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var commits []git.ObjectInfo
	for _, info := range infos {
		if info.Type == "commit" {
			commits = append(commits, info)
		}
	}
	var names []string
	for chunk := range slices.Chunk(commits, containsChunk) {
		args := []string{"for-each-ref", "--format=%(refname)"}
		for _, c := range chunk {
			args = append(args, "--contains="+string(c.ID))
		}
		out, err := p.repo.Run(ctx, args...)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.Fields(string(out))...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
