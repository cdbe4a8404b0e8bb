package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// WorktreeHead is the CONTEXT_HEAD of one worktree.
type WorktreeHead struct {
	Path   string // the worktree's (the git directory's in a bare repository)
	Ref    string // its name as seen from any worktree
	Target string // the ref that it names
}

// Worktrees returns the CONTEXT_HEAD of every worktree that has one. Worktrees
// whose directory is gone count too, as they do for `git branch -d`: they may
// be on a disk that is not mounted.
func (r *Repo) Worktrees(ctx context.Context) ([]WorktreeHead, error) {
	all, err := r.HeadNames()
	if err != nil {
		return nil, err
	}
	var heads []WorktreeHead
	for _, h := range all {
		h.Target, err = r.SymbolicRef(ctx, h.Ref)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	return heads, nil
}

// HeadNames returns what the CONTEXT_HEAD of every worktree is called, the main one's
// first, without looking at any.
func (r *Repo) HeadNames() ([]WorktreeHead, error) {
	main := r.commonDir
	if filepath.Base(main) == ".git" {
		main = filepath.Dir(main)
	}
	heads := []WorktreeHead{{Path: main, Ref: MainHeadName}}
	dir := filepath.Join(r.commonDir, "worktrees")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list worktrees: %w", err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name(), "gitdir"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list worktrees: %w", err)
		}
		path := disk.Absolute(filepath.Join(dir, e.Name()), strings.TrimRight(string(data), "\r\n"))
		heads = append(heads, WorktreeHead{Path: filepath.Dir(path), Ref: "worktrees/" + e.Name() + "/" + HeadName})
	}
	return heads, nil
}

// WorktreeDirs lists the git directories of all worktrees, absolute, the main one's
// first.
func (r *Repo) WorktreeDirs() ([]string, error) {
	dirs := []string{r.commonDir}
	list, err := os.ReadDir(filepath.Join(r.commonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list worktrees: %w", err)
	}
	for _, e := range list {
		dir := filepath.Join(r.commonDir, "worktrees", e.Name())
		switch _, err := os.Stat(filepath.Join(dir, "HEAD")); {
		case err == nil:
			dirs = append(dirs, dir)
		case !errors.Is(err, fs.ErrNotExist): // else it was removed, but for a remainder
			return nil, err
		}
	}
	return dirs, nil
}
