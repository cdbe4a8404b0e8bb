package code

import (
	"context"
	"errors"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// collected reports whether git failed because an object is gone that it names. Code that no ref reaches may be gone in part:
// `git repack -a -d` drops what was packed and keeps what was not, and a commit-graph names commits that are gone. git fsck finds
// nothing wrong with the former.
func collected(ctx context.Context, s *store.Store, err error) bool {
	var failed *git.Error
	if !errors.As(err, &failed) {
		return false
	}
	var named []git.ID
	for word := range strings.FieldsFuncSeq(failed.Stderr, func(c rune) bool { return !strings.ContainsRune("0123456789abcdef", c) }) {
		if s.Repo().IsID(word) {
			named = append(named, git.ID(word))
		}
	}
	here, err := existing(ctx, s, named)
	return err == nil && len(here) < len(named)
}

// existing returns those objects that exist here.
func existing(ctx context.Context, s *store.Store, ids []git.ID) (map[git.ID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	here := map[git.ID]bool{}
	for _, info := range infos {
		if info.Type != "" {
			here[info.ID] = true
		}
	}
	return here, nil
}
