package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// packedRef returns the id of a ref in packed-refs, found by bisection as git
// does: reading 100,000 lines takes 13 ms. It returns ErrNotFound, or
// errUnusual for a file that is not sorted or not understood.
func (r *Repo) packedRef(name string) (id string, err error) {
	err = r.readPacked(func(p *packedRefs) (err error) {
		id, err = p.find(name)
		return err
	})
	if err == nil && id == "" {
		err = fmt.Errorf("ref '%s': %w", name, ErrNotFound)
	}
	return id, err
}

// readPacked opens packed-refs, if there is one.
func (r *Repo) readPacked(read func(*packedRefs) error) error {
	f, err := disk.OpenFollowed(filepath.Join(r.commonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read packed-refs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cannot read packed-refs: %w", err)
	}
	return read(&packedRefs{file: f, size: info.Size(), hexLen: r.hexLen()})
}

// packedRefs is an open packed-refs file; git replaces the whole file, so that
// an open one never changes.
//
//	# pack-refs with: peeled fully-peeled sorted LF
//	<id> SP <name> LF
//	^<peeled id> LF           (of the line before)
type packedRefs struct {
	file   io.ReaderAt
	size   int64
	hexLen int
	block  []byte // what was read last
	at     int64  // its offset in the file
}

// lineMax bounds a line: git's own limit of a name is the file system's.
const lineMax = 8 << 10

// find returns the id of a ref, "" where it has no line.
func (p *packedRefs) find(name string) (string, error) {
	e, err := p.seek(name)
	if err != nil || e.name != name {
		return "", err
	}
	return e.id, nil
}

// below lists the names that begin with a prefix.
func (p *packedRefs) below(prefix string) ([]string, error) {
	e, err := p.seek(prefix)
	var names []string
	for err == nil && e.name != "" && strings.HasPrefix(e.name, prefix) {
		names = append(names, e.name)
		e, err = p.entryFrom(e.next, e.next, p.size)
	}
	return names, err
}

// seek returns the entry of a name, else the first one behind it.
func (p *packedRefs) seek(name string) (found packedEntry, err error) {
	if p.size == 0 {
		return found, nil
	}
	head, next, err := p.line(0)
	if err != nil {
		return found, err
	}
	if !strings.HasPrefix(head, "# pack-refs with:") || !strings.Contains(head+" ", " sorted ") {
		return found, errUnusual
	}
	// Lines that begin in [low, high) remain; all names before low are smaller, found is
	// the one at high, and all from there on are larger.
	low, high := next, p.size
	for low < high {
		e, err := p.entryFrom(low+(high-low)/2, low, high)
		if err == nil && e.name == "" {
			e, err = p.entryFrom(low, low, high) // only entries before the middle are left: walk them
		}
		if err != nil || e.name == "" {
			return found, err
		}
		switch c := strings.Compare(name, e.name); {
		case c == 0:
			return e, nil
		case c > 0:
			low = e.next
		default:
			found, high = e, e.at
		}
	}
	return found, nil
}

// packedEntry is a line, and where it and the next one begin. Without a name it is none.
type packedEntry struct {
	id, name string
	at, next int64
}

// entryFrom returns the first entry that begins at or behind pos and before high, where
// low is known to begin one.
func (p *packedRefs) entryFrom(pos, low, high int64) (e packedEntry, err error) {
	if pos > low {
		// pos may be inside a line: begin behind its end.
		if _, pos, err = p.line(pos - 1); err != nil {
			return e, err
		}
	}
	for pos < high {
		line, next, err := p.line(pos)
		if err != nil {
			return e, err
		}
		if strings.HasPrefix(line, "^") {
			pos = next
			continue
		}
		if len(line) < p.hexLen+2 || !isHex(line[:p.hexLen], p.hexLen) || line[p.hexLen] != ' ' {
			return e, errUnusual
		}
		return packedEntry{id: line[:p.hexLen], name: line[p.hexLen+1:], at: pos, next: next}, nil
	}
	return e, nil
}

// line returns the text from pos to the end of its line, and where the next line begins.
func (p *packedRefs) line(pos int64) (string, int64, error) {
	var text []byte
	if skip := pos - p.at; skip >= 0 && skip < int64(len(p.block)) {
		text = p.block[skip:]
	}
	for size := 4 << 10; ; size *= 4 {
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			return string(text[:end]), pos + int64(end) + 1, nil
		}
		if size/4 > lineMax || int64(len(text)) == p.size-pos {
			return "", 0, errUnusual
		}
		if cap(p.block) < size {
			p.block = make([]byte, size)
		}
		n, err := p.file.ReadAt(p.block[:size], pos)
		if err != nil && err != io.EOF {
			return "", 0, fmt.Errorf("cannot read packed-refs: %w", err)
		}
		p.at, p.block = pos, p.block[:n]
		text = p.block
	}
}

// RefNames lists the names of refs that all worktrees share, below a prefix that ends in a
// slash, in their order. What they name is not looked at: a broken ref has taken its name
// too.
func (r *Repo) RefNames(ctx context.Context, prefix string) ([]string, error) {
	if r.format.refFiles {
		names, err := r.refNames(prefix)
		if !errors.Is(err, errUnusual) {
			return names, err
		}
	}
	l, err := r.ListRefs(ctx, prefix)
	if err != nil {
		return nil, err
	}
	names := l.Broken
	for _, ref := range l.Refs {
		names = append(names, ref.Name)
	}
	slices.Sort(names)
	return names, nil
}

// refNames reads the files first, and then packed-refs: packing writes the line before it
// removes the file, and a line is removed with its ref alone.
func (r *Repo) refNames(prefix string) ([]string, error) {
	path, shared, ok := r.refPath(prefix)
	if !ok || !shared {
		return nil, errUnusual
	}
	var names []string
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if disk.IsAbsent(err) { // gone meanwhile, with all that is below it
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot list the refs below '%s': %w", prefix, err)
		}
		switch {
		case file == path && !d.IsDir(), d.Type()&fs.ModeSymlink != 0:
			return errUnusual // git follows symbolic links
		case file != path && d.Name()[0] == '.': // no ref's, to git: .nfs000, .DS_Store
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		name := prefix + filepath.ToSlash(file[len(path)+1:])
		if checkRefName(name) == nil { // a lock, or what no ref is called
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = r.readPacked(func(p *packedRefs) error {
		packed, err := p.below(prefix)
		names = append(names, packed...)
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
