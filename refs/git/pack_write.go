package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// stagedPack is a pack that stands complete in a folder of its own, beside the place
// where it belongs. There may be more than one file of it, by pack.packSizeLimit.
type stagedPack struct {
	dir   string   // the folder
	to    string   // where packs are
	names []string // "pack-<hash>", see nameAnew

	shared disk.Perm
}

// stagePack packs objects: a name on each line of input, and behind it what a tree calls
// the object. What git leaves of it when it is killed stands in the folder too.
func (r *Repo) stagePack(ctx context.Context, packDir string, input []byte) (*stagedPack, error) {
	if err := r.sharing().Mkdir(packDir); err != nil {
		return nil, err
	}
	st := &stagedPack{dir: filepath.Join(packDir, stagePrefix+disk.RandomName()), to: packDir, shared: r.sharing()}
	if err := st.shared.Mkdir(st.dir); err != nil {
		return nil, err
	}
	out := &lines{each: func(line []byte) error {
		if !isHex(string(line), r.hexLen()) {
			return fmt.Errorf("git pack-objects: cannot understand '%s'", shown(string(line)))
		}
		st.names = append(st.names, "pack-"+string(line))
		return nil
	}}
	// Its temporary files go into the object directory: here, the folder.
	others := quotePath(r.objectDir)
	if more := r.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"); more != "" {
		others += string(os.PathListSeparator) + more
	}
	env := append(without(without(r.childEnv, "GIT_OBJECT_DIRECTORY"), "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
		"GIT_OBJECT_DIRECTORY="+st.dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+others)
	how := "-q"
	if r.progress != nil {
		how = "--progress"
	}
	err := r.stream(ctx, command{stdin: input, env: env, also: r.progress,
		args: []string{"pack-objects", how, "--delta-base-offset", filepath.Join(st.dir, "pack")}}, out)
	if err == nil {
		err = st.nameAnew(r.hexLen())
	}
	if err != nil {
		return nil, errors.Join(err, st.remove())
	}
	return st, nil
}

// nameAnew gives the packs names that nobody else comes upon. git's are hashes of what is
// in a pack: where somebody packs the same at this moment, a pack of that name may be
// among those that a `git repack -a -d` is about to delete, and a .keep file of ours would
// have it leave those objects out of the new one, too.
func (st *stagedPack) nameAnew(hexLen int) error {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return err
	}
	for i, was := range st.names {
		st.names[i] = "pack-" + randomHex(hexLen)
		for _, e := range entries {
			if ext, ok := strings.CutPrefix(e.Name(), was+"."); ok {
				if err := os.Rename(filepath.Join(st.dir, e.Name()), filepath.Join(st.dir, st.names[i]+"."+ext)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// quotePath writes a path as git reads it in a list of paths.
func quotePath(path string) string {
	if strings.HasPrefix(path, `"`) || strings.ContainsRune(path, os.PathListSeparator) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
	}
	return path
}

func (st *stagedPack) remove() error { return os.RemoveAll(st.dir) }

// heldMark is what stands in a .keep file of ours.
const heldMark = "git-context is replacing packs\n"

// install moves the packs to their place, and returns their size. The .idx, which is
// what makes a pack be seen, comes last; before it a file that says that its objects were
// promised by a remote, if mark is not nil.
//
// The new packs are held by a .keep file until the caller, who then removes what they
// stand for, lets go of them. Else a `git repack --geometric` that begins in between would
// leave out of its own pack what an old pack holds, and remove the new one, while we
// remove the old.
func (st *stagedPack) install(mark []byte) (size int64, err error) {
	for _, name := range st.names {
		if err := disk.Replace(filepath.Join(st.dir, name+".keep"), []byte(heldMark), 0o444, st.shared); err != nil {
			return size, err
		}
		if mark != nil {
			if err := disk.Replace(filepath.Join(st.dir, name+".promisor"), mark, 0o666, st.shared); err != nil {
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

// installOne moves the files of one pack. Where that fails halfway, what was moved is of
// no use without an .idx.
func (st *stagedPack) installOne(name string) (size int64, err error) {
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
			return 0, errors.Join(err, st.takeBack(files[:i]))
		}
		if i > 0 {
			size += info.Size()
		}
	}
	return size, nil
}

// takeBack removes files of a pack that has no .idx.
func (st *stagedPack) takeBack(files []string) error {
	for _, file := range slices.Backward(files) {
		if err := os.Remove(filepath.Join(st.to, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// letGo takes our .keep files away. Those that people made stay.
func letGo(packDir string) error {
	found, err := disk.Glob(packDir, "*.keep")
	if err != nil {
		return err
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err == nil && string(data) == heldMark {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// packFiles are the files of a pack in the order in which git deletes them: what makes
// it be seen comes first.
var packFiles = [...]string{".idx", ".pack", ".rev", ".bitmap", ".mtimes", ".promisor"}

// removePack deletes a pack and returns its size.
func removePack(base string) (size int64, err error) {
	for _, ext := range packFiles {
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
