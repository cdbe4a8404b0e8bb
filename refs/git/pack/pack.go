package pack

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// Options are the options of [Run].
type Options struct {
	// Tips are the commits that refs name whose objects are packed. One that does not
	// exist is passed over.
	Tips []git.ID
	// Whole looks at all of their history, not only at what is new since the last Run.
	Whole bool
	// Kin groups similar files for delta compression. The key is a file name; the
	// function gets a file's content and returns the name of its group, "" for none.
	// Git compares files of one name, and among hundreds of versions it does not find
	// the few that begin alike.
	Kin map[string]func(data []byte) string
}

// Result is what [Run] did.
type Result struct {
	Objects int   // loose objects that were packed and removed
	Merged  int   // packs of ours that were joined into a larger one
	Packs   int   // packs of ours that exist afterwards
	Bytes   int64 // by which the files of the object directory are smaller
	Busy    bool  // another Run or Purge is at work: nothing was done
}

const (
	// maxPacks is how many packs of ours there may be: fifty packs of all kinds make
	// the user's `git gc --auto` run.
	maxPacks = 10

	// maxTries is how often a round is begun: the user's gc may take in packs of ours
	// while they are read.
	maxTries = 3

	// gcLimit is the age up to which the lock file of a gc counts.
	gcLimit = 12 * time.Hour
)

// Run packs the loose objects that some refs reach, and removes just those loose files.
// All other objects (those of the code, borrowed ones, those of a writer whose ref has
// not moved yet) are left alone.
//
// Packs of earlier Runs are joined with the new one so that each has at least twice as
// many objects as the next smaller one, and never more than ten exist: an object is
// copied as often as the whole doubles. Packs that contain nothing but what these refs
// reach are joined too: each fetch of memory leaves one. Not joined are packs with a
// .keep file or a bitmap, packs from a remote that promises objects, and, unless there
// would be too many, packs that a multi-pack-index names. Objects are never dropped for
// being unreachable: that is left to the user's gc.
//
// It may run beside any reader and writer and beside `git gc`, `git repack` and
// `git prune`. It takes no lock of git's, and joins nothing while a gc runs. Where a
// Purge or another Run has the lock it returns Busy at once. The caller must check
// extensions.preciousObjects first.
func Run(ctx context.Context, r *git.Repo, o Options) (Result, error) {
	lock, ok, err := r.TryLock(lockName)
	if err != nil || !ok {
		return Result{Busy: err == nil}, err
	}
	defer lock.Unlock()
	p := newPacker(r)
	if err := p.begin(ctx); err != nil {
		return p.res, err
	}
	for try := 1; ; try++ {
		err = p.round(ctx, o)
		if err == nil || ctx.Err() != nil || try == maxTries || !mayPass(err) {
			break
		}
	}
	own, err1 := p.packs(ctx, true)
	p.res.Packs = len(own)
	return p.res, errors.Join(err, err1)
}

// CountLoose returns how many objects [Run] would put into a pack. It costs a walk over
// what is new since the last Run.
func CountLoose(ctx context.Context, r *git.Repo, tips []git.ID) (int, error) {
	p := newPacker(r)
	var err error
	if p.state, err = readState(r); err != nil {
		return 0, err
	}
	loose, _, err := p.look(ctx, Options{Tips: tips})
	return len(loose), err
}

// packer is a Run in progress.
type packer struct {
	repo    *git.Repo
	packDir string
	state   state
	doomed  map[git.ID]bool // what a killed Purge has not deleted yet
	since   time.Time       // when loose objects were looked at, by the file system's clock
	res     Result
}

func newPacker(r *git.Repo) *packer {
	return &packer{repo: r, packDir: filepath.Join(r.ObjectDir(), "pack")}
}

