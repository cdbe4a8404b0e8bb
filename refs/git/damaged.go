package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/git-context/git-context/refs/git/disk"
)

// DamagedError is the error for a loose object whose file cannot be understood, as a power cut leaves an empty one.
type DamagedError struct {
	ID  ID
	err error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("loose object '%s' is corrupt: %v", e.ID, e.err)
}

func (e *DamagedError) Unwrap() error { return e.err }

// largestChecked is how large a file of a loose object DamagedLoose reads.
const largestChecked = 64 << 20

// DamagedLoose lists the damaged loose objects of the repository's own directory, of code, too. It reads all of them but giants.
func (r *Repo) DamagedLoose(ctx context.Context) (damaged []ID, err error) {
	err = r.eachLooseDir(func(prefix string, files []os.DirEntry) error {
		for _, f := range files {
			id := ID(prefix + f.Name())
			info, err := f.Info()
			if !r.IsID(string(id)) || disk.IsAbsent(err) || err == nil && info.Size() > largestChecked {
				continue
			}
			if err == nil {
				_, err = r.loose(id)
			}
			var why *DamagedError
			switch {
			case errors.As(err, &why):
				damaged = append(damaged, id)
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // packed meanwhile, or of somebody else
			case err != nil:
				return err
			}
		}
		return ctx.Err()
	})
	return damaged, err
}
