package hooks

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-context/git-context/refs/prose"
)

// kind classifies the file of an event's hook.
type kind int

const (
	absent kind = iota
	ours        // it contains the block
	byHand      // it makes the same call without a block: somebody else's work
	shell       // a script into which the block can be inserted
	opaque      // a hook that must be moved aside
)

// file is the hook of one event, which need not exist.
type file struct {
	event string
	path  string
	kind  kind
	info  fs.FileInfo
	link  string // the target of a symbolic link; "" for other files
	script
	owner string // the tool that owns the hook, apart from our block

	stored *file // the hook that was moved aside for it; nil for none
	husky  bool
}

// maxScript is the size of the largest script that is edited, in bytes.
const maxScript = 1 << 20

// read reads the hook of an event. It refuses a file that must not be replaced; the result
// then contains what is known about it.
func (p Place) read(event string) (*file, error) {
	f, refusal := p.inspect(event, filepath.Join(p.dir(), event))
	if f.owner == "pre-commit" && f.kind != ours {
		// pre-commit moved our file and runs it from there.
		if moved, err := p.inspect(event, f.path+".legacy"); err == nil && moved.kind == ours {
			f = moved
		}
	}
	var err error
	if f.stored, err = p.storedFor(event); refusal == nil {
		refusal = err
	}
	return f, refusal
}

// cannotExist reports whether an error means that nothing can exist at a path: nothing does, or
// a parent is not a directory (core.hooksPath=/dev/null).
func cannotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// storedFor returns the hook that was moved aside for an event, nil for none. It does not
// interpret it, because it belongs to somebody else.
func (p Place) storedFor(event string) (*file, error) {
	f := &file{event: event, path: p.kept(event), kind: opaque}
	var err error
	if f.info, err = os.Lstat(f.path); cannotExist(err) {
		return nil, nil
	}
	if err == nil && f.info.Mode()&fs.ModeSymlink != 0 {
		f.link, err = os.Readlink(f.path)
	}
	if err != nil {
		return f, refuse(err, "", "cannot read what was kept in '%s'", f.path)
	}
	head, _, err := readScript(f.path, maxScript+1)
	if err != nil {
		head = nil // the owner is only a guess
	}
	f.owner = owner(string(head))
	return f, nil
}

// inspect reads one file, and refuses one in which nothing can be installed.
func (p Place) inspect(event, path string) (*file, error) {
	f, err := p.find(event, path)
	switch {
	case err != nil || f.kind == absent || f.kind == ours || f.kind == byHand:
		return f, err
	case f.link != "":
		return f, p.checkLink(f)
	case f.info.IsDir():
		return f, refuse(nil, "move it away, or rename it", "hook '%s' is a directory", path)
	case !f.info.Mode().IsRegular():
		return f, refuse(nil, "move it away, or rename it", "hook '%s' is no file", path)
	case f.husky && f.kind == opaque:
		return f, refuse(nil, "add the line by hand: "+call(event), "hook '%s' is no shell script", path)
	}
	return f, nil
}

// find reads one file of any kind; only regular files contain our block. It refuses a file
// that it cannot read, or whose block is damaged.
func (p Place) find(event, path string) (*file, error) {
	f := &file{event: event, path: path, husky: p.husky()}
	var err error
	if f.info, err = os.Lstat(path); cannotExist(err) {
		return f, nil
	}
	if f.kind, f.owner = opaque, ownerAnother; err != nil {
		return f, refuse(err, "", "cannot read hook '%s'", path)
	}
	if f.info.Mode()&fs.ModeSymlink != 0 {
		return f, f.readLink()
	}
	if !f.info.Mode().IsRegular() {
		return f, nil
	}
	head, whole, err := readScript(path, f.info.Size())
	if err != nil {
		return f, refuse(err, "chmod u+r "+prose.ShellQuoted(path), "cannot read hook '%s'", path)
	}
	if f.classify(head, whole); f.damaged {
		return f, refuse(nil, "take out its lines by hand, from '"+beginMark+"' to '"+endMark+"'",
			"git-context's block in hook '%s' is damaged", path)
	}
	return f, nil
}

