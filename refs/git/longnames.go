package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-context/git-context/refs/git/disk"
)

const (
	// reftableBlock is the size of a reftable's blocks where reftable.blockSize does not say another one.
	reftableBlock = 4096
	// besideName is what a block may need beside the name of one ref: headers, two object names of SHA-256, numbers and
	// the offset of the record, together up to 115 bytes.
	besideName = 128
	// shortName is a length that all file systems can have: the least limit known is 143 bytes, of eCryptfs.
	shortName = 100
)

// CanHold reports whether a ref of this name can be written here. Repositories differ in that: a ref in files needs
// a file of its name and a lock beside it, one in a reftable must fit into a block, and packed refs have no limit. So
// a remote may have refs that cannot be fetched. The file system is asked for its limits, because they differ too.
func (r *Repo) CanHold(ctx context.Context, ref string) bool {
	if !r.format.refFiles {
		return len(ref) <= r.reftableBlock(ctx)-besideName
	}
	parts := strings.Split(ref+".lock", "/")
	for _, part := range parts {
		// Below a directory that exists: below a missing one the file system does not look at the name.
		if len(part) > shortName && tooLong(filepath.Join(r.commonDir, part)) {
			return false
		}
	}
	return !tooLong(filepath.Join(r.commonDir, filepath.Join(parts...)))
}

// reftableBlock returns the size of the blocks that git writes.
func (r *Repo) reftableBlock(ctx context.Context) int {
	if c, err := r.Config(ctx); err == nil {
		if n, err := c.Int("reftable.blocksize", reftableBlock); err == nil && n > 0 {
			return n
		}
	}
	return reftableBlock
}

// tooLong reports whether a file system cannot have a file of this path, because of the length of its name or of the path.
func tooLong(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, syscall.ENAMETOOLONG)
}

// LongName is a ref of a remote whose name would be too long here.
type LongName struct{ There, Here string }

// LongNames returns those refs of a remote that these refspecs of a fetch would bring under names that are too long here, see
// [Repo.CanHold]. One such ref makes the whole fetch fail.
func (r *Repo) LongNames(ctx context.Context, there []Ref, refspecs []string) (long []LongName) {
	for _, ref := range there {
		for _, spec := range refspecs {
			if to, ok := fetchedTo(spec, ref.Name); ok && !r.CanHold(ctx, to) {
				long = append(long, LongName{There: ref.Name, Here: to})
				break
			}
		}
	}
	return long
}

// RemoveEmptyDirs removes the directories that git has made for a ref and not used: a name of many parts leaves thousands, in which
// every listing of refs looks. Another process that is about to use one makes it again.
func (r *Repo) RemoveEmptyDirs(ref string) {
	if !r.format.refFiles {
		return
	}
	parts := strings.Split(ref, "/")
	dir, made := r.commonDir, []string{}
	for _, part := range parts[:len(parts)-1] {
		if dir = filepath.Join(dir, part); !disk.IsDir(dir) {
			break
		}
		made = append(made, dir)
	}
	for _, dir := range slices.Backward(made[min(1, len(made)):]) { // without refs/ there is no repository
		if os.Remove(dir) != nil { // it contains something
			return
		}
	}
}

// fetchedTo returns where a refspec brings a ref of a remote, by git-fetch(1).
func fetchedTo(refspec, ref string) (string, bool) {
	from, to, ok := strings.Cut(strings.TrimPrefix(refspec, "+"), ":")
	if !ok || strings.HasPrefix(refspec, "^") {
		return "", false
	}
	before, after, star := strings.Cut(from, "*")
	if !star {
		return to, from == ref
	}
	middle, ok := strings.CutPrefix(ref, before)
	if !ok {
		return "", false
	}
	middle, ok = strings.CutSuffix(middle, after)
	return strings.Replace(to, "*", middle, 1), ok
}
