package store

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// ArtifactIDs returns the blobs of the files that steps of a branch keep, by path; none for nil. It leaves out
// the folders that another tip has too, which may be nil: what is equal need not be read.
func ArtifactIDs(ctx context.Context, t, but *Tip) (map[string]git.ID, error) {
	ids := map[string]git.ID{}
	if t == nil {
		return ids, nil
	}
	same := map[git.TreeEntry]bool{}
	if but != nil {
		list, err := but.List(ctx, doc.ArtifactDir)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			same[e] = true
		}
	}
	folders, err := t.List(ctx, doc.ArtifactDir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		dir := doc.ArtifactDir + "/" + folder.Name
		if !folder.IsTree() || same[folder] {
			continue
		}
		list, err := t.List(ctx, dir)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if path := dir + "/" + e.Name; doc.KindOf(path) == doc.FileArtifact && e.Mode == git.ModeBlob {
				ids[path] = e.ID
			}
		}
	}
	return ids, nil
}
