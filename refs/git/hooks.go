package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// HooksPath is the directory in which git looks for this worktree's hooks, absolute:
// core.hooksPath, which may be relative to the worktree's top, else the common git
// directory's. It need not exist.
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	path := filepath.Clean(strings.TrimSuffix(string(out), "\n"))
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("git rev-parse: cannot understand '%s'", shown(path))
	}
	return path, nil
}

// MainWorkTree is the top directory of the worktree that the repository was made
// with, "" where it is bare or cannot be told.
func (r *Repo) MainWorkTree() string {
	switch {
	case !r.Linked():
		return r.workTree
	case filepath.Base(r.commonDir) == ".git":
		return filepath.Dir(r.commonDir)
	}
	return ""
}

// Rebasing reports whether a rebase is under way in this worktree: it tells which
// commits it made of which when it ends.
func (r *Repo) Rebasing() (bool, error) {
	for _, name := range []string{"rebase-merge", "rebase-apply/rebasing"} {
		_, err := os.Lstat(filepath.Join(r.gitDir, filepath.FromSlash(name)))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// maxReflogLine is how much of a reflog's end is read: the reason is a subject.
const maxReflogLine = 64 << 10

// LastMove is the newest line of this worktree's HEAD reflog. ErrNotFound: none is
// kept.
func (r *Repo) LastMove(ctx context.Context) (HeadMove, error) {
	if !r.format.refFiles {
		return r.askLastMove(ctx)
	}
	f, err := os.Open(filepath.Join(r.gitDir, "logs", "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': %w", ErrNotFound)
	}
	if err != nil {
		return HeadMove{}, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return HeadMove{}, err
	}
	data := make([]byte, min(end, maxReflogLine))
	if _, err := f.ReadAt(data, end-int64(len(data))); err != nil && !errors.Is(err, io.EOF) {
		return HeadMove{}, err
	}
	data = bytes.TrimSuffix(data, []byte("\n"))
	if len(data) == 0 {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': %w", ErrNotFound)
	}
	return r.parseMove(string(data[bytes.LastIndexByte(data, '\n')+1:]))
}

// parseMove reads `<old> <new> <who> <when>TAB<reason>`.
func (r *Repo) parseMove(line string) (HeadMove, error) {
	head, reason, _ := strings.Cut(line, "\t")
	fields := strings.SplitN(head, " ", 3)
	if len(fields) < 3 || !isHex(fields[0], r.hexLen()) || !isHex(fields[1], r.hexLen()) {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': cannot understand '%s'", shown(line))
	}
	return HeadMove{Old: ID(fields[0]), New: ID(fields[1]), Reason: reason}, nil
}

// askLastMove asks git, which keeps the reflog elsewhere. It tells where HEAD stood
// before only as a line of its own.
func (r *Repo) askLastMove(ctx context.Context) (HeadMove, error) {
	if _, err := r.Ref(ctx, "HEAD"); err != nil {
		return HeadMove{}, err // git log knows no reflog of an unborn branch
	}
	out, err := r.View(ctx, "log", "--walk-reflogs", "-n2", "--format=%H %gs", "HEAD", "--")
	if err != nil {
		return HeadMove{}, err
	}
	newest, before, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	id, reason, _ := strings.Cut(newest, " ")
	old, _, _ := strings.Cut(before, " ")
	if !isHex(id, r.hexLen()) {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': %w", ErrNotFound)
	}
	return HeadMove{Old: ID(old), New: ID(id), Reason: reason}, nil
}
