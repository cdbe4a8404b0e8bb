package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/fault"
)

// stagePrefix begins the name of the folder, beside the packs, in which a new one
// stands until it is complete. `git prune` clears such folders away, too.
const stagePrefix = "tmp_objdir-purge-"

// pack is one in an object directory.
type pack struct {
	base string // its path without an extension
	keep bool
}

// packsIn lists the packs of an object directory, by name.
func (r *Repo) packsIn(ctx context.Context, objectDir string) ([]pack, error) {
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
	var list []pack
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if ok && have[base+".pack"] {
			list = append(list, pack{filepath.Join(dir, base), have[base+".keep"]})
		}
	}
	return list, nil
}

// packedObject is an object in a pack.
type packedObject struct {
	offset int64
	id     ID
}

// contents lists the objects of a pack, in no order. fs.ErrNotExist: the pack was
// deleted meanwhile.
func (r *Repo) contents(ctx context.Context, k pack, each func(packedObject)) error {
	f, err := os.Open(k.base + ".idx")
	if err != nil {
		return err
	}
	defer f.Close()
	hexLen := r.hexLen()
	out := &lines{each: func(line []byte) error {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && isHex(fields[1], hexLen) {
			if at, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
				each(packedObject{at, ID(fields[1])})
				return nil
			}
		}
		return fmt.Errorf("git show-index: cannot understand '%s'", shown(string(line)))
	}}
	err = r.stream(ctx, command{args: []string{"show-index", "--object-format=" + r.format.hash}, file: f}, out)
	if err != nil {
		return fmt.Errorf("cannot read '%s': %w", f.Name(), err)
	}
	return nil
}

// holding lists, of some objects, those that a pack has.
func (r *Repo) holding(ctx context.Context, k pack, of map[ID]bool) ([]ID, error) {
	var found []ID
	err := r.contents(ctx, k, func(o packedObject) {
		if of[o.id] {
			found = append(found, o.id)
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return found, err
}

// replacePack writes a pack anew without what is to be deleted, and reports whether
// it held any of that. The new one is there before the old one goes.
func (p *purge) replacePack(ctx context.Context, k pack) (had bool, err error) {
	doomed, err := p.repo.holding(ctx, k, p.doomed)
	if err != nil || len(doomed) == 0 {
		return false, err
	}
	if fresh, err := p.freshened(k, doomed); err != nil || fresh {
		return err == nil, err
	}
	var rest []packedObject
	err = p.repo.contents(ctx, k, func(o packedObject) {
		if !p.doomed[o.id] {
			rest = append(rest, o)
		}
	})
	defer func() { err = errors.Join(err, letGo(p.packDir)) }()
	if err == nil && len(rest) > 0 {
		err = p.writePack(ctx, k, rest)
	}
	if err != nil {
		if _, gone := os.Stat(k.base + ".pack"); errors.Is(gone, fs.ErrNotExist) {
			return true, nil
		}
		return false, err
	}
	if wanted, err := p.wantedSince(ctx, k, doomed); err != nil || wanted { // to copy a pack takes its time
		return err == nil, err
	}
	if err := p.dropMidx(); err != nil { // it may name the pack
		return false, err
	}
	fault.Point("before-pack-dropped")
	size, err := removePack(k.base)
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

// wantedSince reports whether somebody has come to need what is to be deleted from a
// pack.
func (p *purge) wantedSince(ctx context.Context, k pack, doomed []ID) (bool, error) {
	if fresh, err := p.freshened(k, doomed); err != nil || fresh {
		return fresh, err
	}
	return p.named(ctx)
}

// freshened reports whether a pack is newer than the look around: whoever needs an object
// that is packed freshens the pack. Or a gc has made or deleted it, and what it made of
// that is looked at next.
func (p *purge) freshened(k pack, doomed []ID) (bool, error) {
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

// writePack packs objects that one pack holds, in its order, and marks the new pack as
// the old one is: its objects may be promised by a remote.
func (p *purge) writePack(ctx context.Context, from pack, objects []packedObject) error {
	slices.SortFunc(objects, func(a, b packedObject) int { return cmp.Compare(a.offset, b.offset) })
	var in bytes.Buffer
	for _, o := range objects {
		fmt.Fprintln(&in, o.id)
	}
	st, err := p.repo.stagePack(ctx, p.packDir, in.Bytes())
	if err != nil {
		return err
	}
	defer st.remove() // of a failure; the next Purge clears away what stays
	mark, err := os.ReadFile(from.base + ".promisor")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.repo.inheritPack(from, st.names); err != nil {
		return err
	}
	size, err := st.install(mark)
	p.res.Bytes -= size
	return err
}
