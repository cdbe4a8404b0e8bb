package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// PackOptions are one Pack.
type PackOptions struct {
	// Tips is what the refs name whose objects are packed. One that does not exist is
	// passed over.
	Tips []ID
	// Whole looks at all of their history, and not only at what came since the last
	// Pack.
	Whole bool
	// Kin says, for files of some names, by what is in one, which name it shares with
	// those that are like it; "" for its own. git compares what has one name, and among
	// hundreds of versions of one name it does not find the few that begin alike.
	Kin map[string]func(data []byte) string
}

// PackResult is what Pack did.
type PackResult struct {
	Objects int   // that were loose and are packed now
	Merged  int   // packs of ours that went into a larger one
	Packs   int   // of ours that there are now
	Bytes   int64 // by which the files of the object directory are smaller
	Busy    bool  // Purge or another Pack is at work: nothing was done
}

const (
	// mostPacks is how many packs of ours there may be: fifty of all kinds would start
	// the user's gc.
	mostPacks = 10

	// packTries is how often a pack is begun: a gc of the user's may take away, while
	// we read them, packs of ours that it has taken in.
	packTries = 3
)

// Pack puts the loose objects that some refs reach into a pack, and removes just those
// loose files. All other objects (the code's, borrowed ones, those of a writer whose ref
// has not moved yet) are left alone.
//
// Packs that it made before are joined with the new one such that each has at least twice
// as many objects as the next smaller one, and there are never more than ten: an object
// is copied as often as the whole doubles. So are packs that hold nothing but what these
// refs reach: a fetch of memory brings one each time. Packs with a .keep file, with a bitmap, from a
// remote that promises objects, and those that a multi-pack-index names are not joined,
// the last unless there would be too many. Nothing is ever dropped for not being
// reachable: that is left to the user's own gc.
//
// A new pack is complete and in its place before an old one or a loose file goes. Killed
// at any moment it has lost nothing, and the next Pack finishes. It may run beside any
// reader and writer, and beside `git gc`, `git repack` and `git prune`, of which it locks
// nothing, but joins nothing while a gc runs; Purge waits for it. The caller asks extensions.preciousObjects.
func (r *Repo) Pack(ctx context.Context, o PackOptions) (PackResult, error) {
	p, unlock, err := r.newPacking()
	if err != nil || p == nil {
		return PackResult{Busy: err == nil}, err
	}
	defer unlock()
	if err := p.begin(ctx); err != nil {
		return p.res, err
	}
	for try := 1; ; try++ {
		err = p.round(ctx, o)
		if err == nil || ctx.Err() != nil || try == packTries || !p.mayPass(err) {
			break
		}
	}
	own, err1 := p.own(ctx)
	p.res.Packs = len(own)
	return p.res, errors.Join(err, err1)
}

// CountLoose is how many objects Pack would put into a pack. It costs a look at what
// came since the last Pack.
func (r *Repo) CountLoose(ctx context.Context, tips []ID) (int, error) {
	p := &packing{repo: r, packDir: filepath.Join(r.objectDir, "pack")}
	var err error
	if p.state, err = r.readPackState(); err != nil {
		return 0, err
	}
	loose, _, err := p.look(ctx, PackOptions{Tips: tips})
	return len(loose), err
}

// packing is one Pack under way.
type packing struct {
	repo    *Repo
	packDir string
	state   packState
	doomed  map[ID]bool // what a Purge that was killed has yet to delete
	since   time.Time   // when the loose objects were looked at, by the file system's clock
	res     PackResult
}

// newPacking takes the lock that Purge takes; nil where somebody has it.
func (r *Repo) newPacking() (*packing, func() error, error) {
	lock, ok, err := r.TryLock(purgeLock)
	if err != nil || !ok {
		return nil, nil, err
	}
	return &packing{repo: r, packDir: filepath.Join(r.objectDir, "pack")}, lock.Unlock, nil
}

