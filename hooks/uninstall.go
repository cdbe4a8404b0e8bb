package hooks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
)

// Uninstall restores every hook in the given places to what Install found, byte for byte.
// Lines that somebody added to a file of ours stay, and the Change reports them. Events
// without anything of ours have no Change. If a hook cannot be read or a block is damaged,
// Uninstall changes nothing in any place. After a later failure it returns the changes made
// so far and an error; calling it again continues. It skips places outside of the
// repository, as Install refuses them.
func Uninstall(places ...Place) ([]Change, error) {
	var files []placed
	var errs []error
	for _, p := range places {
		if inside, err := p.inside(p.Dir); err != nil || !inside {
			errs = append(errs, err)
			continue
		}
		for _, event := range Events() {
			// Other tools move our hook out of their way: pre-commit, lefthook.
			for _, name := range []string{event + ".legacy", event + ".old", event} {
				f, err := p.findOurs(event, name)
				files, errs = append(files, placed{p, f}), append(errs, err)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var changes []Change
	for _, at := range files {
		if err := removeTemp(at.file.path); err != nil {
			errs = append(errs, refuse(err, "", "cannot clear up beside hook '%s'", at.file.path))
		}
		c, err := at.uninstall(at.file)
		fault.Point("after-hook-removed")
		if errs = append(errs, err); c.Effect != "" {
			changes = append(changes, c)
		}
	}
	for _, at := range files { // all of these are inside the repository
		at.removeKeptDir()
	}
	return changes, errors.Join(errs...)
}

// placed is a hook and its place.
type placed struct {
	Place
	file *file
}

// findOurs reads one file that may contain our block, or that replaced a hook that was
// moved aside.
func (p Place) findOurs(event, name string) (*file, error) {
	f, err := p.find(event, filepath.Join(p.dir(), name))
	if err != nil && name != event && !f.damaged {
		return &file{event: event, path: f.path}, nil // unreadable: taken for somebody else's
	}
	if err != nil {
		return nil, err
	}
	f.stored, err = p.storedFor(event)
	return f, err
}

// removeKeptDir removes the directory of kept hooks if it is empty.
func (p Place) removeKeptDir() { _ = os.Remove(filepath.Join(p.dir(), keptDir)) }

// uninstall removes the block from one file:
//
//  1. if the file was created for the block and contains nothing else: the file too,
//  2. if the file replaced a hook that was moved aside, and nothing was added: that hook
//     takes its place again,
//  3. otherwise only the block. Lines that were added stay, and a hook that was moved aside
//     is still run from its new path.
//
// It also reverts an interrupted Install.
func (p Place) uninstall(f *file) (c Change, err error) {
	if f.stored, err = p.storedFor(f.event); err != nil { // handling another file of this event may have removed it
		return c, err
	}
	c = Change{Event: f.event, Path: f.path, Owner: f.owner}
	c.Effect, c.Note, err = p.takeOut(f)
	if err != nil {
		return Change{}, refuse(err, "", "cannot take git-context out of hook '%s'", f.path)
	}
	return c, nil
}

func (p Place) takeOut(f *file) (did Effect, note string, err error) {
	alone := f.kind == ours && f.foreign(f.event) == ""
	switch {
	case f.kind == ours && f.ending() == restoresHook && alone && f.stored != nil:
		return Restored, "", p.putBack(f)
	case f.kind == ours && f.ending() != removesBlock && alone:
		return Removed, "", os.Remove(f.path)
	case f.kind == ours && f.ending() != removesBlock:
		note := "lines that were added to it stay"
		if f.stored != nil {
			note += "; it still runs '" + f.stored.path + "'"
		}
		return Left, note, replace(f.path, f.without(), 0, f.info)
	case f.kind == ours:
		return Removed, "", replace(f.path, f.without(), 0, f.info)
	case f.sameAsStored():
		return Restored, "", os.Remove(f.stored.path)
	case f.stored == nil || !strings.HasSuffix(f.path, f.event):
		return "", "", nil
	case f.kind == absent:
		return Restored, "", p.putBack(f)
	}
	return Left, "another hook is there; the kept hook is in '" + f.stored.path + "'", nil
}

// putBack moves a hook that was moved aside back to its place.
func (p Place) putBack(f *file) error {
	if f.stored.link == "" {
		return os.Rename(f.stored.path, f.path)
	}
	target := f.stored.link
	if !filepath.IsAbs(target) {
		target = strings.TrimPrefix(target, deeper(""))
	}
	if err := removeTemp(f.path); err != nil {
		return err
	}
	if err := os.Symlink(target, tempPath(f.path)); err != nil {
		return err
	}
	fault.Point("before-hook-rename")
	if err := os.Rename(tempPath(f.path), f.path); err != nil {
		return err
	}
	fault.Point("after-hook-restored")
	return os.Remove(f.stored.path)
}
