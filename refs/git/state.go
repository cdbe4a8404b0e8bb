package git

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// maxStateFile is the longest name of a file of local state, in bytes: file systems
// allow 255, and what replaces a journal is called a little longer.
const maxStateFile = 250

// FileName makes the name of one file of that of a branch or a remote: its slashes
// are percent-encoded, and suffix is put behind it. The names of two branches never
// give the same one; what a name was cannot be read from it, because one that would
// get too long, as slashes make it, ends in '~' and its hash. Suffix is short.
func FileName(name, suffix string) string {
	return bounded(strings.ReplaceAll(name, "/", "%2F"), suffix, maxStateFile)
}

// bounded keeps a file name within a length. No encoded name has a '~', so that none
// can be made to be the shortened one of another.
func bounded(encoded, suffix string, most int) string {
	if len(encoded)+len(suffix) <= most {
		return encoded + suffix
	}
	sum := sha256.Sum256([]byte(encoded))
	end := "~" + hex.EncodeToString(sum[:]) + suffix
	return encoded[:most-len(end)] + end
}

// IsTemp reports whether a file of local state is called as one that is not finished.
func IsTemp(name string) bool { return strings.HasPrefix(name, disk.TempPrefix) }

// statePath is the path of a file of local state; name uses slashes.
func (r *Repo) statePath(name string) string {
	return filepath.Join(r.StateDir(), filepath.FromSlash(name))
}

// makeState makes the directory of a file of local state, with the permissions
// that core.sharedRepository asks for, and returns the file's path. Name uses
// slashes and stays below StateDir.
func (r *Repo) makeState(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("'%s' is no name of local state", name)
	}
	dir, p := r.StateDir(), r.Sharing()
	if err := p.Mkdir(dir); err != nil {
		return "", fmt.Errorf("cannot create '%s': %w", dir, err)
	}
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		dir = filepath.Join(dir, part)
		if err := p.Mkdir(dir); err != nil {
			return "", fmt.Errorf("cannot create '%s': %w", dir, err)
		}
	}
	return filepath.Join(dir, parts[len(parts)-1]), nil
}

// checkState refuses local state that contains symbolic links in place of its folders, or
// anything else that is neither a folder nor a regular file: an archive from elsewhere may
// contain them, and they would lead what is written and removed out of the repository.
// Files in the folders are checked by what opens them. What may not be read is left to its
// reader.
func (r *Repo) checkState() error {
	err := disk.CheckFolders(r.StateDir(), "cache", "bisect")
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// MostState is the size of the largest file of local state that is read.
const MostState = 1 << 30

// mostSmall is the same for files that do not grow with memory: at most a line for a ref.
const mostSmall = 16 << 20

// mostCache is the same for caches.
const mostCache = MostState / 16

// MostIn returns how many bytes of a file of local state are read. Journals, the texts of waiting merges and of
// sessions, and lists of objects grow with memory.
func MostIn(path string) int64 {
	switch dir := filepath.Base(filepath.Dir(path)); {
	case dir == "journal", dir == "merge", dir == "capture" && filepath.Ext(path) == ".jsonl":
		return MostState
	case dir == "search":
		return mostCache
	}
	switch filepath.Base(path) {
	case "written", "hidden", "purge", "packs.json", "expunge.json":
		return MostState
	}
	return mostSmall
}

// OpenFlags are flags for a file of local state that neither [Repo.OpenState] nor
// OpenStateFile opens.
const OpenFlags = disk.OpenFlags

// NotRegularError says that a file or a folder of local state is something else.
type NotRegularError = disk.NotRegularError

// TooLargeError says that a file of local state has more bytes than are read.
type TooLargeError = disk.TooLargeError

// ReadStateFile reads a file of local state. It is an error of package disk if it is no regular
// file, or has more than [MostIn] bytes.
func ReadStateFile(path string) ([]byte, error) { return disk.ReadFile(path, MostIn(path)) }

// ReadCacheFile is ReadStateFile for what takes less than 64 MiB.
func ReadCacheFile(path string) ([]byte, error) { return disk.ReadFile(path, mostCache) }

// OpenStateFile opens a file of local state as os.OpenFile does, if it is a regular one.
func OpenStateFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return disk.OpenFile(path, flag, mode)
}

// StateOrigin returns the [disk.Origin] of a file of local state that is never written; "" if there
// is none, or it cannot be made.
func (r *Repo) StateOrigin(name string, create bool) string {
	origin, err := disk.Origin(r.statePath(name))
	if err != nil && create {
		f, err := r.OpenState(name, os.O_WRONLY|os.O_CREATE)
		if err != nil || f.Close() != nil {
			return ""
		}
		origin, _ = disk.Origin(r.statePath(name)) // "" of an error: no origin is known
	}
	return origin
}

