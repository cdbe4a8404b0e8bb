package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// MostTakenOut is the size in bytes of the largest pack from which [TakeOut] takes objects: it reads all of them.
const MostTakenOut = 1 << 30

// ErrLarge is the error of [TakeOut] for a larger pack.
var ErrLarge = errors.New("the pack is larger than " + strconv.Itoa(MostTakenOut>>20) + " MB")

// Holding lists the packs of the repository's own directory that have one of some objects, or what is left of it, and that
// git uses.
func Holding(r *git.Repo, ids ...git.ID) ([]string, error) {
	packs, err := packsIn(r.ObjectDir())
	if err != nil {
		return nil, err
	}
	var list []string
	for _, k := range packs {
		usable, err := isUsable(k.base+".pack", len(r.ZeroID())/2)
		if err == nil && usable { // else git passes over it
			usable, err = git.InIndex(k.base+".idx", ids)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a gc may have removed it
			return nil, err
		}
		if usable && err == nil {
			list = append(list, k.base+".pack")
		}
	}
	return list, nil
}

// AsidePath returns where [TakeOut] moves a pack: git passes over files of that name.
func AsidePath(path string) string { return path + asideOf(trimPack(path)) }

func trimPack(path string) string { return path[:len(path)-len(".pack")] }

// asideOf returns what is added to the names of a pack's files. A pack of that name may have been moved before.
func asideOf(base string) string {
	const end = ".damaged"
	for n := 1; ; n++ {
		add := end
		if n > 1 {
			add += strconv.Itoa(n)
		}
		if !disk.Exists(base + ".pack" + add) {
			return add
		}
	}
}

// TakeOut packs again all that can be read of a pack of which some objects are damaged, and moves the pack aside; so these are lost,
// unless they are elsewhere. It returns them. It does nothing where all can be read. What a remote promises stays so, and a pack with a
// .keep file is followed by one.
//
// The new pack is whole before the old one is moved. A process that is killed in between leaves both, or the old one without
// its index, which [IsAside] tells and [MoveAside] finishes. Like [Purge] it waits for its lock, and refuses under extensions.preciousObjects.
func TakeOut(ctx context.Context, r *git.Repo, path string) (damaged []git.ID, err error) {
	lock, err := r.Lock(ctx, lockName)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if err := mayTakeOut(ctx, r, path); err != nil {
		return nil, err
	}
	from := packFile{base: trimPack(path), keep: disk.Exists(trimPack(path) + ".keep")}
	var objects []packedObject
	if err := eachObject(ctx, r, from, func(o packedObject) { objects = append(objects, o) }); err != nil {
		return nil, err
	}
	inPackOrder(objects)
	ids := make([]git.ID, len(objects))
	for i, o := range objects {
		ids[i] = o.id
	}
	damaged, err = r.Damaged(ctx, ids)
	if len(damaged) == 0 || err != nil {
		return nil, err
	}
	skip := map[git.ID]bool{}
	for _, id := range damaged {
		skip[id] = true
	}
	var in bytes.Buffer
	for _, id := range ids {
		if !skip[id] {
			fmt.Fprintln(&in, id)
		}
	}
	defer func() { err = errors.Join(err, removeKeepFiles(filepath.Dir(path))) }()
	if in.Len() > 0 {
		if err := packAgain(ctx, r, from, in.Bytes()); err != nil {
			return nil, err
		}
	}
	return damaged, MoveAside(ctx, r, path)
}

func mayTakeOut(ctx context.Context, r *git.Repo, path string) error {
	cfg, err := r.Config(ctx)
	if err != nil {
		return err
	}
	if precious, err := cfg.PreciousObjects(); err != nil {
		return err
	} else if precious {
		return errors.New("this repository's packs are left as they are: extensions.preciousObjects is set")
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > MostTakenOut {
		err = ErrLarge
	}
	return err
}

// packAgain packs objects of a pack, in its order, and marks the new pack as that is.
func packAgain(ctx context.Context, r *git.Repo, from packFile, input []byte) error {
	promisor, err := os.ReadFile(from.base + ".promisor")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		promisor = nil
	case err != nil:
		return err
	case promisor == nil:
		promisor = []byte{}
	}
	var keep []byte
	if from.keep {
		if keep, err = os.ReadFile(from.base + ".keep"); err != nil {
			return err
		}
	}
	st, err := newStage(ctx, r, filepath.Dir(from.base), input)
	if err != nil {
		return err
	}
	if _, err := st.install(promisor); err != nil {
		return errors.Join(err, st.remove())
	}
	for _, name := range st.names {
		if from.keep {
			err = errors.Join(err, disk.Replace(filepath.Join(st.to, name+".keep"), keep, 0o444, st.shared))
		}
	}
	return errors.Join(err, st.remove(), syncFolder(st.to))
}

// syncFolder writes the names of a folder to the disk, where the system can.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	_ = f.Sync() // some file systems have no such thing
	return nil
}

// IsAside reports whether a pack without an index is one that [TakeOut] has begun to move.
func IsAside(path string) bool {
	base := trimPack(path)
	return !disk.Exists(base+".idx") && disk.Exists(base+".idx"+asideOf(base))
}

// MoveAside moves the files of a pack, first the index, which makes it visible, and has the indexes of packs written anew.
func MoveAside(ctx context.Context, r *git.Repo, path string) error {
	index := indexes{repo: r, packDir: filepath.Dir(path)}
	if err := errors.Join(r.Close(), index.dropMidx()); err != nil { // it may name the pack
		return err
	}
	base := trimPack(path)
	add := asideOf(base)
	for _, ext := range append(packExtensions[:], ".keep") {
		if ext == ".pack" {
			continue // last: it tells how the others are called
		}
		if err := os.Rename(base+ext, base+ext+add); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		fault.Point("after-pack-file-aside")
	}
	if err := os.Rename(path, path+add); err != nil {
		return err
	}
	err := index.writeInfo(ctx)
	if git.ExitCode(err) > 0 { // git lists the packs after the refs, of which one may be lost now; the next gc does so again
		err = nil
	}
	index.had = min(index.had, plainMidx) // git makes no bitmap where something is lost
	return errors.Join(err, r.Close(), index.writeMidx(ctx))
}
