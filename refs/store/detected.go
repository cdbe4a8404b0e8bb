package store

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/detect"
	"github.com/git-context/git-context/refs/git"
)

// refreshDetected brings a change's detected keys up to date where the code has
// moved on since the parent commit. The questions get more costly one by one:
// is HEAD another commit, is its tree another tree, what is in it.
func (s *Store) RefreshDetected(ctx context.Context, c *Draft, parent *git.Commit) error {
	if c.Code == "" {
		return nil
	}
	before, _, err := c.Meta.Get(detect.KeyFrom)
	if err != nil {
		return err
	}
	known, _ := before.(string)
	seen := parent != nil && parent.Trailer(TrailerID) != "" && git.ID(parent.Trailer(TrailerCode)) == c.Code
	if seen && known != "" {
		return nil
	}
	failed := detect.Refresh(ctx, s.repo, c.Meta, c.Code, git.ID(known))
	if failed == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	// What the code looks like is worth no milestone: the keys stay as they are,
	// and without the tree that they were read from the next one tries again.
	c.Warnings = append(c.Warnings, "metadata not refreshed: "+failed.Error())
	_, err = c.Meta.Unset(detect.KeyFrom)
	return err
}

// codeHead is the code repository's HEAD, "" while it is unborn.
func (s *Store) CodeHead(ctx context.Context) (git.ID, error) {
	id, err := s.repo.Ref(ctx, "HEAD")
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// codeHead is the code commit that a change is made on.
func (ses *Transaction) codeHead(ctx context.Context) (git.ID, error) {
	if ses.Code != "" {
		return ses.Code, nil
	}
	return ses.Store.CodeHead(ctx)
}
