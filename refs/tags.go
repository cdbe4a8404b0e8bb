package refs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// Tags lists the named milestones by name.
func (s *Store) Tags(ctx context.Context) ([]Tag, error) {
	list, err := s.repo.Refs(ctx, git.TagPrefix)
	if err != nil {
		return nil, err
	}
	tags := make([]Tag, len(list))
	for i, r := range list {
		tags[i] = Tag{Name: r.Name[len(git.TagPrefix):], Commit: r.ID}
	}
	return tags, nil
}

// SetTag names a milestone; an empty rev means the newest one of the current
// branch. A name that stands is never moved.
func (s *Store) SetTag(ctx context.Context, w Writer, name, rev string) (Change, error) {
	if err := git.CheckBranchName(name); err != nil {
		return Change{}, fail(ErrInvalid, "tag-name", strings.Replace(err.Error(), "branch name", "tag name", 1), "git context tag")
	}
	if rev == "" {
		branch, err := s.Current(ctx)
		if err != nil {
			return Change{}, err
		}
		if _, err := s.Tip(ctx, branch); err != nil {
			return Change{}, err
		}
		rev = branch
	}
	c, err := s.milestoneAt(ctx, rev)
	if err != nil {
		return Change{}, err
	}
	res := Change{Commit: c.ID, Branch: c.Trailer(trailerBranch), Path: name}
	ses, err := s.begin(ctx, w, "tag: "+name)
	if err != nil {
		return Change{}, err
	}
	defer ses.close()
	err = ses.swap(ctx, func(ctx context.Context) error {
		have, err := s.repo.Ref(ctx, git.TagRef(name))
		switch {
		case err == nil && have == c.ID:
			res.Unchanged = true
			return errNothing
		case err == nil:
			return fail(ErrExists, "tag-exists", fmt.Sprintf("tag '%s' already names %s", name, have.Short()), "git context tag -d "+name)
		case !errors.Is(err, git.ErrNotFound):
			return err
		}
		ses.tx.Update(git.TagRef(name), c.ID, "")
		return nil
	})
	return res, err
}

// DeleteTag removes a name. The milestone stays.
func (s *Store) DeleteTag(ctx context.Context, name string) (Change, error) {
	ses, err := s.begin(ctx, Writer{}, "tag: delete "+oneLine(name, 100))
	if err != nil {
		return Change{}, err
	}
	defer ses.close()
	var res Change
	err = ses.swap(ctx, func(ctx context.Context) error {
		id, err := s.tagID(ctx, name)
		if err != nil {
			return err
		}
		c, err := s.repo.Commit(ctx, id)
		if err != nil {
			return err
		}
		res = Change{Commit: id, Branch: c.Trailer(trailerBranch), Path: name}
		ses.tx.Delete(git.TagRef(name), id)
		return nil
	})
	return res, err
}

// tagID is what a tag names; ErrNotFound says the nearest name.
func (s *Store) tagID(ctx context.Context, name string) (git.ID, error) {
	if git.CheckBranchName(name) == nil {
		id, err := s.repo.Ref(ctx, git.TagRef(name))
		if err == nil || !errors.Is(err, git.ErrNotFound) {
			return id, err
		}
	}
	tags, err := s.Tags(ctx)
	if err != nil {
		return "", err
	}
	names := make([]string, len(tags))
	for i, t := range tags {
		names[i] = t.Name
	}
	hint := "git context tag"
	if near := doc.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean '%s'?", near)
	}
	return "", fail(ErrNotFound, "tag-not-found", fmt.Sprintf("tag '%s' not found", oneLine(name, 100)), hint)
}
