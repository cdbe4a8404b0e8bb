package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// looseObject is one to be packed.
type looseObject struct {
	id   ID
	name string // what a tree calls it: git compares those of one name to find deltas
}

// look lists what tips reach: all of it, and which are loose objects of the repository's
// own directory. What the tips of the last time reach is not looked at again, so that the
// cost is that of what is new.
func (p *packing) look(ctx context.Context, o PackOptions) (loose []looseObject, all map[ID]bool, err error) {
	all = map[ID]bool{}
	if len(o.Tips) == 0 {
		return nil, all, nil
	}
	var in bytes.Buffer
	for _, id := range o.Tips {
		fmt.Fprintln(&in, id)
	}
	if !o.Whole {
		for _, id := range p.state.Tips {
			fmt.Fprintln(&in, "^"+id)
		}
	}
	args := []string{"rev-list", "--objects", "--ignore-missing", "--stdin"}
	if promised, err := p.repo.promised(); err != nil {
		return nil, nil, err
	} else if promised {
		args = append(args, missingAllowed) // nothing is fetched
	}
	return loose, all, p.repo.objectLines(ctx, args, in.Bytes(), func(o looseObject) error {
		all[o.id] = true
		info, err := os.Lstat(p.repo.loosePath(o.id))
		if errors.Is(err, fs.ErrNotExist) || p.doomed[o.id] { // packed, or borrowed
			return nil
		}
		if err == nil && info.Mode().IsRegular() {
			loose = append(loose, o)
		}
		return err
	})
}

// objectLines reads what `git rev-list --objects` prints. Of a path it takes the last
// part, which is all that a tree knows.
func (r *Repo) objectLines(ctx context.Context, args []string, stdin []byte, each func(looseObject) error) error {
	out := &lines{each: func(line []byte) error {
		id, name, _ := strings.Cut(string(line), " ")
		if !isHex(id, r.hexLen()) {
			return fmt.Errorf("git rev-list: cannot understand '%s'", shown(string(line)))
		}
		if name != "" {
			name = path.Base(name)
		}
		return each(looseObject{ID(id), name})
	}}
	return r.stream(ctx, command{args: args, stdin: stdin}, out)
}

// rename gives loose objects the names of their kin.
func (p *packing) rename(ctx context.Context, loose []looseObject, kin map[string]func([]byte) string) error {
	var ids []ID
	at := map[ID]int{}
	for i, o := range loose {
		if kin[o.name] != nil {
			ids, at[o.id] = append(ids, o.id), i
		}
	}
	return p.repo.ReadAll(ctx, ids, func(o Object) error {
		l := &loose[at[o.ID]]
		if name := kin[l.name](o.Data); name != "" && o.Type == "blob" {
			l.name = name
		}
		return nil
	})
}

// objectClock is the time by the clock that objects get theirs from, which may be
// another machine's.
func (r *Repo) objectClock() (time.Time, error) {
	f, err := disk.CreateTemp(r.objectDir, "tmp_obj_", 0o444)
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(f.Name())
	info, err := f.Stat()
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// unlinkStep is how many loose objects go between two looks at the packs that hold them.
const unlinkStep = 256

// unlink removes loose objects that new packs hold. One that was written or freshened
// since they were looked at stays: whoever did so counts on its age. Should a pack be
// gone, a gc of the user's has taken it in, and clears the rest away itself. One that
// cannot be removed, as another user's, stays beside its copy: the error names the first.
func (p *packing) unlink(ids []ID, packs []string) (failed error) {
	for step := range slices.Chunk(ids, unlinkStep) {
		for _, name := range packs {
			for _, ext := range []string{".pack", ".idx"} {
				if _, err := os.Stat(filepath.Join(p.packDir, name+ext)); errors.Is(err, fs.ErrNotExist) {
					return failed
				} else if err != nil {
					return err
				}
			}
		}
		for _, id := range step {
			if err := p.unlinkOne(p.repo.loosePath(id)); failed == nil {
				failed = err
			}
		}
	}
	return failed
}

func (p *packing) unlinkOne(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.ModTime().After(p.since) {
		if err = os.Remove(path); err == nil {
			p.res.Objects++
			p.res.Bytes += info.Size()
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// looseOf lists the loose objects that are among some.
func (p *packing) looseOf(have map[ID]bool) ([]ID, error) {
	var ids []ID
	err := p.repo.eachLooseDir(func(prefix string, files []os.DirEntry) error {
		for _, f := range files {
			if id := ID(prefix + f.Name()); have[id] {
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}

// eachLooseDir visits the folders that loose objects stand in.
func (r *Repo) eachLooseDir(visit func(prefix string, files []os.DirEntry) error) error {
	for i := range 256 {
		prefix := fmt.Sprintf("%02x", i)
		files, err := os.ReadDir(filepath.Join(r.objectDir, prefix))
		if disk.IsAbsent(err) {
			continue
		}
		if err == nil {
			err = visit(prefix, files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
