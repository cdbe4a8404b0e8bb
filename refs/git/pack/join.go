package pack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// toJoin chooses the packs to join with a new one, which has fresh objects of its own:
//
//  1. the smallest packs, as long as the next has less than twice the objects of all
//     before it and of the new one;
//  2. more of them, where there would be more than maxPacks.
//
// A pack that a multi-pack-index names is taken by the second rule alone: the index
// would have to be written anew, which costs as much as the repository is large. A pack
// larger than half of limit (pack.packSizeLimit; 0: none) is never taken.
func toJoin(own []examined, fresh int, limit int64, indexed map[string]bool) []examined {
	if limit > 0 {
		own = slices.DeleteFunc(slices.Clone(own), func(o examined) bool { return o.size > limit/2 })
	}
	free := slices.DeleteFunc(slices.Clone(own), func(o examined) bool { return indexed[o.name()] })
	for _, list := range [][]examined{own, free} {
		slices.SortFunc(list, func(a, b examined) int {
			return cmp.Or(cmp.Compare(a.objects, b.objects), strings.Compare(a.base, b.base))
		})
	}
	list := free[:tooSimilar(free, fresh)]
	if more := len(own) - len(list) + min(fresh+len(list), 1) - maxPacks; more > 0 {
		list = own[:len(own)+1-maxPacks]
	}
	return list
}

// tooSimilar returns how many of the smallest packs are too near in size to a new one:
// to its fresh objects, and those that it takes from the packs before them.
func tooSimilar(packs []examined, fresh int) (n int) {
	for sum := fresh; n < len(packs) && packs[n].objects < 2*sum; n++ {
		sum += packs[n].objects
	}
	return n
}

// input lists the objects of the new pack for `git pack-objects`: the loose ones, then
// those of the old packs, newest pack first, each in its order.
func (p *packer) input(ctx context.Context, loose []looseObject, old []examined) ([]byte, error) {
	var in bytes.Buffer
	for _, o := range loose {
		fmt.Fprintln(&in, o.id, o.name)
	}
	slices.SortStableFunc(old, func(a, b examined) int { return cmp.Compare(b.made, a.made) })
	var ids []git.ID
	for _, k := range old {
		var list []packedObject
		if err := eachObject(ctx, p.repo, k.packFile, func(o packedObject) { list = append(list, o) }); err != nil {
			return nil, err
		}
		inPackOrder(list)
		for _, o := range list {
			ids = append(ids, o.id)
		}
	}
	names, err := p.treeNames(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		fmt.Fprintln(&in, id, names[id])
	}
	return in.Bytes(), nil
}

// treeNames returns the names that trees give some objects. Without them git would
// compare objects of equal size to find deltas: a folder of notes has two hundred
// versions, each like the one before and like no other folder. The trees of the commits
// among the objects have the names: no history is walked.
func (p *packer) treeNames(ctx context.Context, ids []git.ID) (map[git.ID]string, error) {
	infos, err := p.repo.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var commits bytes.Buffer
	names := make(map[git.ID]string, len(ids))
	for _, info := range infos {
		if info.Type == "commit" {
			fmt.Fprintln(&commits, info.ID)
		}
		names[info.ID] = ""
	}
	if commits.Len() == 0 {
		return names, nil
	}
	return names, walkNamed(ctx, p.repo, &commits, func(o looseObject) error {
		if name, ok := names[o.id]; ok && name == "" {
			names[o.id] = o.name
		}
		return nil
	}, "--no-walk=unsorted", missingAllowed)
}

// dropOld deletes packs all of whose objects are in new ones.
func (p *packer) dropOld(ctx context.Context, names []string, have map[git.ID]bool) error {
	// The child that reads objects has packs open, and not every system can delete an
	// open file.
	if err := p.repo.Close(); err != nil {
		return err
	}
	index := indexes{repo: p.repo, packDir: p.packDir}
	if err := p.dropIndex(&index, names); err != nil {
		return err
	}
	dropped := 0
	for _, name := range names {
		k, whole := packFile{base: filepath.Join(p.packDir, name)}, true
		err := eachObject(ctx, p.repo, k, func(o packedObject) { whole = whole && have[o.id] })
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // an .idx is removed first: remove what else a killed Run left of the pack
		}
		if err != nil {
			return err
		}
		if !whole || disk.Exists(k.base+".keep") || slices.Contains(p.state.Unfinished.New, name) {
			continue
		}
		size, err := removePack(k.base)
		if p.res.Bytes += size; err != nil {
			return err
		}
		dropped++
	}
	p.res.Merged += dropped
	// A process that still saw the packs may have written an index meanwhile.
	if err := p.dropIndex(&index, names); err != nil {
		return err
	}
	err := index.writeMidx(ctx)
	if dropped+len(p.state.Unfinished.New) > 0 {
		err = errors.Join(err, index.writeInfo(ctx))
	}
	return err
}

// dropIndex deletes the multi-pack-index if it names one of some packs.
func (p *packer) dropIndex(index *indexes, names []string) error {
	indexed, err := p.indexed()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(name string) bool { return indexed[name] }) {
		return index.dropMidx()
	}
	return nil
}
