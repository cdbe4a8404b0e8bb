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

// Worktrees returns what CONTEXT_HEAD names in every worktree that has one, by
// the worktree's path (the git directory's in a bare repository). Worktrees
// whose directory is gone count too, as they do for `git branch -d`: they may
// be on a disk that is not mounted.
func (r *Repo) Worktrees(ctx context.Context) (map[string]string, error) {
	heads := map[string]string{}
	main := r.commonDir
	if filepath.Base(main) == ".git" {
		main = filepath.Dir(main)
	}
	if err := r.addHead(ctx, heads, main, MainHeadName); err != nil {
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
		if err := r.addHead(ctx, heads, filepath.Dir(path), "worktrees/"+e.Name()+"/"+HeadName); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// addHead adds what a worktree's CONTEXT_HEAD names, if it has one.
func (r *Repo) addHead(ctx context.Context, heads map[string]string, path, name string) error {
	target, err := r.SymbolicRef(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	heads[path] = target
	return nil
}
