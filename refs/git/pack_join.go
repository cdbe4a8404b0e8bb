package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// ownPack is a pack that Pack made.
type ownPack struct {
	pack
	objects int
	size    int64
	made    int64 // when, in nanoseconds
}

// own lists the packs of ours that may be joined with others.
func (p *packing) own(ctx context.Context) ([]ownPack, error) { return p.packs(ctx, true) }

// packs lists packs that nobody keeps and nothing depends on, ours or all others.
func (p *packing) packs(ctx context.Context, ours bool) ([]ownPack, error) {
	all, err := p.repo.packsIn(ctx, p.repo.objectDir)
	if err != nil {
		return nil, err
	}
	var list []ownPack
	for _, k := range all {
		if k.keep || slices.Contains(p.state.Packs, k.name()) != ours || disk.Exists(k.base+".promisor") || disk.Exists(k.base+".bitmap") || disk.Exists(k.base+".mtimes") {
			continue
		}
		o := ownPack{pack: k}
		err := o.examine()
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken in by a gc of the user's
		}
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// adopt makes packs ours that hold nothing but memory: what was found to be new in it, and
// what is in our packs. A fetch leaves such a pack, which fifty times would start the
// user's gc; and so is found what a state that was lost had named.
func (p *packing) adopt(ctx context.Context, all map[ID]bool) error {
	others, err := p.packs(ctx, false)
	if err != nil {
		return err
	}
	own, err := p.own(ctx)
	if err != nil {
		return err
	}
	most := len(all)
	for _, o := range own {
		most += o.objects
	}
	others = slices.DeleteFunc(others, func(o ownPack) bool { return o.objects > most })
	if len(others) == 0 || len(all) == 0 {
		return nil
	}
	for _, o := range own {
		if err := p.repo.contents(ctx, o.pack, func(o packedObject) { all[o.id] = true }); err != nil {
			return err
		}
	}
	for _, o := range others {
		memory := o.objects > 0
		err := p.repo.contents(ctx, o.pack, func(o packedObject) { memory = memory && all[o.id] })
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if memory {
			p.state.Packs = append(p.state.Packs, o.name())
		}
	}
	return nil
}

// examine reads how many objects a pack holds (gitformat-pack(5)).
func (o *ownPack) examine() error {
	f, err := os.Open(o.base + ".pack")
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:4]) != "PACK" {
		return fmt.Errorf("'%s' is no pack: %w", f.Name(), cmp.Or(err, errors.New("it does not begin as one")))
	}
	o.objects, o.size, o.made = int(binary.BigEndian.Uint32(head[8:])), info.Size(), info.ModTime().UnixNano()
	return nil
}

// toJoin chooses which packs go into the new one, which has fresh objects of its own:
//
//  1. the smallest ones, as long as the next is smaller than twice all before it;
//  2. more of them, where there would be too many.
//
// One that a multi-pack-index names takes that index away and has it written anew, which
// costs as much as the repository is large: such a pack is taken by the second rule alone.
// One that is about as large as packs may be is never taken.
func toJoin(own []ownPack, fresh int, limit int64, indexed map[string]bool) []ownPack {
	if limit > 0 {
		own = slices.DeleteFunc(slices.Clone(own), func(o ownPack) bool { return o.size > limit/2 })
	}
	free := slices.DeleteFunc(slices.Clone(own), func(o ownPack) bool { return indexed[o.name()] })
	for _, list := range [][]ownPack{own, free} {
		slices.SortFunc(list, func(a, b ownPack) int {
			return cmp.Or(cmp.Compare(a.objects, b.objects), strings.Compare(a.base, b.base))
		})
	}
	list := free[:neighbours(free, fresh)]
	if more := len(own) - len(list) + min(fresh+len(list), 1) - mostPacks; more > 0 {
		list = own[:len(own)+1-mostPacks]
	}
	return list
}

// neighbours is how many of the smallest packs are too near in size to a new one: to the
// objects that it has of its own, and those that it takes from packs before them.
func neighbours(packs []ownPack, fresh int) (n int) {
	for sum := fresh; n < len(packs) && packs[n].objects < 2*sum; n++ {
		sum += packs[n].objects
	}
	return n
}

