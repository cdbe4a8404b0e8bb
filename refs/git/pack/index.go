package pack

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// midxName is the file of the multi-pack-index, and begins the names of what belongs to
// it.
const midxName = "multi-pack-index"

const (
	// indexTimeout bounds writing an index, a child of git's.
	indexTimeout = time.Hour
	// indexWait is how long another process may write the same index, and indexPoll the
	// pause between two tries.
	indexWait = time.Minute
	indexPoll = 100 * time.Millisecond
)

// midxKind is the kind of a multi-pack-index.
type midxKind uint8

const (
	noMidx midxKind = iota
	plainMidx
	bitmapMidx
)

// indexes are the files of an object directory that name packs and commits, and must be
// written anew when those are deleted.
type indexes struct {
	repo    *git.Repo
	packDir string
	had     midxKind // the multi-pack-index that dropMidx deleted
}

// dropMidx deletes the multi-pack-index before a pack that it may name is deleted, as
// `git repack` does: a reader finds everything without it.
func (i *indexes) dropMidx() error {
	entries, err := os.ReadDir(i.packDir)
	if err != nil {
		return err
	}
	for _, e := range entries { // sorted: the index itself before what belongs to it
		if !strings.HasPrefix(e.Name(), midxName) || e.Name() == midxName+".lock" { // a writer has the lock
			continue
		}
		i.had = max(i.had, plainMidx)
		if strings.HasSuffix(e.Name(), ".bitmap") {
			i.had = bitmapMidx
		}
		if err := os.RemoveAll(filepath.Join(i.packDir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// writeMidx writes the multi-pack-index anew, if dropMidx deleted one.
func (i *indexes) writeMidx(ctx context.Context) error {
	args := []string{"write"}
	switch i.had {
	case noMidx:
		return nil
	case bitmapMidx:
		args = append(args, "--bitmap")
	}
	packs, err := packsIn(i.repo.ObjectDir())
	if err != nil || len(packs) == 0 {
		return err
	}
	return i.write(ctx, "multi-pack-index", args...)
}

// write has git write an index, and waits for another process that writes it: the
// user's gc has the lock file for as long as that takes.
func (i *indexes) write(ctx context.Context, name string, args ...string) error {
	for begin := time.Now(); ; {
		child, cancel := context.WithTimeout(ctx, indexTimeout)
		_, err := i.repo.Run(child, append([]string{name}, args...)...)
		cancel()
		locked := git.ExitCode(err) > 0 && strings.Contains(err.Error(), ".lock': File exists")
		if !locked || time.Since(begin) > indexWait {
			return err
		}
		select {
		case <-time.After(indexPoll):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// writeGraph writes the commit-graph anew, if there is one: git fsck would complain of
// deleted commits in it. It is deleted first: no reader needs it.
func (i *indexes) writeGraph(ctx context.Context) error {
	info := filepath.Join(i.repo.ObjectDir(), "info")
	chain := filepath.Join(info, "commit-graphs")
	args := []string{"write", "--reachable", "--no-progress"}
	had := false
	for _, path := range []string{filepath.Join(info, "commit-graph"), filepath.Join(chain, "commit-graph-chain")} {
		err := os.Remove(path)
		switch {
		case err == nil && had: // both: git reads the first
		case err == nil:
			had = true
			if filepath.Dir(path) == chain {
				args = append(args, "--split")
			}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if !had {
		return nil
	}
	fault.Point("after-graph-dropped")
	entries, err := os.ReadDir(chain)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".graph") {
			if err := os.Remove(filepath.Join(chain, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return i.write(ctx, "commit-graph", args...)
}

// writeInfo writes objects/info/packs anew if it exists: clients that fetch over plain
// HTTP read the list of packs there.
func (i *indexes) writeInfo(ctx context.Context) error {
	_, err := os.Stat(filepath.Join(i.repo.ObjectDir(), "info", "packs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = i.repo.Run(ctx, "update-server-info")
	}
	return err
}

// indexed returns the packs that a multi-pack-index names (gitformat-pack(5)); all of
// ours, if there is a chain of them.
func (p *packer) indexed() (map[string]bool, error) {
	named := map[string]bool{}
	if disk.Exists(filepath.Join(p.packDir, midxName+".d")) {
		for _, name := range p.state.Packs {
			named[name] = true
		}
		return named, nil
	}
	f, err := os.Open(filepath.Join(p.packDir, midxName))
	if errors.Is(err, fs.ErrNotExist) {
		return named, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := midxNames(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read '%s': %w", f.Name(), err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		named[strings.TrimSuffix(strings.TrimSuffix(name, ".idx"), ".pack")] = true
	}
	return named, nil
}

// midxNames reads the chunk of a multi-pack-index that contains the names of its packs,
// each ended by a NUL.
func midxNames(f io.ReaderAt) ([]byte, error) {
	var head [12]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if string(head[:4]) != "MIDX" {
		return nil, errors.New("it does not begin as one")
	}
	const entry = 12 // four bytes of a name, eight of an offset
	table := make([]byte, entry*(int(head[6])+1))
	if _, err := f.ReadAt(table, int64(len(head))); err != nil {
		return nil, err
	}
	for ; len(table) >= 2*entry; table = table[entry:] {
		from, to := binary.BigEndian.Uint64(table[4:]), binary.BigEndian.Uint64(table[entry+4:])
		const most = 16 << 20
		if string(table[:4]) != "PNAM" || to < from || to-from > most {
			continue
		}
		names := make([]byte, to-from)
		_, err := f.ReadAt(names, int64(from))
		return names, err
	}
	return nil, errors.New("it names no packs")
}
