package loss

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// topicKind are the topics of a branch, by the names of their files. Their document is the folder.
type topicKind struct{ f *finder }

func (k topicKind) document(ctx context.Context, commit git.ID) (git.ID, error) {
	tree, err := k.f.tree(ctx, commit)
	if err != nil {
		return "", err
	}
	root, err := k.f.list(ctx, tree)
	if err != nil || !root[doc.TopicDir].IsTree() {
		return "", err
	}
	return root[doc.TopicDir].ID, nil
}

func (k topicKind) lost(ctx context.Context, now, before git.ID, _ bool) ([]string, error) {
	have, err := k.f.list(ctx, now)
	if err != nil {
		return nil, err
	}
	had, err := k.f.list(ctx, before)
	if err != nil {
		return nil, err
	}
	var lost []string
	for name := range had {
		if _, there := have[name]; !there {
			lost = append(lost, name)
		}
	}
	return lost, nil
}

func (k topicKind) has(ctx context.Context, folder git.ID, name string) (bool, error) {
	list, err := k.f.list(ctx, folder)
	_, there := list[name]
	return there, err
}

func (k topicKind) same(ctx context.Context, a, b git.ID, name string) (bool, error) {
	x, err := k.f.list(ctx, a)
	if err != nil {
		return false, err
	}
	y, err := k.f.list(ctx, b)
	return x[name].ID == y[name].ID, err
}

func (k topicKind) removal(ctx context.Context, commit git.ID, _ bool) (func(string) bool, error) {
	names, err := k.f.removed(ctx, commit)
	if len(names) == 0 || err != nil {
		return nil, err
	}
	return func(name string) bool { return names[doc.TopicDir+"/"+name] }, nil
}

// topicsOf lists the topics of a commit by file name; none of one that is not here.
func (f *finder) topicsOf(ctx context.Context, id git.ID) (map[string]git.TreeEntry, error) {
	folder, err := topicKind{f}.document(ctx, id)
	if err != nil {
		return nil, err
	}
	return f.list(ctx, folder)
}

// blobs returns the texts of topics, given the folders that have them.
func (k topicKind) blobs(ctx context.Context, owed map[string]git.ID) (map[string]git.ID, error) {
	blobs := make(map[string]git.ID, len(owed))
	for name, folder := range owed {
		list, err := k.f.list(ctx, folder)
		if err != nil {
			return nil, err
		}
		blobs[name] = list[name].ID
	}
	return blobs, nil
}
