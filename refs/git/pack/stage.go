package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// stagePrefix begins the name of the folder, beside the packs, in which a new pack is
// written. `git prune` removes such folders, too.
const stagePrefix = "tmp_objdir-purge-"

// stage is a folder with a complete pack, beside the place where it belongs. With
// pack.packSizeLimit it may contain several packs.
type stage struct {
	dir    string   // the folder
	to     string   // the directory of packs
	names  []string // "pack-<hash>", see newStage
	shared disk.Perm
}

// newStage packs objects as stageOnce does, under names that no pack here has: where
// another process packs the same objects at this moment, a pack of that name may be among
// those that its `git repack -a -d` is about to delete, and our .keep file would have it
// leave these objects out of the new one.
//
// Git names a pack by its checksum, and go-git from 5.17 on reads nothing packed in a
// repository with a pack of any other name. A random order of the objects gives other
// bytes. Where that fails, which only a handful of objects can, the name is random: go-git
// cannot read the repository then, but no object is lost.
func newStage(ctx context.Context, r *git.Repo, packDir string, input []byte) (*stage, error) {
	const tries = 3
	for try := 1; ; try++ {
		st, err := stageOnce(ctx, r, packDir, shuffle(input))
		if err != nil || !st.taken() {
			return st, err
		}
		if try == tries {
			if err := st.renamePacks(len(r.ZeroID())); err != nil {
				return nil, errors.Join(err, st.remove())
			}
			return st, nil
		}
		if err := st.remove(); err != nil {
			return nil, err
		}
	}
}

// shuffle returns the lines of input with the first of them in random order. The others
// keep their order, which puts objects that are read together next to each other.
func shuffle(input []byte) []byte {
	const most = 64
	list := slices.Collect(bytes.Lines(input))
	rand.Shuffle(min(len(list), most), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return bytes.Join(list, nil)
}

// taken reports whether a file of a pack with such a name exists.
func (st *stage) taken() bool {
	for _, name := range st.names {
		for _, ext := range append(packExtensions[:], ".keep") {
			if _, err := os.Lstat(filepath.Join(st.to, name+ext)); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
	}
	return false
}

// stageOnce packs objects: each line of input is a name, a space, and what a tree calls
// the object. What git leaves there when it is killed is in the folder too.
func stageOnce(ctx context.Context, r *git.Repo, packDir string, input []byte) (*stage, error) {
	if err := r.Sharing().Mkdir(packDir); err != nil {
		return nil, err
	}
	st := &stage{dir: filepath.Join(packDir, stagePrefix+disk.RandomName()), to: packDir, shared: r.Sharing()}
	if err := st.shared.Mkdir(st.dir); err != nil {
		return nil, err
	}
	// Git puts its temporary files into the object directory: here, the folder.
	others := quotePath(r.ObjectDir())
	if more := r.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"); more != "" {
		others += string(os.PathListSeparator) + more
	}
	how := "-q"
	if r.Progress() != nil {
		how = "--progress"
	}
	err := r.EachLine(ctx, git.LineOptions{
		Env:      []string{"GIT_OBJECT_DIRECTORY=" + st.dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + others},
		Input:    bytes.NewReader(input),
		Progress: r.Progress(),
	}, func(line []byte) error {
		if !r.IsID(string(line)) {
			return fmt.Errorf("git pack-objects: cannot understand '%s'", git.Shown(string(line)))
		}
		st.names = append(st.names, "pack-"+string(line))
		return nil
	}, "pack-objects", how, "--delta-base-offset", filepath.Join(st.dir, "pack"))
	if err != nil {
		return nil, errors.Join(err, st.remove())
	}
	return st, nil
}

// renamePacks gives the packs random names.
func (st *stage) renamePacks(hexLen int) error {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return err
	}
	for i, was := range st.names {
		st.names[i] = "pack-" + randomHex(hexLen)
		for _, e := range entries {
			if ext, ok := strings.CutPrefix(e.Name(), was+"."); ok {
				err := os.Rename(filepath.Join(st.dir, e.Name()), filepath.Join(st.dir, st.names[i]+"."+ext))
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// randomHex returns n random hexadecimal digits.
func randomHex(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%016x", rand.Uint64())
	}
	return b.String()[:n]
}

// quotePath writes a path as git reads it in a list of paths.
func quotePath(path string) string {
	if strings.HasPrefix(path, `"`) || strings.ContainsRune(path, os.PathListSeparator) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
	}
	return path
}

func (st *stage) remove() error { return os.RemoveAll(st.dir) }

// keepMark is the content of a .keep file of ours.
const keepMark = "git-context is replacing packs\n"

// install moves the packs to their place, and returns their size in bytes. The .idx,
// which makes a pack visible, comes last; a .promisor file with the content promisor
// comes before it, if that is not nil.
//
// A .keep file protects the new packs until the caller, who removes what they replace,
// calls removeKeepFiles. Otherwise a `git repack --geometric` that begins in between
// would leave what an old pack contains out of its own pack, and remove the new one
// while we remove the old.
func (st *stage) install(promisor []byte) (size int64, err error) {
	for _, name := range st.names {
		if err := disk.Replace(filepath.Join(st.dir, name+".keep"), []byte(keepMark), 0o444, st.shared); err != nil {
			return size, err
		}
		if promisor != nil {
			if err := disk.Replace(filepath.Join(st.dir, name+".promisor"), promisor, 0o666, st.shared); err != nil {
				return size, err
			}
		}
		n, err := st.installOne(name)
		if size += n; err != nil {
			return size, err
		}
	}
	return size, nil
}

// installOne moves the files of one pack. If that fails halfway it removes what was
// moved, which is useless without an .idx.
func (st *stage) installOne(name string) (size int64, err error) {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return 0, err
	}
	files := []string{name + ".keep"}
	for _, e := range entries {
		if base, ext, _ := strings.Cut(e.Name(), "."); base == name && ext != "keep" && ext != "idx" {
			files = append(files, e.Name())
		}
	}
	files = append(files, name+".idx")
	for i, file := range files {
		from := filepath.Join(st.dir, file)
		info, err := os.Stat(from)
		if err == nil {
			fault.Point("before-pack-rename")
			err = os.Rename(from, filepath.Join(st.to, file))
		}
		if err != nil {
			return 0, errors.Join(err, st.removeInstalled(files[:i]))
		}
		if i > 0 {
			size += info.Size()
		}
	}
	return size, nil
}

// removeInstalled removes files of a pack that has no .idx.
func (st *stage) removeInstalled(files []string) error {
	for _, file := range slices.Backward(files) {
		if err := os.Remove(filepath.Join(st.to, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeKeepFiles removes the .keep files of ours. Those of people stay.
func removeKeepFiles(packDir string) error {
	found, err := disk.Glob(packDir, "*.keep")
	if err != nil {
		return err
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err == nil && string(data) == keepMark {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
