package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// At most so many refs are named that keep what was to be deleted, and so many
// objects are asked about at a time.
const (
	maxKeepers    = 16
	containsChunk = 100
)

// report says of what is still there what keeps it.
func (p *purge) report(ctx context.Context) error {
	if err := p.reportReached(ctx); err != nil {
		return err
	}
	if len(p.doomed) == 0 {
		return nil
	}
	stores, _, err := p.repo.alternates(ctx)
	if err != nil {
		return err
	}
	for _, dir := range append([]string{p.repo.objectDir}, stores...) {
		if err := p.reportStore(ctx, dir); err != nil {
			return err
		}
	}
	p.kept(KeptByWriter, "", slices.Collect(maps.Keys(p.fresh)))
	p.res.Objects = len(p.gone)
	return nil
}

// kept adds what is kept for one reason.
func (p *purge) kept(by KeptBy, name string, ids []ID) {
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	p.res.Kept = append(p.res.Kept, Kept{by, name, ids})
	for _, id := range ids {
		delete(p.gone, id) // one copy is not the object
	}
}

// reportStore looks for what was to be deleted in an object directory: in packs with
// a .keep file, or anywhere in what is borrowed.
func (p *purge) reportStore(ctx context.Context, dir string) error {
	own := dir == p.repo.objectDir
	packs, err := p.repo.packsIn(ctx, dir)
	if err != nil {
		return err
	}
	var borrowed []ID
	for _, k := range packs {
		if own && !k.keep {
			continue
		}
		found, err := p.repo.holding(ctx, k, p.doomed)
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

// reportReached says which refs reach what was asked for, or what else does.
func (p *purge) reportReached(ctx context.Context) error {
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
		if errors.Is(err, ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if err := p.reportWalk(ctx, KeptByRef, name, rest, []ID{id}); err != nil {
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

// reportWalk says of what some roots reach that they keep it, and takes it off rest.
func (p *purge) reportWalk(ctx context.Context, by KeptBy, name string, rest map[ID]bool, from []ID, args ...string) error {
	var found []ID
	err := p.walk(ctx, from, func(id ID) {
		if p.reached[id] {
			found = append(found, id)
			delete(rest, id)
		}
	}, args...)
	p.kept(by, name, found)
	return err
}

// containing lists the refs that reach any of some commits.
func (p *purge) containing(ctx context.Context, ids []ID) ([]string, error) {
	infos, err := p.repo.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var commits []ObjectInfo
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
