package pack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
)

// KeptBy is the kind of thing that keeps an object.
type KeptBy string

// What keeps an object that [Purge] was asked to delete.
const (
	KeptByRef       KeptBy = "ref"       // a ref still reaches it
	KeptByReflog    KeptBy = "reflog"    // an entry of a reflog reaches it; which one is not known
	KeptByWorktree  KeptBy = "worktree"  // an index, or a merge, rebase or bisection in progress
	KeptByPack      KeptBy = "pack"      // a pack with a .keep file
	KeptByAlternate KeptBy = "alternate" // an alternate, from which this repository borrows objects
	KeptByWriter    KeptBy = "writer"    // another process writes it again and again
)

// Kept is what [Purge] could not delete for one reason.
type Kept struct {
	By      KeptBy
	Name    string   // of the ref, of the pack's file, the alternate's path; else ""
	Objects []git.ID // sorted
}

// PurgeResult is what [Purge] deleted, and what it could not.
type PurgeResult struct {
	Objects int    // deleted objects
	Bytes   int64  // by which the files of the object directory are smaller
	Packs   int    // packs that were written anew or deleted
	Kept    []Kept // of what was asked for, and of what only that reaches
}

const (
	lockName   = "purge"
	DoomedName = "purge" // local state: the objects that a Purge is deleting, an id on a line

	// purgeRounds is how often Purge looks again: a gc beside it may pack once more what
	// it was about to delete.
	purgeRounds = 4
)

// Purge deletes objects: those that old names, mostly commits, and all that they reach,
// without what anything else reaches: a ref, a HEAD, a reflog or an index of any
// worktree, or an operation in progress there. ORIG_HEAD and FETCH_HEAD do not count, as
// for git. An id that does not exist is passed over. What keep names, and what that
// reaches as far as git can read it, stays too.
//
// Loose objects are unlinked. A pack that contains any is written anew without them,
// and installed before the old one is deleted; a multi-pack-index and the commit-graph
// are written anew. Packs with a .keep file and borrowed objects stay, and are reported.
//
// Only these objects are deleted, and of them none that another process has written, or
// freshened, since it was found to be unreachable. Purge cannot see a writer that has
// done so before and makes a ref of it later: the caller must have the locks of the
// branches whose history this is. Repositories that borrow from this one are not looked
// at.
//
// It waits for another Purge or [Run], as [git.Repo.Lock] does. It fails where
// extensions.preciousObjects is set, before it deletes anything. It may be killed at any
// moment: nothing that is needed is gone, and the next Purge, of whatever, finishes.
// Other processes may read meanwhile. It costs a walk over all that the repository
// reaches, and the copying of the packs.
func Purge(ctx context.Context, r *git.Repo, old []git.ID, keep ...git.ID) (PurgeResult, error) {
	lock, err := r.Lock(ctx, lockName)
	if err != nil {
		return PurgeResult{}, err
	}
	defer lock.Unlock()
	p := newPurger(r)
	p.keep = keep
	if err := p.begin(ctx, old); err != nil {
		return p.res, err
	}
	again := true
	for try := 0; again && try < purgeRounds; try++ {
		if again, err = p.round(ctx); err != nil {
			return p.res, errors.Join(err, p.tidy(ctx))
		}
	}
	if err := p.tidy(ctx); err != nil {
		return p.res, err
	}
	if err := p.report(ctx); err != nil {
		return p.res, err
	}
	if err := p.pruneShallow(); err != nil {
		return p.res, err
	}
	if again {
		return p.res, nil // the next Purge looks for the rest
	}
	return p.res, p.forget()
}

// CheckPurge reports whether all objects exist that refs, worktrees and indexes reach:
// with one missing [Purge] cannot know what else needs the objects it is to delete, and
// would fail after the caller has moved refs. Reflogs are left out, because the caller
// may empty some first. It costs a walk over all objects. The error is a [*git.Error]
// that names the first missing object in git's words.
func CheckPurge(ctx context.Context, r *git.Repo) error {
	p := newPurger(r)
	var err error
	if p.partial, err = r.Partial(); err != nil {
		return err
	}
	roots, err := p.roots(ctx)
	if err != nil {
		return err
	}
	return p.walk(ctx, roots, func(git.ID) {}, "--all", "--indexed-objects")
}

// purger is a Purge in progress.
type purger struct {
	repo    *git.Repo
	packDir string
	index   indexes
	partial bool            // objects may be missing, and must not be fetched
	asked   []git.ID        // by the caller
	keep    []git.ID        // what the caller needs, though nothing may reach it
	left    map[git.ID]bool // by an earlier Purge that was killed
	doomed  map[git.ID]bool // what nothing else reaches
	reached map[git.ID]bool // of asked, what something else does
	fresh   map[git.ID]bool // of doomed, what others wrote meanwhile
	since   time.Time       // when doomed was found out, by the file system's clock
	gone    map[git.ID]bool
	res     PurgeResult
}

