package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
)

// ReadState decodes a file of local state, after one look at the disk where there is
// none: found is false then. What is there and cannot be understood is bad; the caller
// knows what people can do about it.
func (s *Store) ReadState(name string, into any) (found bool, bad, err error) {
	f, err := s.repo.OpenState(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	defer f.Close()
	return true, json.NewDecoder(f).Decode(into), nil
}

// asideMark follows the name of a file of local state that was set aside.
const asideMark = ".unreadable-"

// IsAside reports whether a file of local state was set aside, see SetAside.
func IsAside(name string) bool { return strings.Contains(name, asideMark) }

// SetAside renames a file of local state that nobody can use, so that people can still look at it, and returns its
// new path. gc removes it later. Its age begins anew.
func (s *Store) SetAside(name string) (string, error) {
	id, err := s.NewID("")
	if err != nil {
		return "", err
	}
	path := s.StatePath(name)
	base := filepath.Base(path)
	aside := filepath.Join(filepath.Dir(path), base[:min(len(base), 180)]+asideMark+id)
	now := s.Clock()
	if err := os.Chtimes(path, now, now); err != nil {
		return "", err
	}
	return aside, os.Rename(path, aside)
}

// BisectDir is the folder of local state with the bisects, one folder for a worktree.
const BisectDir = "bisect"

// dropBisects forgets the bisects of a branch in all worktrees.
func (s *Store) dropBisects(ctx context.Context, branch string) error {
	return s.eachBisect(ctx, branch, func(_, path string) error { return os.Remove(path) })
}

// linkBisects gives the bisects of a branch, one for each worktree, another name too.
// One that stands there is of a branch that is no more.
func (s *Store) linkBisects(ctx context.Context, old, name string) error {
	if err := s.dropBisects(ctx, name); err != nil {
		return err
	}
	return s.eachBisect(ctx, old, func(worktree, path string) error {
		err := os.Link(path, s.StatePath(BisectFile(worktree, name)))
		fault.Point("after-bisect-linked")
		return err
	})
}

// eachBisect visits the bisects of a branch, each locked, in all worktrees.
func (s *Store) eachBisect(ctx context.Context, branch string, visit func(worktree, path string) error) error {
	worktrees, err := os.ReadDir(s.StatePath(BisectDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, w := range worktrees {
		name := BisectFile(w.Name(), branch)
		path := s.StatePath(name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) { // before a lock makes its file
			continue
		}
		lock, err := s.repo.Lock(ctx, name)
		if err != nil {
			return err
		}
		err = visit(w.Name(), path)
		if errors.Is(err, fs.ErrNotExist) { // reset while we waited
			err = nil
		}
		if err = errors.Join(err, lock.Unlock()); err != nil {
			return err
		}
	}
	return nil
}

// BisectFile returns the name of a branch's bisect in a worktree, in local state.
func BisectFile(worktree, branch string) string {
	return BisectDir + "/" + worktree + "/" + git.FileName(branch, ".json")
}

// IntentDir is the folder of local state with the intents of `commit --code` and `rollback
// --code`.
const IntentDir = "intent"

// HookFailures is the file of local state with the failures of hooks, one JSON object on a
// line.
const HookFailures = "hooks.jsonl"

// MergeDir is the folder of local state with the merges that wait for their conflicts.
const MergeDir = "merge"

// CaptureDir is the folder of local state with what the hooks of agents keep of each session:
// KEY.json is written under CaptureLock(KEY), KEY.jsonl under SpoolLock.
const CaptureDir = "capture"

// SpoolLock is the lock of all files KEY.jsonl of CaptureDir. It is taken last.
const SpoolLock = "spool"

// CaptureLock is the lock of a session.
func CaptureLock(key string) string { return "capture " + key }

// WorktreeName names this worktree in files of local state that each worktree has of its own.
func (s *Store) WorktreeName() string {
	if s.repo.Linked() {
		return WorktreePrefix + filepath.Base(s.repo.GitDir())
	}
	return "main-worktree"
}

// WorktreePrefix is what the names of linked worktrees begin with, before git's name of them.
const WorktreePrefix = "worktree-"
