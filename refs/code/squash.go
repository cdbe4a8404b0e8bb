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

// SquashDir is the directory of local state with what waits to be committed after `git merge --squash`, a
// file for each worktree.
const SquashDir = "squash"

// squash is such a file.
type squash struct {
	Head    git.ID   `json:"head"`    // the code commit that the squash was made on
	Tree    git.ID   `json:"tree"`    // of the index after it
	Commits []git.ID `json:"commits"` // the squashed ones
}

func squashFile(s *store.Store) string {
	return SquashDir + "/" + git.FileName(s.WorktreeName(), ".json")
}

// NoteSquash is the hook post-merge after `git merge --squash`: it keeps which commits were squashed. The
// commit that follows has one parent, and git removes its list of them before the hook post-commit runs.
func NoteSquash(ctx context.Context, s *store.Store) error {
	text, err := git.ReadStateFile(filepath.Join(s.Repo().GitDir(), "SQUASH_MSG"))
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
	tree, err := s.Repo().IndexTree(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(squash{Head: head, Tree: tree, Commits: squashedIn(string(text), len(head))})
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(squashFile(s), append(data, '\n'))
}

// squashedInto returns the commits that a commit squashed: those that its message names or, if that was
// replaced, those that NoteSquash kept. The squash may have been given up, so that these count only for a
// commit that contains what it staged and nothing else.
func squashedInto(s *store.Store, c *git.Commit) ([]git.ID, error) {
	if list := squashedIn(c.Message, len(c.ID)); len(list) > 0 {
		return list, nil
	}
	var kept squash
	_, bad, err := s.ReadState(squashFile(s), &kept)
	if err = errors.Join(err, bad); err != nil {
		return nil, fmt.Errorf("cannot read which commits were squashed: %w", errors.Join(err, dropSquash(s)))
	}
	if slices.Equal(c.Parents, []git.ID{kept.Head}) && c.Tree == kept.Tree {
		return kept.Commits, nil
	}
	return nil, nil
}

// dropSquash removes the list that NoteSquash kept, once its commit is linked or it is of no use.
func dropSquash(s *store.Store) error {
	err := os.Remove(s.StatePath(squashFile(s)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
