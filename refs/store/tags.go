package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Tags lists the named commits by name: all, or those whose names match one of
// the patterns names, in which '*' also stands for slashes, as with `git tag -l`.
func (s *Store) Tags(ctx context.Context, names ...string) ([]Tag, error) {
	if err := patterns(names).check("git context tag -l 'success/*'"); err != nil {
		return nil, err
	}
	list, err := s.TagRefs(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 { // none, or no memory at all
		if names, err := s.BranchNames(ctx); err != nil || len(names) == 0 {
			return nil, cmp.Or(err, s.NoSuchBranch(ctx, ""))
		}
	}
	tags := []Tag{}
	for _, r := range list {
		if !patterns(names).matches(r.Name) {
			continue
		}
		c, err := s.repo.Commit(ctx, r.ID)
		if err != nil {
			return nil, fmt.Errorf("tag '%s': %w", r.Name, err)
		}
		tags = append(tags, Tag{Name: r.Name, Commit: r.ID, ID: c.Trailer(TrailerID), Branch: BranchOf(c), Summary: c.Subject()})
	}
	return tags, nil
}

// TagRefs lists the tags by name, without what they name.
func (s *Store) TagRefs(ctx context.Context) ([]git.Ref, error) {
	list, err := s.repo.Refs(ctx, git.TagPrefix)
	for i := range list {
		list[i].Name = list[i].Name[len(git.TagPrefix):]
	}
	return list, err
}

// hashLike reports whether a name could be that of an object, in full or in short. As
// a tag it would win over it.
func hashLike(name string) bool {
	return len(name) >= 7 && strings.Trim(name, "0123456789abcdef") == ""
}

// SetTag names a commit; an empty rev means the newest one of the current branch. A tag that
// exists is never moved: fail.ErrExists.
func (s *Store) SetTag(ctx context.Context, w Writer, name, rev string) (Change, error) {
	if err := git.CheckBranchName(name); err != nil {
		hint := "git context tag"
		if strings.ContainsAny(name, "*?[") {
			hint = "git context tag -l '" + prose.OneLine(name, 100) + "'"
		}
		return Change{}, fail.New(fail.ErrInvalid, fail.TagName, strings.Replace(err.Error(), "branch name", "tag name", 1), hint)
	}
	if doc.ValidID(name) || hashLike(name) {
		return Change{}, fail.New(fail.ErrInvalid, fail.TagName, fmt.Sprintf("'%s' looks like a hash or an id, which it would hide", name), "git context tag NAME "+name)
	}
	if rev == "" {
		tip, err := s.Tip(ctx, "")
		if err != nil {
			return Change{}, err
		}
		rev = tip.Name()
	}
	c, err := s.CommitMeant(ctx, rev)
	if err == nil {
		err = s.mayBuildOn(ctx, rev, c)
	}
	if err != nil {
		return Change{}, err
	}
	res := Change{Commit: c.ID, Branch: BranchOf(c), Path: name}
	tx, err := s.Begin(ctx, w, "tag: "+name)
	if err != nil {
		return Change{}, err
	}
	defer tx.Close()
	err = tx.Swap(ctx, func(ctx context.Context) error {
		have, err := s.repo.Ref(ctx, git.TagRef(name))
		switch {
		case err == nil && have == c.ID:
			res.Unchanged = true
			return ErrNothing
		case err == nil:
			return fail.New(fail.ErrExists, fail.TagExists, fmt.Sprintf("tag '%s' already names %s", name, have.Short()), "git context tag -d "+name)
		case !errors.Is(err, git.ErrNotFound):
			return err
		}
		if err := s.CheckNewTag(ctx, name); err != nil {
			return err
		}
		if err := tx.stillMemory(ctx); err != nil {
			return err
		}
		tx.Refs.Update(git.TagRef(name), c.ID, "")
		return nil
	})
	if err == nil {
		err = s.warnOfBranch(ctx, name, &res)
	}
	return res, err
}

// stillMemory lets the transaction fail if a deinit removes memory before its refs move, see SameRoadmap: the new ref
// would keep all of it.
func (tx *Transaction) stillMemory(ctx context.Context) error {
	roadmap, err := tx.Store.RoadmapTip(ctx)
	if err != nil {
		return err
	}
	if roadmap == "" {
		names, err := tx.Store.BranchNames(ctx)
		if err == nil && len(names) == 0 {
			err = fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
		}
		return err
	}
	tx.SameRoadmap(roadmap)
	return nil
}

// CheckNewTag refuses a tag name that cannot exist beside the present ones.
func (s *Store) CheckNewTag(ctx context.Context, name string) error {
	list, err := s.TagRefs(ctx)
	if err != nil {
		return err
	}
	for _, have := range list {
		if clash := NameClash(have.Name, name); clash != "" {
			return fail.New(fail.ErrExists, fail.TagExists, fmt.Sprintf("tag '%s' %s", name, clash), "choose another name")
		}
	}
	return nil
}

// warnOfBranch says of a tag that a branch of that name hides it.
func (s *Store) warnOfBranch(ctx context.Context, name string, res *Change) error {
	_, err := s.repo.Ref(ctx, git.BranchRef(name))
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err == nil {
		res.Warnings = append(res.Warnings, fmt.Sprintf("'%s' is also a branch, and the name means the branch", name))
	}
	return err
}

// DeleteTag removes a tag. Its commit stays.
func (s *Store) DeleteTag(ctx context.Context, name string) (Change, error) {
	tx, err := s.Begin(ctx, Writer{}, "tag: delete "+prose.OneLine(name, 100))
	if err != nil {
		return Change{}, err
	}
	defer tx.Close()
	var res Change
	err = tx.Swap(ctx, func(ctx context.Context) error {
		id, err := s.tagID(ctx, name)
		if err != nil {
			return err
		}
		c, err := s.repo.Commit(ctx, id)
		if err != nil {
			return err
		}
		res = Change{Commit: id, Branch: BranchOf(c), Path: name}
		tx.Refs.Delete(git.TagRef(name), id)
		return nil
	})
	return res, err
}

// tagID is what a tag names; fail.ErrNotFound says the nearest name.
func (s *Store) tagID(ctx context.Context, name string) (git.ID, error) {
	if git.CheckBranchName(name) == nil {
		id, err := s.repo.Ref(ctx, git.TagRef(name))
		if err == nil || !errors.Is(err, git.ErrNotFound) {
			return id, err
		}
	}
	tags, err := s.TagRefs(ctx)
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
	return "", fail.New(fail.ErrNotFound, fail.TagNotFound, fmt.Sprintf("tag '%s' not found", prose.OneLine(name, 100)), hint)
}

// RemoteTagPrefix marks a tag among the names that DeleteRemote is given.
const RemoteTagPrefix = "tags/"

// Tag is a name of a commit.
type Tag struct {
	Name    string `json:"name"`
	Commit  git.ID `json:"commit"`
	ID      string `json:"id"`
	Branch  string `json:"branch"` // that the commit was made on
	Summary string `json:"summary"`
}

// patterns select names, as `git tag -l` does: '*' also stands for slashes.
type patterns []string

// check returns an error for a pattern that cannot be understood. hint is a correct one.
func (x patterns) check(hint string) error {
	for _, p := range x {
		if _, err := matchName(p, ""); err != nil {
			return fail.New(fail.ErrInvalid, fail.PatternInvalid, fmt.Sprintf("'%s' is no pattern", prose.OneLine(p, 100)), hint)
		}
	}
	return nil
}

// matches reports whether a name matches one of the patterns, which were checked. Without a
// pattern every name does.
func (x patterns) matches(name string) bool {
	return len(x) == 0 || slices.ContainsFunc(x, func(p string) bool { ok, err := matchName(p, name); return ok && err == nil })
}

// matchName is path.Match where a slash is a character like others.
func matchName(pattern, name string) (bool, error) {
	const slash = "\x01" // which no name contains
	return path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
}
