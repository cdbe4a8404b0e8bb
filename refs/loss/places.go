package loss

import (
	"bytes"
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// places are the files of one kind in a tree, to look up single entries.
type places []placed

// placed is a file with its entries, by id.
type placed struct {
	path string
	blob git.ID
	keys []Key
}

// place is where an entry is.
type place struct {
	key  Key
	path string
	blob git.ID
}

// places reads the files of one kind in a tree.
func (f *finder) places(ctx context.Context, k store.EntryKind, tree git.ID) (places, error) {
	all, _, err := f.differ(ctx, k, tree, "")
	if err != nil {
		return nil, err
	}
	var p places
	for path, blob := range all {
		keys, err := f.keys(ctx, k.File, blob)
		if err != nil {
			return nil, err
		}
		p = append(p, placed{path, blob, keys})
	}
	return p, nil
}

// of returns where an entry is, with each content.
func (p places) of(id [26]byte) (list []place) {
	for _, file := range p {
		i, found := slices.BinarySearchFunc(file.keys, id, func(k Key, id [26]byte) int { return bytes.Compare(k.ID[:], id[:]) })
		if found {
			list = append(list, place{file.keys[i], file.path, file.blob})
		}
	}
	return list
}
