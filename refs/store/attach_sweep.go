package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// keepAttached limits the bytes of attached files that are kept after a commit took them.
const keepAttached = 16 << 20

// hasAttachments reports whether a line of a journal names one.
func hasAttachments(l journal.Line) bool { return bytes.Contains(l.Raw, []byte(`,"attachments":[{"`)) }

// SweepAttached removes attached files that no journal names: in any file of the folder of journals, because
// such a file may come back. Of those that only the committed lines of one branch name, whose lock the
// caller has, the newest 16 MiB stay; "" for no branch. A dry run only counts. It returns how many files went, and their
// bytes.
func (s *Store) SweepAttached(ctx context.Context, branch string, dryRun bool) (files int, bytes int64, err error) {
	dir := s.StatePath(AttachedDir)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	lock, err := s.repo.Lock(ctx, attachedLock)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	keep, err := s.namedAttached(branch)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range list {
		if keep[f.Name()] || git.IsTemp(f.Name()) {
			continue
		}
		info, err := f.Info()
		if err == nil && !dryRun {
			err = os.Remove(filepath.Join(dir, f.Name()))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return files, bytes, err
		default:
			files, bytes = files+1, bytes+info.Size()
		}
	}
	return files, bytes, nil
}

// namedAttached returns the hashes that journals name, without those that SweepAttached lets go.
func (s *Store) namedAttached(branch string) (map[string]bool, error) {
	named := map[string]bool{}
	dir := s.StatePath("journal")
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range list {
		if branch != "" && f.Name() == journal.FileName(branch) {
			continue
		}
		data, err := git.ReadStateFile(filepath.Join(dir, f.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		eachHash(data, func(hash string, _ int64) { named[hash] = true })
	}
	if branch == "" {
		return named, nil
	}
	c, err := journal.Read(s.JournalPath(branch))
	if errors.Is(err, journal.ErrMissing) {
		return named, nil
	}
	if err != nil {
		return nil, err
	}
	left := int64(keepAttached)
	for _, l := range slices.Backward(c.Lines) {
		eachHash(l.Raw, func(hash string, size int64) {
			if l.End > c.Mark.Upto || named[hash] {
				named[hash] = true
			} else if left -= size; left >= 0 {
				named[hash] = true
			}
		})
	}
	return named, nil
}

// eachHash visits the hashes of attachments in lines of a journal, with their sizes. Quotation marks in
// texts are escaped there, so that none can imitate one.
func eachHash(data []byte, visit func(hash string, size int64)) {
	const sizeKey, hashKey = `"size":`, `,"hash":"`
	for {
		at := bytes.Index(data, []byte(hashKey))
		if at < 0 {
			return
		}
		size := int64(0)
		if from := bytes.LastIndex(data[:at], []byte(sizeKey)); from >= 0 {
			for _, c := range data[from+len(sizeKey) : at] {
				size = size*10 + int64(c-'0')
			}
		}
		data = data[at+len(hashKey):]
		if hash, _, ok := bytes.Cut(data, []byte(`"`)); ok {
			visit(string(hash), size)
		}
	}
}

// DropAttached removes the attached files for which drop returns true.
func (s *Store) DropAttached(drop func(hash string, data []byte) bool) error {
	dir := s.StatePath(AttachedDir)
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range list {
		path := filepath.Join(dir, f.Name())
		data, err := git.ReadStateFile(path)
		if err == nil && drop(f.Name(), data) {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
