package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// missingAllowed makes a walk pass over missing objects, and not fetch them.
const missingAllowed = "--missing=allow-any"

// looseObject is a loose object to be packed.
type looseObject struct {
	id   git.ID
	name string // in a tree: git compares objects of one name to find deltas
}

// look lists what tips reach: all of it, and the part that is loose in the repository's
// own directory. What the tips of the last Run reach is not walked again, so that the
// cost is that of what is new.
func (p *packer) look(ctx context.Context, o Options) (loose []looseObject, all map[git.ID]bool, err error) {
	all = map[git.ID]bool{}
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
	args := []string{"--ignore-missing"}
	if partial, err := p.repo.Partial(); err != nil {
		return nil, nil, err
	} else if partial {
		args = append(args, missingAllowed)
	}
	return loose, all, walkNamed(ctx, p.repo, &in, func(o looseObject) error {
		all[o.id] = true
		info, err := os.Lstat(p.repo.LoosePath(o.id))
		if errors.Is(err, fs.ErrNotExist) || p.doomed[o.id] { // packed, or borrowed
			return nil
		}
		if err == nil && info.Mode().IsRegular() {
			loose = append(loose, o)
		}
		return err
	}, args...)
}

// walkNamed lists what revisions reach, each object with the last part of its path: a
// tree knows no more.
func walkNamed(ctx context.Context, r *git.Repo, revs io.Reader, each func(looseObject) error, args ...string) error {
	full := append(append([]string{"rev-list", "--objects"}, args...), "--stdin")
	return r.EachLine(ctx, git.LineOptions{Input: revs}, func(line []byte) error {
		id, name, _ := strings.Cut(string(line), " ")
		if !r.IsID(id) {
			return fmt.Errorf("git rev-list: cannot understand '%s'", git.Shown(string(line)))
		}
		if name != "" {
			name = path.Base(name)
		}
		return each(looseObject{git.ID(id), name})
	}, full...)
}

// rename gives loose objects the names of their groups, see [Options.Kin].
func (p *packer) rename(ctx context.Context, loose []looseObject, kin map[string]func([]byte) string) error {
	var ids []git.ID
	at := map[git.ID]int{}
	for i, o := range loose {
		if kin[o.name] != nil {
			ids, at[o.id] = append(ids, o.id), i
		}
	}
	return p.repo.ReadAll(ctx, ids, func(o git.Object) error {
		l := &loose[at[o.ID]]
		if name := kin[l.name](o.Data); name != "" && o.Type == "blob" {
			l.name = name
		}
		return nil
	})
}

// unlinkStep is how many loose objects are removed between two looks at the packs that
// contain them.
const unlinkStep = 256

// unlink removes loose objects that new packs contain. One that was written or freshened
// since it was looked at stays: its writer relies on its age. If a pack is gone, the
// user's gc has taken it in and removes the other loose objects itself. One that cannot
// be removed, as another user's, stays beside its copy: the error names the first.
func (p *packer) unlink(ids []git.ID, packs []string) (failed error) {
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
			if err := p.unlinkOne(p.repo.LoosePath(id)); failed == nil {
				failed = err
			}
		}
	}
	return failed
}

func (p *packer) unlinkOne(path string) error {
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
