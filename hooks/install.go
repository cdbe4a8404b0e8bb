package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/prose"
)

// Effect is the effect on one hook.
type Effect string

// The effects of Install and Uninstall.
const (
	Installed Effect = "installed" // a new file, or a block in an existing one
	Kept      Effect = "kept"      // the existing hook was moved aside and runs after ours
	Mended    Effect = "mended"    // an older or edited block was replaced
	Unchanged Effect = "unchanged"
	Removed   Effect = "removed"  // the file, or the block in it
	Restored  Effect = "restored" // a hook that was moved aside is in its place again
	Left      Effect = "left"     // something remains, which Note names
)

// Change is the effect on the hook of one event.
type Change struct {
	Event  string `json:"name"`
	Path   string `json:"path"`
	Effect Effect `json:"did"`
	Owner  string `json:"owner"` // the tool that owns the hook apart from our block, see Hook
	Note   string `json:"note,omitempty"`
}

// Install adds the block to the hooks of all events or of none: it refuses before it
// changes anything, and undoes its changes if it fails later. If everything is installed,
// it changes nothing. Refusals are *Error values, joined.
func Install(p Place) ([]Change, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	files, err := p.plan()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.dir(), 0o777); err != nil {
		return nil, refuse(err, "", "cannot make the hooks' directory '%s'", p.dir())
	}
	var changes []Change
	for _, f := range files {
		did, err := p.install(f)
		changes = append(changes, Change{Event: f.event, Path: f.path, Effect: did, Owner: f.owner})
		if err != nil {
			return nil, errors.Join(refuse(err, "", "cannot install hook '%s'", f.path), p.undo(changes))
		}
	}
	return changes, nil
}

// plan reads all hooks and collects the obstacles to installing any.
func (p Place) plan() ([]*file, error) {
	var files []*file
	var errs []error
	for _, event := range Events() {
		f, err := p.read(event)
		if err == nil {
			err = f.obstacle(p.kept(event))
		}
		files = append(files, f)
		errs = append(errs, err)
	}
	return files, errors.Join(errs...)
}

// obstacle returns why a hook cannot be installed although its files can be read; nil if it
// can.
func (f *file) obstacle(kept string) error {
	switch {
	case f.stored != nil && f.kind != absent && !f.sameAsStored() && f.ending() != restoresHook:
		return refuse(nil, "move one of them away",
			"'%s' was kept when hook '%s' was installed, and another one is there now", kept, f.path)
	case (f.kind == ours || f.kind == byHand) && !f.runs():
		return refuse(nil, "chmod +x "+prose.ShellQuoted(f.path), "hook '%s' is not executable", f.path)
	}
	return nil
}

// undo removes what was installed before a hook failed, and the rest of that hook.
func (p Place) undo(changes []Change) error {
	var errs []error
	for _, c := range changes {
		if c.Effect != Unchanged && c.Effect != Mended {
			f, err := p.findOurs(c.Event, filepath.Base(c.Path))
			if err == nil {
				_, err = p.uninstall(f)
			}
			errs = append(errs, err)
		}
	}
	p.removeKeptDir()
	return errors.Join(errs...)
}

// install adds the block to one hook:
//
//  1. it is installed, or was added by hand: nothing, or the current block in place of an
//     edited one,
//  2. a script: into it,
//  3. another hook: that one aside, and a file in its place,
//  4. none, but one was moved aside: that file,
//  5. none: a new file.
func (p Place) install(f *file) (Effect, error) {
	gone := f.kind == ours && f.ending() == restoresHook && f.stored == nil
	switch {
	case gone:
		return Mended, replace(f.path, newFile(f.event, f.husky), 0o777, nil)
	case f.kind == byHand, f.kind == ours && f.current():
		return Unchanged, nil
	case f.kind == ours:
		return Mended, replace(f.path, f.before+f.wantedBlock()+f.after, 0, f.info)
	case f.kind == shell:
		return Installed, replace(f.path, insert(f.before, f.event), 0, f.info)
	case f.kind == opaque:
		if err := p.setAside(f); err != nil {
			return "", err
		}
		return Kept, replace(f.path, replacement(f.event), 0o777, nil)
	case f.stored != nil:
		return Kept, replace(f.path, replacement(f.event), 0o777, nil)
	}
	f.owner = OwnerSelf
	mode := fs.FileMode(0o777)
	if f.husky {
		mode = 0o666
	}
	return Installed, replace(f.path, newFile(f.event, f.husky), mode, nil)
}

// setAside gives a hook its second name. On a file system without links it renames it. The
// hook is never without a name.
func (p Place) setAside(f *file) error {
	if f.sameAsStored() {
		return nil
	}
	kept := p.kept(f.event)
	if err := os.Mkdir(filepath.Dir(kept), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if f.link != "" {
		err := os.Symlink(deeper(f.link), kept)
		fault.Point("after-hook-kept")
		return err
	}
	if err := os.Link(f.path, kept); err == nil {
		fault.Point("after-hook-kept")
		return nil
	}
	return os.Rename(f.path, kept)
}

// replace writes a file beside its path and renames it. It keeps the mode of as, the file
// it replaces; without as, the mode is mode reduced by the umask.
func replace(path, text string, mode fs.FileMode, as fs.FileInfo) error {
	tmp, err := createTemp(path, mode)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // without effect after the rename
	_, err = tmp.WriteString(text)
	if err == nil {
		err = tmp.Sync() // a crash of the machine must not leave an empty hook
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil && as != nil {
		err = os.Chmod(tmp.Name(), as.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
	}
	if err == nil {
		fault.Point("before-hook-rename")
		err = os.Rename(tmp.Name(), path)
	}
	return err
}

// createTemp creates a file in the same directory. Its name is fixed, so that crashes
// leave at most one; the callers' lock makes it unique.
func createTemp(path string, mode fs.FileMode) (*os.File, error) {
	if err := removeTemp(path); err != nil {
		return nil, err
	}
	return os.OpenFile(tempPath(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o600)
}

func tempPath(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".git-context-tmp")
}

// removeTemp removes the file that a crash left.
func removeTemp(path string) error {
	err := os.Remove(tempPath(path))
	if cannotExist(err) {
		return nil
	}
	return err
}
