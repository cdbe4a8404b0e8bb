package pack

import (
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
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// packFile is a pack in an object directory.
type packFile struct {
	base string // its path without an extension
	keep bool   // it has a .keep file
}

// name returns the name that all files of a pack share: "pack-<hash>".
func (k packFile) name() string { return filepath.Base(k.base) }

// packsIn lists the packs of an object directory, by name.
func packsIn(objectDir string) ([]packFile, error) {
	dir := filepath.Join(objectDir, "pack")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Name()] = true
	}
	var list []packFile
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if ok && have[base+".pack"] {
			list = append(list, packFile{filepath.Join(dir, base), have[base+".keep"]})
		}
	}
	return list, nil
}

// packedObject is an object in a pack.
type packedObject struct {
	offset int64
	id     git.ID
}

// eachObject lists the objects of a pack, in no order. fs.ErrNotExist: the pack was
// deleted meanwhile.
func eachObject(ctx context.Context, r *git.Repo, k packFile, each func(packedObject)) error {
	f, err := os.Open(k.base + ".idx")
	if err != nil {
		return err
	}
	defer f.Close()
	err = r.EachLine(ctx, git.LineOptions{Input: f}, func(line []byte) error {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && r.IsID(fields[1]) {
			if at, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
				each(packedObject{at, git.ID(fields[1])})
				return nil
			}
		}
		return fmt.Errorf("git show-index: cannot understand '%s'", git.Shown(string(line)))
	}, "show-index", "--object-format="+r.ObjectFormat())
	if err != nil {
		return fmt.Errorf("cannot read '%s': %w", f.Name(), err)
	}
	return nil
}

// inPackOrder sorts the objects of a pack as they follow each other in it.
func inPackOrder(objects []packedObject) {
	slices.SortFunc(objects, func(a, b packedObject) int { return cmp.Compare(a.offset, b.offset) })
}

// containedIn lists which of some objects a pack contains; none of a pack that was
// deleted meanwhile.
func containedIn(ctx context.Context, r *git.Repo, k packFile, of map[git.ID]bool) ([]git.ID, error) {
	var found []git.ID
	err := eachObject(ctx, r, k, func(o packedObject) {
		if of[o.id] {
			found = append(found, o.id)
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return found, err
}

// packExtensions are the files of a pack in the order in which git deletes them: the
// .idx, which makes the pack visible, is first.
var packExtensions = [...]string{".idx", ".pack", ".rev", ".bitmap", ".mtimes", ".promisor"}

// removePack deletes a pack and returns its size in bytes.
func removePack(base string) (size int64, err error) {
	for _, ext := range packExtensions {
		info, err := os.Stat(base + ext)
		if err == nil {
			if err = os.Remove(base + ext); err == nil {
				fault.Point("after-pack-file-dropped")
				size += info.Size()
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return size, err
		}
	}
	return size, nil
}

// examined is a pack that may be joined with others.
type examined struct {
	packFile
	objects int
	size    int64 // bytes
	made    int64 // when, in nanoseconds
}

// packs lists the packs that may be joined: those of ours, or all others. Packs with a
// .keep file or a bitmap, promised packs and cruft packs are not among them, nor those that a git repack of the
// user's has not given their names yet: it would fail without them.
func (p *packer) packs(ctx context.Context, ours bool) ([]examined, error) {
	all, err := packsIn(p.repo.ObjectDir())
	if err != nil {
		return nil, err
	}
	var list []examined
	for _, k := range all {
		if k.keep || strings.HasPrefix(k.name(), ".tmp-") || slices.Contains(p.state.Packs, k.name()) != ours ||
			disk.Exists(k.base+".promisor") || disk.Exists(k.base+".bitmap") || disk.Exists(k.base+".mtimes") {
			continue
		}
		e, err := k.examine()
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken in by a gc of the user's
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// examine reads how many objects a pack contains from its header (gitformat-pack(5)).
func (k packFile) examine() (examined, error) {
	f, err := os.Open(k.base + ".pack")
	if err != nil {
		return examined{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return examined{}, err
	}
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:4]) != "PACK" {
		return examined{}, fmt.Errorf("'%s' is no pack: %w", f.Name(), cmp.Or(err, errors.New("it does not begin as one")))
	}
	objects := int(binary.BigEndian.Uint32(head[8:]))
	return examined{packFile: k, objects: objects, size: info.Size(), made: info.ModTime().UnixNano()}, nil
}

// adopt makes packs ours that contain nothing but memory: what was found to be new in
// it, and what is in packs of ours. A fetch leaves such a pack, and fifty of them would
// start the user's gc. After a loss of the state it also finds the packs of ours again.
func (p *packer) adopt(ctx context.Context, all map[git.ID]bool) error {
	others, err := p.packs(ctx, false)
	if err != nil {
		return err
	}
	own, err := p.packs(ctx, true)
	if err != nil {
		return err
	}
	most := len(all)
	for _, o := range own {
		most += o.objects
	}
	others = slices.DeleteFunc(others, func(o examined) bool { return o.objects > most })
	if len(others) == 0 || len(all) == 0 {
		return nil
	}
	for _, o := range own {
		if err := eachObject(ctx, p.repo, o.packFile, func(o packedObject) { all[o.id] = true }); err != nil {
			return err
		}
	}
	for _, o := range others {
		memory := o.objects > 0
		err := eachObject(ctx, p.repo, o.packFile, func(o packedObject) { memory = memory && all[o.id] })
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