func newPurger(r *git.Repo) *purger {
	packDir := filepath.Join(r.ObjectDir(), "pack")
	return &purger{repo: r, packDir: packDir, index: indexes{repo: r, packDir: packDir}, gone: map[git.ID]bool{}}
}

// begin refuses what must not be touched, and finishes what a killed process left.
func (p *purger) begin(ctx context.Context, old []git.ID) error {
	for _, id := range old {
		if !p.repo.IsID(string(id)) {
			return fmt.Errorf("'%s' is no object id", git.Shown(string(id)))
		}
	}
	cfg, err := p.repo.Config(ctx)
	if err != nil {
		return err
	}
	precious, err := cfg.PreciousObjects()
	if err != nil {
		return err
	}
	if precious {
		return errors.New("this repository's objects are never deleted: extensions.preciousObjects is set")
	}
	p.asked = slices.Compact(slices.Sorted(slices.Values(old)))
	if err := newPacker(p.repo).begin(ctx); err != nil {
		return err
	}
	if p.partial, err = p.repo.Partial(); err != nil {
		return err
	}
	p.left, err = readDoomed(p.repo)
	return err
}

// round finds out what is to be deleted and where it is, and deletes it. It reports
// whether another round is needed.
func (p *purger) round(ctx context.Context) (again bool, err error) {
	if p.doomed == nil || len(p.fresh) > 0 {
		if err := p.condemn(ctx); err != nil {
			return false, err
		}
	}
	if len(p.doomed) == 0 {
		return false, nil
	}
	// The child that reads objects must have no pack open, and must see the new ones.
	if err := p.repo.Close(); err != nil {
		return false, err
	}
	packs, err := packsIn(p.repo.ObjectDir())
	if err != nil {
		return false, err
	}
	for _, k := range packs {
		if k.keep {
			continue
		}
		had, err := p.replacePack(ctx, k)
		if err != nil {
			return false, err
		}
		again = again || had
	}
	if wanted, err := p.named(ctx); err != nil || wanted {
		return err == nil, err
	}
	had, err := p.unlink()
	return again || had, err
}

// named reports whether a ref names by now what is to be deleted: a fetch makes such a
// ref without writing an object, if all of them still exist. Then nothing is doomed
// until the next round.
func (p *purger) named(ctx context.Context) (bool, error) {
	out, err := p.repo.Run(ctx, "for-each-ref", "--format=%(objectname)")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		if p.doomed[git.ID(strings.TrimSpace(line))] {
			p.doomed = nil
			return true, nil
		}
	}
	return false, nil
}

// unlink deletes loose objects. It reports whether there were any.
func (p *purger) unlink() (had bool, err error) {
	for _, id := range slices.Sorted(maps.Keys(p.doomed)) {
		path := p.repo.LoosePath(id)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return had, err
		}
		had = true
		if info.ModTime().After(p.since) {
			p.fresh[id] = true
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return had, err
		}
		fault.Point("after-unlink")
		p.gone[id] = true
		p.res.Bytes += info.Size()
	}
	return had, nil
}

// replacePack writes a pack anew without what is to be deleted, and reports whether it
// contained any of that. The new pack is installed before the old one is deleted.
func (p *purger) replacePack(ctx context.Context, k packFile) (had bool, err error) {
	doomed, err := containedIn(ctx, p.repo, k, p.doomed)
	if err != nil || len(doomed) == 0 {
		return false, err
	}
	if fresh, err := p.freshened(k, doomed); err != nil || fresh {
		return err == nil, err
	}
	var rest []packedObject
	err = eachObject(ctx, p.repo, k, func(o packedObject) {
		if !p.doomed[o.id] {
			rest = append(rest, o)
		}
	})
	defer func() { err = errors.Join(err, removeKeepFiles(p.packDir)) }()
	if err == nil && len(rest) > 0 {
		err = p.writePack(ctx, k, rest)
	}
	if err != nil {
		if _, gone := os.Stat(k.base + ".pack"); errors.Is(gone, fs.ErrNotExist) {
			return true, nil
		}
		return false, err
	}
	if wanted, err := p.wantedSince(ctx, k, doomed); err != nil || wanted { // copying a pack takes long
		return err == nil, err
	}
	if err := p.index.dropMidx(); err != nil { // it may name the pack
		return false, err
	}
	fault.Point("before-pack-dropped")
	size, err := k.drop(p.repo, p.since)
	p.res.Bytes += size
	if err != nil {
		return false, err
	}
	p.res.Packs++
	for _, id := range doomed {
		p.gone[id] = true
	}
	return true, nil
}

