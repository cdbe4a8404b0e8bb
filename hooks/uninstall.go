package hooks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
)

// Uninstall leaves every hook of some places as Install found it, byte for byte. Lines
// that somebody added to a file of ours stay, and the Change says so. Events whose hook
// holds nothing of ours have no Change, whatever stands there. Where one cannot be read,
// or its block is damaged, nothing is changed in any place. What fails later is an error
// beside the changes that were made; to uninstall again goes on. Outside of the repository
// nothing was installed.
func Uninstall(places ...Place) ([]Change, error) {
	var files []placed
	var errs []error
	for _, p := range places {
		if inside, err := p.inside(p.Dir); err != nil || !inside {
			errs = append(errs, err)
			continue
		}
		for _, event := range Events() {
			// Other tools move a hook of ours out of their way: pre-commit, lefthook.
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
		if err := removeBeside(at.file.path); err != nil {
			errs = append(errs, refuse(err, "", "cannot clear up beside hook '%s'", at.file.path))
		}
		c, err := at.uninstall(at.file)
		fault.Point("after-hook-removed")
		if errs = append(errs, err); c.Did != "" {
			changes = append(changes, c)
		}
	}
	for _, at := range files { // none of them outside of the repository
		at.removeKeptDir()
	}
	return changes, errors.Join(errs...)
}

// placed is a hook and where it was found.
type placed struct {
	Place
	file *file
}

// findOurs reads one file of those that may hold our block, or stand for what was moved
// aside.
func (p Place) findOurs(event, name string) (*file, error) {
	f, err := p.find(event, filepath.Join(p.dir(), name))
	if err != nil && name != event && !f.damaged {
		return &file{event: event, path: f.path}, nil // unread, it is taken for somebody else's
	}
	if err != nil {
		return nil, err
	}
	f.stored, err = p.storedFor(event)
	return f, err
}

// removeKeptDir removes the directory of what is kept, unless something is.
func (p Place) removeKeptDir() { _ = os.Remove(filepath.Join(p.dir(), keptDir)) }

// uninstall takes the block out of one file:
//
//  1. the file was made for it and holds nothing else: the file goes,
//  2. it stands for another that was moved aside, and nothing was added: that one
//     takes its place again,
//  3. else the block alone goes. What was added then stays, and what was moved aside
//     is still run from where it is.
//
// What an interrupted Install left is put back too.
func (p Place) uninstall(f *file) (c Change, err error) {
	if f.stored, err = p.storedFor(f.event); err != nil { // that of another file may have gone with it
		return c, err
	}
	c = Change{Event: f.event, Path: f.path, Owner: f.owner}
	c.Did, c.Note, err = p.takeOut(f)
	if err != nil {
		return Change{}, refuse(err, "", "cannot take git-context out of hook '%s'", f.path)
	}
	return c, nil
}

func (p Place) takeOut(f *file) (did Did, note string, err error) {
	alone := f.kind == ours && f.foreign(f.event) == ""
	switch {
	case f.kind == ours && f.then() == putsBack && alone && f.stored != nil:
		return Restored, "", p.putBack(f)
	case f.kind == ours && f.then() != takesBlock && alone:
		return Removed, "", os.Remove(f.path)
	case f.kind == ours && f.then() != takesBlock:
		note := "lines that were added to it stay"
		if f.stored != nil {
			note += "; it still runs '" + f.stored.path + "'"
		}
		return Left, note, replace(f.path, f.without(), 0, f.info)
	case f.kind == ours:
		return Removed, "", replace(f.path, f.without(), 0, f.info)
	case f.same():
		return Restored, "", os.Remove(f.stored.path)
	case f.stored == nil || !strings.HasSuffix(f.path, f.event):
		return "", "", nil
	case f.kind == absent:
		return Restored, "", p.putBack(f)
	}
	return Left, "another hook stands there; what was kept is in '" + f.stored.path + "'", nil
}

// putBack gives what was moved aside its place again.
func (p Place) putBack(f *file) error {
	if f.stored.link == "" {
		return os.Rename(f.stored.path, f.path)
	}
	target := f.stored.link
	if !filepath.IsAbs(target) {
		target = strings.TrimPrefix(target, deeper(""))
	}
	if err := removeBeside(f.path); err != nil {
		return err
	}
	if err := os.Symlink(target, beside(f.path)); err != nil {
		return err
	}
	fault.Point("before-hook-rename")
	if err := os.Rename(beside(f.path), f.path); err != nil {
		return err
	}
	fault.Point("after-hook-restored")
	return os.Remove(f.stored.path)
}