// begin finishes what a killed one left.
func (p *packing) begin(ctx context.Context) error {
	if err := p.clearStages(); err != nil {
		return err
	}
	var err error
	if p.state, err = p.repo.readPackState(); err != nil {
		return err
	}
	if p.doomed, err = (&purge{repo: p.repo}).remembered(); err != nil {
		return err
	}
	if p.since, err = p.repo.objectClock(); err != nil {
		return err
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	return letGo(p.packDir)
}

// clearStages removes the folders of packs that were never finished. Only who holds
// the lock makes them.
func (p *packing) clearStages() error {
	found, err := disk.Glob(p.packDir, stagePrefix+"*")
	if err != nil {
		return err
	}
	for _, dir := range found {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// mayPass reports whether an error may come of somebody else's clearing away what was
// just looked at: git could not read an object, or a file is gone.
func (p *packing) mayPass(err error) bool {
	return exitCode(err) > 0 || errors.Is(err, fs.ErrNotExist)
}

// round looks at what is loose, and packs it.
func (p *packing) round(ctx context.Context, o PackOptions) (err error) {
	if p.since, err = p.repo.objectClock(); err != nil {
		return err
	}
	loose, all, err := p.look(ctx, o)
	if err != nil {
		return err
	}
	if err := p.adopt(ctx, all); err != nil {
		return err
	}
	own, err := p.own(ctx)
	if err != nil {
		return err
	}
	if p.theirs() {
		own = nil
	}
	limit, err := p.sizeLimit(ctx)
	if err != nil {
		return err
	}
	indexed, err := p.indexed()
	if err != nil {
		return err
	}
	if old := toJoin(own, len(loose), limit, indexed); len(loose)+len(old) > 0 {
		if err := p.rename(ctx, loose, o.Kin); err != nil {
			return err
		}
		if err := p.join(ctx, loose, old); err != nil {
			return err
		}
	}
	tips := slices.Compact(slices.Sorted(slices.Values(o.Tips)))
	if slices.Equal(tips, p.state.Tips) {
		return nil
	}
	p.state.Tips = tips
	return p.save()
}

// theirs reports whether the user's own gc or maintenance is at work, or writes an index
// of all packs. It gives up, without a loss, where a pack goes that it has just listed:
// then none of ours goes.
func (p *packing) theirs() bool {
	for _, path := range []string{filepath.Join(p.repo.commonDir, "gc.pid"), filepath.Join(p.repo.objectDir, "maintenance.lock"),
		filepath.Join(p.packDir, midxName+".lock")} {
		if info, err := os.Stat(path); err == nil && p.since.Sub(info.ModTime()) < theirLimit {
			return true
		}
	}
	return false
}

// sizeLimit is how large a pack may be, in bytes; 0 for any size. git takes less than a
// mebibyte for one.
func (p *packing) sizeLimit(ctx context.Context) (int64, error) {
	cfg, err := p.repo.Config(ctx)
	if err != nil {
		return 0, err
	}
	limit, err := cfg.Int("pack.packsizelimit", 0)
	if limit > 0 {
		limit = max(limit, 1<<20)
	}
	return int64(limit), err
}

// join makes one pack of loose objects and old packs.
func (p *packing) join(ctx context.Context, loose []looseObject, old []ownPack) (err error) {
	input, err := p.input(ctx, loose, old)
	if err != nil {
		return err
	}
	st, err := p.repo.stagePack(ctx, p.packDir, input)
	if err != nil {
		return err
	}
	defer st.remove()
	u := &unfinishedPacks{New: st.names}
	for _, k := range old {
		u.Old = append(u.Old, k.name())
	}
	p.state.Unfinished = u
	p.state.Packs = append(p.state.Packs, st.names...)
	if err := p.save(); err != nil {
		return err
	}
	fault.Point("gc-staged")
	defer func() { err = errors.Join(err, letGo(p.packDir)) }()
	size, err := st.install(nil)
	p.res.Bytes -= size
	if err != nil {
		return err
	}
	fault.Point("gc-packed")
	return p.settle(ctx, func(have map[ID]bool) ([]ID, error) {
		var ids []ID
		for _, o := range loose {
			if have[o.id] {
				ids = append(ids, o.id)
			}
		}
		return ids, nil
	})
}

// finish ends what a killed Pack began: either its packs are in their place, or one is
// not. Then nothing was removed for them, and what came of that one is of no use.
func (p *packing) finish(ctx context.Context) error {
	if p.state.Unfinished == nil {
		return nil
	}
	whole := true
	for _, name := range p.state.Unfinished.New {
		base := filepath.Join(p.packDir, name)
		if _, err := os.Stat(base + ".idx"); errors.Is(err, fs.ErrNotExist) {
			whole = false
			if _, err := removePack(base); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	if whole {
		return p.settle(ctx, p.looseOf)
	}
	p.state.Unfinished = nil
	return p.save()
}

// settle removes what the new packs hold: old packs, and the loose objects that which
// finds.
func (p *packing) settle(ctx context.Context, which func(have map[ID]bool) ([]ID, error)) error {
	u := p.state.Unfinished
	have, err := p.idsOf(ctx, u.New)
	if err != nil {
		return err
	}
	if err := p.dropOld(ctx, u.Old, have); err != nil {
		return err
	}
	fault.Point("gc-merged")
	ids, err := which(have)
	if err != nil {
		return err
	}
	err = p.unlink(ids, u.New)
	fault.Point("gc-unlinked")
	p.state.Unfinished = nil // an object that cannot be removed keeps the next Pack from nothing
	return errors.Join(err, p.save())
}

// idsOf are the objects of packs, all of which must be there.
func (p *packing) idsOf(ctx context.Context, names []string) (map[ID]bool, error) {
	have := map[ID]bool{}
	for _, name := range names {
		k := pack{base: filepath.Join(p.packDir, name)}
		if err := p.repo.contents(ctx, k, func(o packedObject) { have[o.id] = true }); err != nil {
			return nil, err
		}
	}
	return have, nil
}

// name is what a pack's files are called, without what follows the dot.
func (k pack) name() string { return filepath.Base(k.base) }