// wantedSince reports whether another process has come to need what is to be deleted
// from a pack.
func (p *purger) wantedSince(ctx context.Context, k packFile, doomed []git.ID) (bool, error) {
	if fresh, err := p.freshened(k, doomed); err != nil || fresh {
		return fresh, err
	}
	return p.named(ctx)
}

// freshened reports whether a pack is newer than the walk: a process that needs a packed
// object freshens the pack. Or a gc has made or deleted it; what that made is looked at
// in the next round.
func (p *purger) freshened(k packFile, doomed []git.ID) (bool, error) {
	info, err := os.Stat(k.base + ".pack")
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !info.ModTime().After(p.since) {
		return false, err
	}
	for _, id := range doomed {
		p.fresh[id] = true
	}
	return true, nil
}

// writePack packs objects of one pack, in its order, and marks the new pack as promised
// by a remote if the old one is.
func (p *purger) writePack(ctx context.Context, from packFile, objects []packedObject) error {
	inPackOrder(objects)
	var in bytes.Buffer
	for _, o := range objects {
		fmt.Fprintln(&in, o.id)
	}
	st, err := newStage(ctx, p.repo, p.packDir, in.Bytes())
	if err != nil {
		return err
	}
	defer st.remove() // the next Purge removes what is left after a failure
	promisor, err := os.ReadFile(from.base + ".promisor")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := inherit(p.repo, from, st.names); err != nil {
		return err
	}
	size, err := st.install(promisor)
	p.res.Bytes -= size
	return err
}

// Doomed returns the objects that an interrupted [Purge] was deleting; the next one goes on with them.
func Doomed(r *git.Repo) (map[git.ID]bool, error) { return readDoomed(r) }

// readDoomed returns what a killed Purge has not deleted yet.
func readDoomed(r *git.Repo) (map[git.ID]bool, error) {
	left := map[git.ID]bool{}
	data, err := git.ReadStateFile(filepath.Join(r.StateDir(), DoomedName))
	if errors.Is(err, fs.ErrNotExist) {
		return left, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		// The file is written in one step: another line is no id of ours to delete.
		if id := strings.TrimSpace(line); r.IsID(id) {
			left[git.ID(id)] = true
		}
	}
	return left, nil
}

// remember makes sure that what is about to be deleted will be, although what leads to
// it may be gone by then.
func (p *purger) remember() error {
	var b bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(p.doomed)) {
		fmt.Fprintln(&b, id)
	}
	return p.repo.WriteStateFile(DoomedName, b.Bytes())
}

func (p *purger) forget() error {
	err := os.Remove(filepath.Join(p.repo.StateDir(), DoomedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tidy writes anew what named the old packs and the deleted commits.
func (p *purger) tidy(ctx context.Context) error {
	p.res.Objects = len(p.gone)
	if len(p.gone) == 0 && len(p.left) == 0 { // a killed Purge may not have come to this
		return nil
	}
	err := errors.Join(p.repo.Close(), p.index.writeMidx(ctx), p.index.writeGraph(ctx))
	if p.res.Packs > 0 || len(p.left) > 0 {
		err = errors.Join(err, p.index.writeInfo(ctx))
	}
	return err
}

// pruneShallow removes deleted commits from the list of those whose parents are not
// here: a fetch that deepens a shallow clone would fail at them.
func (p *purger) pruneShallow() error {
	path := filepath.Join(p.repo.CommonDir(), "shallow")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || len(p.doomed) == 0 {
		return nil
	}
	kept := map[git.ID]bool{}
	for _, k := range p.res.Kept {
		for _, id := range k.Objects {
			kept[id] = true
		}
	}
	// Git's own lock: a fetch takes it, and does not wait either.
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("cannot lock '%s': %w", path, err)
	}
	defer os.Remove(lock.Name()) // of no effect once renamed
	data, err := os.ReadFile(path)
	var rest strings.Builder
	for line := range strings.Lines(string(data)) {
		if id := git.ID(strings.TrimSpace(line)); !p.doomed[id] || kept[id] {
			rest.WriteString(line)
		}
	}
	if err == nil {
		_, err = lock.WriteString(rest.String())
	}
	err = cmp.Or(err, lock.Close())
	switch {
	case err != nil:
		return err
	case rest.Len() == len(data):
		return nil
	case rest.Len() == 0:
		return os.Remove(path)
	}
	if err := p.repo.Sharing().Adjust(lock.Name()); err != nil {
		return err
	}
	fault.Point("before-shallow-rename")
	return os.Rename(lock.Name(), path)
}
