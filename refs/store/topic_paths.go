package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// checkTopicPaths refuses what cannot be the path of a file in a commit: the topic would
// never be seen to be stale.
func checkTopicPaths(paths []string) error {
	for _, p := range paths {
		if !fs.ValidPath(p) || strings.ContainsAny(p, "\n\x00") {
			return fail.New(fail.ErrInvalid, fail.TopicPath, fmt.Sprintf("'%s' is no path from the top of the code", prose.OneLine(p, 200)),
				"git ls-files --full-name")
		}
	}
	return nil
}

// lackOf says which paths of a topic are not there: misspelled, or still to be written. It
// stops nothing. What stands in the worktree is not looked for in HEAD, which may take
// a child.
func (s *Store) lackOf(ctx context.Context, paths []string) (warnings []string) {
	if len(paths) == 0 {
		return nil
	}
	head, err := s.CodeHead(ctx)
	if err == nil && head == "" {
		return []string{"the code has no commit yet: the topic is not seen to be stale before it is remembered again"}
	}
	var wanted []git.CommitPath
	for _, p := range paths {
		if !s.inWorkTree(p) {
			wanted = append(wanted, git.CommitPath{Commit: head, Path: p})
		}
	}
	var found map[git.CommitPath]git.TreeEntry
	if err == nil {
		found, err = s.repo.Paths(ctx, wanted)
	}
	if err != nil {
		return []string{"cannot tell whether the code has the topic's paths: " + err.Error()}
	}
	for _, w := range wanted {
		if _, ok := found[w]; !ok {
			warnings = append(warnings, fmt.Sprintf("path '%s' is neither in the worktree nor in the code's HEAD: the topic is stale once a commit brings it", w.Path))
		}
	}
	return warnings
}

func (s *Store) inWorkTree(p string) bool {
	top := s.repo.WorkTree()
	if top == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(p)))
	return err == nil
}
