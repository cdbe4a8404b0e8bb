package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/git-context/git-context/refs/git/disk"
)

// refusals are why a system does not let anybody write: no room, more than one may
// have, or no right to.
func refusals() []syscall.Errno {
	return []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.EIO}
}

// systemSaid finds in git's complaints why the system refused something. Children speak
// as in the C locale. What a remote says of its own disk stands on lines of another
// kind, and what ssh says of a key is no complaint of git's.
func systemSaid(stderr string) (syscall.Errno, bool) {
	for line := range strings.Lines(stderr) {
		said, ok := faultLine(line)
		if !ok {
			continue
		}
		for _, errno := range refusals() {
			if strings.HasSuffix(strings.ToLower(said), ": "+errno.Error()) {
				return errno, true
			}
		}
		if strings.HasSuffix(said, "Out of diskspace") { // where a pack's write falls short
			return syscall.ENOSPC, true
		}
	}
	return 0, false
}

// filesOfRef are as many files and directories as git may make in each of the two
// places to move one ref: its lock, or its reflog, and what they stand in.
const filesOfRef = 3

// refused asks the file system what git does not tell: why files cannot be written
// beside some refs or their reflogs. It is nil where they can by now.
func (r *Repo) refused(queued []refChange) error {
	var made []string
	defer func() {
		for _, path := range made {
			_ = os.Remove(path)
		}
	}()
	for _, q := range queued {
		for _, place := range []string{q.ref, "logs/" + q.ref} {
			dir := filepath.Dir(filepath.Join(r.commonDir, filepath.FromSlash(place)))
			for !disk.IsDir(dir) && len(dir) > len(r.commonDir) {
				dir = filepath.Dir(dir)
			}
			for range filesOfRef {
				// Were this process killed, git would pass over a file of such a name. It is
				// as large as git's own, and there as long as the others.
				path := filepath.Join(dir, "tmp_"+disk.RandomName()+".lock")
				made = append(made, path)
				err := os.WriteFile(path, make([]byte, 64), 0o666)
				var failed *fs.PathError
				if errors.As(err, &failed) {
					return failed.Err // git has named a path
				}
			}
		}
	}
	return nil
}