// input lists for `git pack-objects` what goes into the new pack: what is loose, and
// then the old packs, newest first, each in its order.
func (p *packing) input(ctx context.Context, loose []looseObject, old []ownPack) ([]byte, error) {
	var in bytes.Buffer
	for _, o := range loose {
		fmt.Fprintln(&in, o.id, o.name)
	}
	slices.SortStableFunc(old, func(a, b ownPack) int { return cmp.Compare(b.made, a.made) })
	var ids []ID
	for _, k := range old {
		var list []packedObject
		if err := p.repo.contents(ctx, k.pack, func(o packedObject) { list = append(list, o) }); err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b packedObject) int { return cmp.Compare(a.offset, b.offset) })
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

// treeNames finds out what trees call some objects. Without that git would compare
// objects of equal size to find deltas: a folder of notes has two hundred versions, each
// like the one before and like no other folder. The trees of the commits among the
// objects say it: no history is walked for that.
func (p *packing) treeNames(ctx context.Context, ids []ID) (map[ID]string, error) {
	infos, err := p.repo.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var commits bytes.Buffer
	names := make(map[ID]string, len(ids))
	for _, info := range infos {
		if info.Type == "commit" {
			fmt.Fprintln(&commits, info.ID)
		}
		names[info.ID] = ""
	}
	if commits.Len() == 0 {
		return names, nil
	}
	args := []string{"rev-list", "--objects", "--no-walk=unsorted", "--stdin", missingAllowed}
	return names, p.repo.objectLines(ctx, args, commits.Bytes(), func(o looseObject) error {
		if name, ok := names[o.id]; ok && name == "" {
			names[o.id] = o.name
		}
		return nil
	})
}

// dropOld deletes packs all of whose objects are in new ones.
func (p *packing) dropOld(ctx context.Context, names []string, have map[ID]bool) error {
	// It was asked for them, and has them open: not everywhere can such a file be deleted.
	if err := p.repo.cat.close(); err != nil {
		return err
	}
	index := &purge{repo: p.repo, packDir: p.packDir}
	if err := p.dropIndex(index, names); err != nil {
		return err
	}
	dropped := 0
	for _, name := range names {
		k, whole := pack{base: filepath.Join(p.packDir, name)}, true
		err := p.repo.contents(ctx, k, func(o packedObject) { whole = whole && have[o.id] })
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // an .idx goes first: what else a killed Pack left of it goes now
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
	// One may have been written meanwhile by somebody who saw them still.
	if err := p.dropIndex(index, names); err != nil {
		return err
	}
	index.res.Packs = dropped + len(p.state.Unfinished.New)
	return errors.Join(index.writeMidx(ctx), index.writeInfo(ctx))
}

// dropIndex deletes the multi-pack-index if it names one of some packs.
func (p *packing) dropIndex(index *purge, names []string) error {
	indexed, err := p.indexed()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(name string) bool { return indexed[name] }) {
		return index.dropMidx()
	}
	return nil
}

// indexed are the packs that a multi-pack-index names (gitformat-pack(5)); all of ours,
// if there is a chain of them.
func (p *packing) indexed() (map[string]bool, error) {
	named := map[string]bool{}
	if disk.Exists(filepath.Join(p.packDir, midxName+".d")) {
		for _, name := range p.state.Packs {
			named[name] = true
		}
		return named, nil
	}
	f, err := os.Open(filepath.Join(p.packDir, midxName))
	if errors.Is(err, fs.ErrNotExist) {
		return named, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := midxNames(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read '%s': %w", f.Name(), err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		named[strings.TrimSuffix(strings.TrimSuffix(name, ".idx"), ".pack")] = true
	}
	return named, nil
}

// midxNames reads the chunk of a multi-pack-index that holds the names of its packs, each
// ended by a NUL.
func midxNames(f io.ReaderAt) ([]byte, error) {
	var head [12]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if string(head[:4]) != "MIDX" {
		return nil, errors.New("it does not begin as one")
	}
	const entry = 12 // four bytes of a name, eight of an offset
	table := make([]byte, entry*(int(head[6])+1))
	if _, err := f.ReadAt(table, int64(len(head))); err != nil {
		return nil, err
	}
	for ; len(table) >= 2*entry; table = table[entry:] {
		from, to := binary.BigEndian.Uint64(table[4:]), binary.BigEndian.Uint64(table[entry+4:])
		const most = 16 << 20
		if string(table[:4]) != "PNAM" || to < from || to-from > most {
			continue
		}
		names := make([]byte, to-from)
		_, err := f.ReadAt(names, int64(from))
		return names, err
	}
	return nil, errors.New("it names no packs")
}
