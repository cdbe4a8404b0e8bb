package expunge

import (
	"context"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// OwnHits returns those of some tombstones that name an entry or a text that was written here: that
// a commit made here has, and no parent of it. It reads all that was ever written here.
func OwnHits(ctx context.Context, s *store.Store, e doc.Expunged) (doc.Expunged, error) {
	written, err := s.Written(ctx)
	if err != nil {
		return doc.Expunged{}, err
	}
	infos, err := s.Repo().Infos(ctx, slices.Sorted(maps.Keys(written)))
	if err != nil {
		return doc.Expunged{}, err
	}
	var commits []git.ID
	for _, info := range infos {
		if info.Type == "commit" { // others are purged, or never got a ref
			commits = append(commits, info.ID)
		}
	}
	return HitsOf(ctx, s, e, commits)
}

// HitsOf returns those of some tombstones that name an entry or a text that one of some commits has, and no
// parent of it.
func HitsOf(ctx context.Context, s *store.Store, e doc.Expunged, commits []git.ID) (doc.Expunged, error) {
	var own doc.Expunged
	for chunk := range slices.Chunk(commits, incoming.ChunkSize) {
		hits, err := hitsOf(ctx, s, e, chunk)
		if err != nil {
			return own, err
		}
		own = own.Union(hits)
	}
	return own, nil
}

// hitsOf is HitsOf for as many commits as are read at once.
func hitsOf(ctx context.Context, s *store.Store, e doc.Expunged, commits []git.ID) (doc.Expunged, error) {
	var own doc.Expunged
	var files []git.ChangedFile
	paths := map[git.ID]string{}
	err := s.Repo().ChangedFiles(ctx, commits, func(f git.ChangedFile) error {
		files = append(files, f)
		for _, id := range append(slices.Clip(f.Old), f.New) {
			if id != "" {
				paths[id] = f.Path
			}
		}
		return nil
	})
	if err != nil {
		return own, err
	}
	hits := map[git.ID]doc.Expunged{}
	err = ReadObjects(ctx, s, slices.Sorted(maps.Keys(paths)), func(o git.Object) error {
		path := paths[o.ID]
		if path == doc.ExpungedFile {
			return nil
		}
		hit, err := e.Hits(path, o.Data)
		if err == nil && !hit.Empty() {
			hits[o.ID] = hit
		}
		return nil // what this version cannot parse is not what it wrote
	})
	if err != nil || len(hits) == 0 {
		return own, err
	}
	for len(files) > 0 {
		n := 1
		for n < len(files) && files[n].Commit == files[0].Commit {
			n++
		}
		var now, before doc.Expunged
		for _, f := range files[:n] {
			now = now.Union(hits[f.New])
			for _, id := range f.Old {
				before = before.Union(hits[id])
			}
		}
		own, files = own.Union(now.Without(before)), files[n:]
	}
	return own, nil
}
