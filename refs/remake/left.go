package remake

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// Remains are what is here of a tree.
type Remains struct {
	Files map[string]git.ID // by path
	Lost  []string          // paths of lost files and folders; "" for the tree itself
}

// Left finds what is here of the tree of a memory commit.
func Left(ctx context.Context, r *git.Repo, tree git.ID) (Remains, error) {
	left := Remains{Files: map[string]git.ID{}}
	err := left.read(ctx, r, tree, "")
	return left, err
}

func (l *Remains) read(ctx context.Context, r *git.Repo, tree git.ID, dir string) error {
	list, err := r.Tree(ctx, tree)
	if errors.Is(err, git.ErrNotFound) {
		l.Lost = append(l.Lost, strings.TrimSuffix(dir, "/"))
		return nil
	}
	if errors.Is(err, git.ErrNotFetched) { // a remote has it
		return nil
	}
	if err != nil {
		return err
	}
	ids := make([]git.ID, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	lost, err := r.NotPromised(ctx, ids)
	if err != nil {
		return err
	}
	for _, e := range list {
		switch {
		case e.IsTree():
			err = l.read(ctx, r, e.ID, dir+e.Name+"/")
		case lost[e.ID]:
			l.Lost = append(l.Lost, dir+e.Name)
		default:
			l.Files[dir+e.Name] = e.ID
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Needed reports whether the tree is of no use without what is lost: something other than metadata.yaml, topics, attachments and segments.
func (l *Remains) Needed() bool {
	return slices.ContainsFunc(l.Lost, func(path string) bool {
		top, _, _ := strings.Cut(path, "/")
		return !slices.Contains([]string{doc.MetadataFile, doc.TopicDir, doc.ArtifactDir, doc.LogDir, doc.CommitDir}, top)
	})
}
