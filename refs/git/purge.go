package git

import (
	"bytes"
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
)

// KeptBy says what kind of thing keeps an object.
type KeptBy string

// What keeps an object that Purge was asked to delete.
const (
	KeptByRef       KeptBy = "ref"       // one that still reaches it
	KeptByReflog    KeptBy = "reflog"    // an entry of one reaches it; which one is not known
	KeptByWorktree  KeptBy = "worktree"  // an index, or a merge, rebase or bisection under way
	KeptByPack      KeptBy = "pack"      // one with a .keep file
	KeptByAlternate KeptBy = "alternate" // another repository's objects, which this one borrows
	KeptByWriter    KeptBy = "writer"    // another process writes it again and again
)

// Kept is what Purge could not delete for one reason.
type Kept struct {
	By      KeptBy
	Name    string // of the ref, of the pack's file, the alternate's path; else ""
	Objects []ID   // in order
}

// PurgeResult is what Purge deleted, and what it could not.
type PurgeResult struct {
	Objects int    // that are gone
	Bytes   int64  // by which the files of the object directory are smaller
	Packs   int    // that were written anew or deleted
	Kept    []Kept // of what was asked for, and of what only that reaches
}

const (
	purgeLock  = "purge"
	purgeState = "purge" // the objects that a Purge is deleting, an id on a line

	// purgeRounds is how often Purge looks anew: a gc beside it may pack once more
	// what it was about to delete.
	purgeRounds = 4
)

// Purge deletes objects for good: those that old names, commits mostly, and all that
// they reach, without what anything else reaches: a ref, a HEAD, a reflog or an index
// of any worktree, or an operation under way there. ORIG_HEAD and FETCH_HEAD count as
// little as they do for git. An id that does not exist is passed over.
//
// Loose objects are unlinked. A pack that holds any is written anew without them, and
// is there before the old one goes; an index of several packs and the commit-graph are
// written anew. Packs with a .keep file and borrowed objects stay, and are reported.
//
// Only these exact objects go, and of them none that another process has written, or
// freshened, since they were found to be unreachable. What cannot be seen is a writer
// that has done so before and makes a ref of it later: the caller holds the locks of
// the branches whose history this is. A repository that borrows from this one is not
// looked at.
//
// It may be killed at any moment: nothing that is needed is gone, and the next Purge,
// of whatever, finishes. Other processes may read meanwhile. It costs a walk over all
// that the repository reaches, and the copying of the packs.
func (r *Repo) Purge(ctx context.Context, old []ID) (PurgeResult, error) {
	lock, err := r.Lock(ctx, purgeLock)
	if err != nil {
		return PurgeResult{}, err
	}
	defer lock.Unlock()
	p := &purge{repo: r}
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
	if err := p.forgetShallow(); err != nil {
		return p.res, err
	}
	if again {
		return p.res, nil // the next Purge looks for the rest
	}
	return p.res, p.forget()
}

// purge is one Purge under way.
type purge struct {
	repo    *Repo
	packDir string
	partial bool        // objects may be missing, and must not be fetched
	asked   []ID        // by the caller
	left    map[ID]bool // by an earlier Purge that was killed
	doomed  map[ID]bool // what nothing else reaches
	reached map[ID]bool // of asked, what something else does
	fresh   map[ID]bool // of doomed, what others wrote meanwhile
	since   time.Time   // when doomed was found out, by the file system's clock
	gone    map[ID]bool
	hadMidx midx
	res     PurgeResult
}

// begin refuses what must not be touched, and clears away what a killed Purge left.
func (p *purge) begin(ctx context.Context, old []ID) error {
	for _, id := range old {
		if !isHex(string(id), p.repo.hexLen()) {
			return fmt.Errorf("'%s' is no object id", shown(string(id)))
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
	p.packDir = filepath.Join(p.repo.objectDir, "pack")
	p.gone, p.asked = map[ID]bool{}, slices.Compact(slices.Sorted(slices.Values(old)))
	packing := &packing{repo: p.repo, packDir: p.packDir}
	if err := packing.begin(ctx); err != nil { // finishes what was left of either
		return err
	}
	if p.partial, err = p.repo.promised(); err != nil {
		return err
	}
	p.left, err = p.remembered()
	return err
}

// round finds out what is to be deleted and where it is, and deletes it. It reports
// whether a look around is needed once more.
func (p *purge) round(ctx context.Context) (again bool, err error) {
	if p.doomed == nil || len(p.fresh) > 0 {
		if err := p.condemn(ctx); err != nil {
			return false, err
		}
	}
	if len(p.doomed) == 0 {
		return false, nil
	}
	// Its packs must not be open, and it must see the new ones.
	if err := p.repo.cat.close(); err != nil {
		return false, err
	}
	packs, err := p.repo.packsIn(ctx, p.repo.objectDir)
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

// named reports whether a ref names by now what is to be deleted: a fetch makes one
// without writing an object, where all of them are still here. Then nothing is doomed
// any more, until the next look around.
func (p *purge) named(ctx context.Context) (bool, error) {
	out, err := p.repo.Run(ctx, "for-each-ref", "--format=%(objectname)")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		if p.doomed[ID(strings.TrimSpace(line))] {
			p.doomed = nil
			return true, nil
		}
	}
	return false, nil
}

// unlink deletes loose objects. It reports whether there were any.
func (p *purge) unlink() (had bool, err error) {
	for _, id := range slices.Sorted(maps.Keys(p.doomed)) {
		path := p.repo.loosePath(id)
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

// remembered is what a Purge that was killed had yet to delete.
func (p *purge) remembered() (map[ID]bool, error) {
	left := map[ID]bool{}
	data, err := os.ReadFile(p.repo.statePath(purgeState))
	if errors.Is(err, fs.ErrNotExist) {
		return left, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		// Its state is written whole: another line is no id of ours to delete.
		if id := strings.TrimSpace(line); isHex(id, p.repo.hexLen()) {
			left[ID(id)] = true
		}
	}
	return left, nil
}

// remember makes sure that what is about to be deleted is deleted, although what
// leads to it may be gone by then.
func (p *purge) remember() error {
	var b bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(p.doomed)) {
		fmt.Fprintln(&b, id)
	}
	return p.repo.WriteStateFile(purgeState, b.Bytes())
}

func (p *purge) forget() error {
	err := os.Remove(p.repo.statePath(purgeState))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tidy writes anew what named the old packs and the deleted commits.
func (p *purge) tidy(ctx context.Context) error {
	p.res.Objects = len(p.gone)
	if len(p.gone) == 0 && len(p.left) == 0 { // one that was killed may not have come to this
		return nil
	}
	return errors.Join(p.repo.cat.close(), p.writeMidx(ctx), p.writeGraph(ctx), p.writeInfo(ctx))
}