// classify classifies a regular file by its content.
func (f *file) classify(head []byte, whole bool) {
	f.script = parse(string(head))
	f.owner = owner(f.foreign(f.event))
	runs := f.husky || f.info.Mode()&0o111 != 0
	switch {
	case f.hasBlock():
		f.kind = ours
		if f.foreign(f.event) == "" {
			f.owner = OwnerSelf
		}
	case calls(head, f.event):
		f.kind = byHand
	case f.husky && whole && bytes.IndexByte(head, 0) < 0, // husky runs it with `sh -e`, so it needs no shebang
		whole && runs && isShell(head):
		f.kind = shell
	default:
		f.kind = opaque
	}
	if f.husky && f.owner == ownerAnother {
		f.owner = "husky"
	}
}

// readScript reads a file, or the beginning of one that is too large to be edited.
func readScript(path string, size int64) (head []byte, whole bool, err error) {
	if size <= maxScript {
		head, err = os.ReadFile(path)
		return head, true, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	head = make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], false, err
}

// readLink reads a symbolic link. Its target belongs to somebody else, but may contain the
// call.
func (f *file) readLink() error {
	var err error
	if f.link, err = os.Readlink(f.path); err != nil {
		return refuse(err, "", "cannot read hook '%s'", f.path)
	}
	if info, err := os.Stat(f.path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	head, _, err := readScript(f.path, maxScript+1)
	if err != nil {
		return refuse(err, "", "cannot read hook '%s'", f.path)
	}
	if f.owner = owner(string(head)); calls(head, f.event) {
		f.kind = byHand
	}
	return nil
}

// calls reports whether a script contains our call.
func calls(head []byte, event string) bool {
	return bytes.Contains(head, []byte("git context hook "+event))
}

// checkLink refuses a symbolic link that does not lead to a file of the repository.
func (p Place) checkLink(f *file) error {
	inside, err := p.inside(f.path)
	switch {
	case err != nil:
		return refuse(err, "move it away, or rename it",
			"hook '%s' is a symbolic link to '%s', which cannot be followed", f.path, f.link)
	case !inside:
		return refuse(nil, "add the line by hand: "+call(f.event),
			"hook '%s' is a symbolic link to '%s', out of this repository", f.path, f.link)
	case f.husky:
		return refuse(nil, "add the line by hand: "+call(f.event), "hook '%s' is a symbolic link", f.path)
	}
	if info, err := os.Stat(f.path); err != nil || !info.Mode().IsRegular() {
		return refuse(err, "move it away, or rename it",
			"hook '%s' is a symbolic link to '%s', which is no file", f.path, f.link)
	}
	return nil
}

// sameAsStored reports whether the stored hook is still at its original path too, because moving it
// aside was interrupted.
func (f *file) sameAsStored() bool {
	if f.stored == nil || f.kind == absent || f.kind == ours {
		return false
	}
	if f.link != "" {
		return f.stored.link == deeper(f.link)
	}
	return os.SameFile(f.info, f.stored.info)
}

// deeper returns a symbolic link's target relative to a directory one level deeper.
func deeper(target string) string {
	if filepath.IsAbs(target) {
		return target
	}
	return ".." + string(filepath.Separator) + target
}

// runs reports whether git or husky runs the file.
func (f *file) runs() bool { return f.husky || f.info.Mode()&0o111 != 0 }

// wantedBlock returns the block that this version would write. If people added lines to a file
// of ours, these may read standard input.
func (f *file) wantedBlock() string {
	return block(f.event, f.ending(), f.ending() == removesFile && f.foreign(f.event) == "")
}

// current reports whether the file's block is the wanted one.
func (f *file) current() bool { return f.block == f.wantedBlock() }
