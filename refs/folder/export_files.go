package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// keptFiles are the files that steps keep, by their path in the folder, which is that of the tree. Each is read
// when it is written: all of them may be more than fits into memory. The blob is "" for one of a pending step.
type keptFiles map[string]git.ID

// add adds the files of a step of a branch.
func (k keptFiles) add(ctx context.Context, tip *store.Tip, step doc.Step) error {
	for _, a := range step.Attachments {
		e, _, err := tip.Entry(ctx, a.Path())
		if err != nil {
			return err
		}
		if k[a.Path()] == "" {
			k[a.Path()] = e.ID
		}
	}
	return nil
}

// write writes the files into a folder, and counts those that are lost.
func (k keptFiles) write(ctx context.Context, s *store.Store, folder string) (lost int, err error) {
	for path, blob := range k {
		var data []byte
		if blob != "" {
			data, err = s.Repo().Blob(ctx, blob)
		} else {
			hash, _, _ := doc.AttachmentAt(path)
			data, err = os.ReadFile(s.AttachedPath(hash))
		}
		if blob == "" && errors.Is(err, fs.ErrNotExist) { // fsck reports it, unless it was expunged
			lost++
			continue
		}
		if err != nil {
			return lost, err
		}
		at := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return lost, err
		}
		if err := os.WriteFile(at, data, 0o666); err != nil {
			return lost, err
		}
	}
	return lost, nil
}
