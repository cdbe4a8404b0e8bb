package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	var heads []WorktreeHead
	main := r.commonDir
	if filepath.Base(main) == ".git" {
		main = filepath.Dir(main)
	}
	if err := r.addHead(ctx, &heads, main, MainHeadName); err != nil {
		return nil, err
	}
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
		path := absolute(filepath.Join(dir, e.Name()), strings.TrimRight(string(data), "\r\n"))
		if err := r.addHead(ctx, &heads, filepath.Dir(path), "worktrees/"+e.Name()+"/"+HeadName); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// addHead adds a worktree's CONTEXT_HEAD, if it has one.
func (r *Repo) addHead(ctx context.Context, heads *[]WorktreeHead, path, name string) error {
	target, err := r.SymbolicRef(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	*heads = append(*heads, WorktreeHead{path, name, target})
	return nil
}