// begin finishes what a killed process left.
func (p *packer) begin(ctx context.Context) error {
	if err := p.clearStages(); err != nil {
		return err
	}
	var err error
	if p.state, err = readState(p.repo); err != nil {
		return err
	}
	if p.doomed, err = readDoomed(p.repo); err != nil {
		return err
	}
	if p.since, err = p.repo.ObjectClock(); err != nil {
		return err
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	if err := p.finishDrop(); err != nil {
		return err
	}
	return removeKeepFiles(p.packDir)
}

// clearStages removes the folders of packs that were never finished. Only the owner of
// the lock makes such folders.
func (p *packer) clearStages() error {
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

// mayPass reports whether an error may come from another process that removed what was
// just looked at: git could not read an object, or a file does not exist.
func mayPass(err error) bool {
	return git.ExitCode(err) > 0 || errors.Is(err, fs.ErrNotExist)
}

// round looks for loose objects and packs to join, and joins them.
func (p *packer) round(ctx context.Context, o Options) (err error) {
	if p.since, err = p.repo.ObjectClock(); err != nil {
		return err
	}
	loose, all, err := p.look(ctx, o)
	if err != nil {
		return err
	}
	if err := p.adopt(ctx, all); err != nil {
		return err
	}
	old, err := p.chooseOld(ctx, len(loose))
	if err != nil {
		return err
	}
	if len(loose)+len(old) > 0 {
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

// chooseOld returns the packs of ours to join with a new pack of fresh loose objects;
// none while the user's gc runs.
func (p *packer) chooseOld(ctx context.Context, fresh int) ([]examined, error) {
	own, err := p.packs(ctx, true)
	if err != nil {
		return nil, err
	}
	if p.gcRuns() {
		own = nil
	}
	limit, err := p.sizeLimit(ctx)
	if err != nil {
		return nil, err
	}
	indexed, err := p.indexed()
	if err != nil {
		return nil, err
	}
	return toJoin(own, fresh, limit, indexed), nil
}

// gcRuns reports whether the user's gc or maintenance is at work, or writes a
// multi-pack-index: it fails, without a loss, where a pack disappears that it has just
// listed, so none of ours is removed meanwhile.
func (p *packer) gcRuns() bool {
	for _, path := range []string{filepath.Join(p.repo.CommonDir(), "gc.pid"),
		filepath.Join(p.repo.ObjectDir(), "maintenance.lock"), filepath.Join(p.packDir, midxName+".lock")} {
		if info, err := os.Stat(path); err == nil && p.since.Sub(info.ModTime()) < gcLimit {
			return true
		}
	}
	return false
}

// sizeLimit returns pack.packSizeLimit in bytes, as git rounds it up to a mebibyte; 0
// for no limit.
func (p *packer) sizeLimit(ctx context.Context) (int64, error) {
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

// join makes one pack of loose objects and old packs, and removes them.
func (p *packer) join(ctx context.Context, loose []looseObject, old []examined) (err error) {
	input, err := p.input(ctx, loose, old)
	if err != nil {
		return err
	}
	st, err := newStage(ctx, p.repo, p.packDir, input)
	if err != nil {
		return err
	}
	defer st.remove()
	u := &unfinished{New: st.names}
	for _, k := range old {
		u.Old = append(u.Old, k.name())
	}
	p.state.Unfinished = u
	p.state.Packs = append(p.state.Packs, st.names...)
	if err := p.save(); err != nil {
		return err
	}
	fault.Point("gc-staged")
	defer func() { err = errors.Join(err, removeKeepFiles(p.packDir)) }()
	size, err := st.install(nil)
	p.res.Bytes -= size
	if err != nil {
		return err
	}
	fault.Point("gc-packed")
	ids := make([]git.ID, len(loose))
	for i, o := range loose {
		ids[i] = o.id
	}
	return p.replaceOld(ctx, ids)
}

// finish ends what a killed Run began. Either all of its new packs are in their place,
// or one is not: then nothing was removed for them, and the remains of that one are
// useless.
func (p *packer) finish(ctx context.Context) error {
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
		return p.replaceOld(ctx, nil)
	}
	p.state.Unfinished = nil
	return p.save()
}

// replaceOld removes the old packs, and of the loose objects those that the new packs
// contain; all that they contain if loose is nil.
func (p *packer) replaceOld(ctx context.Context, loose []git.ID) error {
	u := p.state.Unfinished
	have, err := p.idsOf(ctx, u.New)
	if err != nil {
		return err
	}
	if err := p.dropOld(ctx, u.Old, have); err != nil {
		return err
	}
	fault.Point("gc-merged")
	if loose == nil {
		loose = slices.Sorted(maps.Keys(have))
	}
	loose = slices.DeleteFunc(loose, func(id git.ID) bool { return !have[id] })
	err = p.unlink(loose, u.New)
	fault.Point("gc-unlinked")
	p.state.Unfinished = nil // an object that cannot be removed must not hinder the next Run
	return errors.Join(err, p.save())
}

// idsOf returns the objects of packs, all of which must exist.
func (p *packer) idsOf(ctx context.Context, names []string) (map[git.ID]bool, error) {
	have := map[git.ID]bool{}
	for _, name := range names {
		k := packFile{base: filepath.Join(p.packDir, name)}
		if err := eachObject(ctx, p.repo, k, func(o packedObject) { have[o.id] = true }); err != nil {
			return nil, err
		}
	}
	return have, nil
}
