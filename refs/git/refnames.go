package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/git-context/git-context/refs/git/disk"
)

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
