package loss

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// artifacts returns the files of steps that a commit lacks of another one, by path. Only an expunge removes
// such a file, so that no record excuses a commit.
func (f *finder) artifacts(ctx context.Context, id, of git.ID) (map[string]git.ID, error) {
	now, err := f.artifactFolders(ctx, id)
	if err != nil {
		return nil, err
	}
	before, err := f.artifactFolders(ctx, of)
	if err != nil {
		return nil, err
	}
	lost := map[string]git.ID{}
	for radix, folder := range before {
		if !folder.IsTree() || folder.ID == now[radix].ID {
			continue
		}
		had, err := f.list(ctx, folder.ID)
		if err != nil {
			return nil, err
		}
		has := map[string]git.TreeEntry{}
		if now[radix].IsTree() {
			if has, err = f.list(ctx, now[radix].ID); err != nil {
				return nil, err
			}
		}
		for name, e := range had {
			path := doc.ArtifactDir + "/" + radix + "/" + name
			hash, _, ok := doc.AttachmentAt(path)
			if _, there := has[name]; ok && !there && !e.IsTree() && !f.Gone.HasFile(hash) {
				lost[path] = e.ID
			}
		}
	}
	return lost, nil
}

// artifactFolders lists the folders of a commit's artifacts; none of one that is not here.
func (f *finder) artifactFolders(ctx context.Context, id git.ID) (map[string]git.TreeEntry, error) {
	tree, err := f.tree(ctx, id)
	if err != nil {
		return nil, err
	}
	root, err := f.list(ctx, tree)
	if err != nil || !root[doc.ArtifactDir].IsTree() {
		return nil, err
	}
	return f.list(ctx, root[doc.ArtifactDir].ID)
}