// OpenState opens a file of local state as os.OpenFile does, and makes it and
// its directory if flag has os.O_CREATE, with the permissions that
// core.sharedRepository asks for.
func (r *Repo) OpenState(name string, flag int) (*os.File, error) {
	path := r.statePath(name)
	f, err := disk.OpenFile(path, flag&^os.O_CREATE, 0)
	if flag&os.O_CREATE == 0 || err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if path, err = r.makeState(name); err != nil {
		return nil, err
	}
	if f, err = disk.OpenFile(path, flag, 0o666); err != nil {
		return nil, err
	}
	if err := r.Sharing().Adjust(path); err != nil && !errors.Is(err, fs.ErrPermission) {
		f.Close()
		return nil, err
	}
	return f, nil
}

// WriteStateFile replaces a file of local state in one step: a reader, or a
// crash of this process, sees the old content or the new. Name uses slashes.
func (r *Repo) WriteStateFile(name string, data []byte) error {
	return r.writeState(name, data, disk.Replace)
}

// SyncStateFile is WriteStateFile, and the new content survives a power cut.
func (r *Repo) SyncStateFile(name string, data []byte) error {
	return r.writeState(name, data, disk.ReplaceDurably)
}

func (r *Repo) writeState(name string, data []byte, replace func(string, []byte, fs.FileMode, disk.Perm) error) error {
	path, err := r.makeState(name)
	if err != nil {
		return err
	}
	if err := replace(path, data, 0o666, r.Sharing()); err != nil {
		return fmt.Errorf("cannot write '%s': %w", path, err)
	}
	return nil
}

// cacheState keeps a cache. It never makes the state directory: a repository without
// memory is left as it is, and so is one that is only read. The file is private to this
// user: configuration may contain credentials.
func (r *Repo) cacheState(name string, data []byte) error {
	if r.readOnly {
		return fs.ErrPermission
	}
	if !disk.IsDir(r.StateDir()) {
		return fs.ErrNotExist
	}
	path, err := r.makeState(name)
	if err != nil {
		return err
	}
	return disk.Replace(path, data, 0o600, 0)
}

// Sharing returns the repository's setting. The repository's own file counts
// without a process; a setting of the user or the system counts once known.
func (r *Repo) Sharing() disk.Perm {
	if r.format.shared != "" {
		return disk.ParsePerm(r.format.shared)
	}
	c := r.config.Load()
	if c == nil {
		c, _ = r.CachedConfig()
	}
	if c == nil {
		return 0
	}
	value, _ := c.String("core.sharedrepository")
	return disk.ParsePerm(value)
}

// Refused is a file or folder of local state that this user cannot write to, or read.
type Refused struct {
	Path string
	Own  bool // this user owns it, so that its permissions are the reason
	Read bool // a file that is replaced, not written to, and cannot be read
}

// RefusedState lists the folders, journals and locks of local state that this user may not
// read and write, as everybody who uses the memory must, and other files that cannot be read, except caches,
// which are private to a user. Below a refused folder nothing is looked at. On Windows it finds nothing: permissions are not bits of a file there, and a
// command that is refused something reports it.
func (r *Repo) RefusedState() ([]Refused, error) {
	if runtime.GOOS == "windows" {
		return nil, nil
	}
	var found []Refused
	err := filepath.WalkDir(r.StateDir(), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // most files here come and go
			return nil
		}
		if errors.Is(err, fs.ErrPermission) && d != nil && d.IsDir() {
			err = nil // it was visited already, or is now
		}
		if err != nil {
			return err
		}
		dir := filepath.Base(filepath.Dir(path))
		replaced := !d.IsDir() && dir != "journal" && dir != "lock" && filepath.Ext(path) != ".jsonl" && d.Name() != "written" // which are appended to
		switch {
		case replaced && (disk.Within(path, r.statePath("cache")) || IsTemp(d.Name()) || !d.Type().IsRegular()):
			return nil
		case replaced:
			err = disk.AccessRead(path)
		default:
			err = disk.Access(path, d.IsDir())
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		found = append(found, Refused{Path: path, Own: disk.Owned(info), Read: replaced})
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// HasState reports whether there is local state.
func (r *Repo) HasState() (bool, error) {
	_, err := os.Lstat(r.StateDir())
	if disk.IsAbsent(err) {
		return false, nil
	}
	return err == nil, err
}

// RemoveState removes the directory of local state with all that is in it, and the empty directories that
// deleted refs of memory left.
func (r *Repo) RemoveState() error {
	if err := os.RemoveAll(r.StateDir()); err != nil {
		return fmt.Errorf("cannot remove '%s': %w", r.StateDir(), err)
	}
	var errs []error
	for _, dir := range []string{strings.TrimSuffix(Root, "/"), filepath.Dir(NotesRef)} {
		errs = append(errs, removeEmpty(filepath.Join(r.commonDir, dir)), removeEmpty(filepath.Join(r.commonDir, "logs", dir)))
	}
	return errors.Join(errs...)
}

// removeEmpty removes the directories below dir, and dir, that contain no file.
func removeEmpty(dir string) error {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if disk.IsAbsent(err) {
		return nil
	}
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d) // refused where a file is left
	}
	return err
}
