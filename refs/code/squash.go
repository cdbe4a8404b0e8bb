package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// squashDir is the directory of local state with what waits to be committed after `git merge --squash`, a
// file for each worktree.
const squashDir = "squash"

// squash is such a file.
type squash struct {
	Head    git.ID   `json:"head"`    // the code commit that the squash was made on
	Commits []git.ID `json:"commits"` // the squashed ones
}

func squashFile(s *store.Store) string {
	worktree := s.Repo().WorktreeDir()
	if worktree == "." {
		worktree = "main-worktree"
	}
	return squashDir + "/" + git.FileName(worktree, ".json")
}

// NoteSquash is the hook post-merge after `git merge --squash`: it keeps which commits were squashed. The
// commit that follows has one parent, and git removes its list of them before the hook post-commit runs.
func NoteSquash(ctx context.Context, s *store.Store) error {
	text, err := os.ReadFile(filepath.Join(s.Repo().GitDir(), "SQUASH_MSG"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	head, err := s.CodeHead(ctx)
	if err != nil || head == "" {
		return err
	}
	data, err := json.Marshal(squash{Head: head, Commits: squashedIn(string(text), len(head))})
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(squashFile(s), append(data, '\n'))
}

// squashedInto returns the commits that a commit squashed: those that its message names or, if that was
// replaced, those that NoteSquash kept.
func squashedInto(s *store.Store, c *git.Commit) ([]git.ID, error) {
	var kept squash
	found, bad, err := s.ReadState(squashFile(s), &kept)
	if err != nil {
		return nil, err
	}
	if found {
		if err := os.Remove(s.StatePath(squashFile(s))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot remove the list of squashed commits: %w", err)
		}
	}
	if list := squashedIn(c.Message, len(c.ID)); len(list) > 0 {
		return list, nil
	}
	if bad == nil && slices.Equal(c.Parents, []git.ID{kept.Head}) {
		return kept.Commits, nil
	}
	return nil, nil
}

// squashedLine is the line that `git merge --squash` writes above the log of the squashed commits.
const squashedLine = "Squashed commit of the following:\n"

// squashedIn returns the commits that git's message for a squash names, by hashes of a length.
func squashedIn(message string, hexLen int) []git.ID {
	_, list, _ := strings.Cut(message, squashedLine)
	var commits []git.ID
	for line := range strings.Lines(list) {
		id, named := strings.CutPrefix(line, "commit ")
		if id = strings.TrimSpace(id); named && git.IsID(id) && len(id) == hexLen {
			commits = append(commits, git.ID(id))
		}
	}
	return commits
}
