package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
)

// readState decodes a file of local state, after one look at the disk where there is
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

func BisectFile(worktree, branch string) string {
	return BisectDir + "/" + worktree + "/" + git.FileName(branch, ".json")
}

// intentDir is the folder of local state that holds them.
const IntentDir = "intent"

// The failures stand in a file of local state, one JSON object on a line.
const HookFailures = "hooks.jsonl"

// mergeDir is the folder of local state that holds them.
const MergeDir = "merge"

// readCache reads a small file of the cache: a line with the checksum of the rest, and
// the rest.
func (s *Store) ReadCache(name string) string {
	data, err := os.ReadFile(filepath.Join(s.repo.StateDir(), filepath.FromSlash(CacheDir), name))
	if err != nil {
		return ""
	}
	sum, text, _ := strings.Cut(string(data), "\n")
	if sum != textSum(name, text) {
		return ""
	}
	return text
}

// writeCache replaces a small file of the cache.
func (s *Store) WriteCache(name, text string) {
	// Only to save the next search its questions: failing is no error.
	_ = s.repo.WriteStateFile(CacheDir+"/"+name, []byte(textSum(name, text)+"\n"+text))
}

// The cache of searches is a folder of local state. Every file in it holds for good what
// it says, because it says it of object ids: the files of a tree, the terms of a blob,
// the milestone of a commit, the note of a notes tree. A file that is missing, damaged or
// cannot be written is no error: what it would have said is read from git.
const CacheDir = "cache/search"

// textSum names format and content of a small file.
func textSum(name, text string) string {
	sum := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf("git-context %s 1 %d %08x", name, len(text), sum)
}
