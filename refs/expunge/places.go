package expunge

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// places are the paths of files, one of each kind that a file has: what a step keeps may have the bytes of a topic, and is
// the same object then.
type places map[git.ID][]string

// add adds a path of a file.
func (p places) add(id git.ID, path string) {
	kind := placeKind(path)
	if !slices.ContainsFunc(p[id], func(have string) bool { return placeKind(have) == kind }) {
		p[id] = append(p[id], path)
	}
}

// placeKind returns one path for all files that are read in the same way.
func placeKind(path string) string {
	switch {
	case isNotePath(path):
		return git.NotesRef
	case doc.KindOf(path) != doc.FileUnknown || path == doc.RoadmapFile || path == doc.ExpungedFile:
		return kindPath(path)
	}
	return ""
}

// isNotePath reports whether a path is that of a note, in any fan-out.
func isNotePath(path string) bool { return git.IsID(strings.ReplaceAll(path, "/", "")) }

// listing is what some tips lead to.
type listing struct {
	commits, files []git.ID
	paths          places // of files; that of a commit is ""
}

// list lists what tips lead to, and visits each file once with each of its paths. `git rev-list --objects` names a file once, wherever else
// it is, so that this asks what each commit changes.
func list(ctx context.Context, s *store.Store, tips []git.ID, visit func(git.NamedObject)) (*listing, error) {
	history, err := s.Repo().History(ctx, tips)
	if err != nil {
		return nil, err
	}
	l := &listing{commits: newCommitIDs(history), paths: places{}}
	for _, id := range l.commits {
		l.paths[id] = []string{""}
	}
	named := map[git.NamedObject]bool{}
	return l, eachFile(ctx, s, l.commits, func(o git.NamedObject) {
		if named[o] {
			return
		}
		named[o] = true
		if l.paths[o.ID] == nil {
			l.files = append(l.files, o.ID)
		}
		l.paths.add(o.ID, o.Path)
		visit(o)
	})
}

// eachFile visits the files of some commits with their paths, except those that a parent has at the same path.
func eachFile(ctx context.Context, s *store.Store, commits []git.ID, visit func(git.NamedObject)) error {
	for chunk := range slices.Chunk(commits, incoming.ChunkSize) {
		err := s.Repo().ChangedFiles(ctx, chunk, func(f git.ChangedFile) error {
			if f.New != "" {
				visit(git.NamedObject{ID: f.New, Path: f.Path})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newCommitIDs(list []git.NewCommit) []git.ID {
	ids := make([]git.ID, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return ids
}
