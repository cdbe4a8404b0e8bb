package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// CommitPath is a file or a folder of a commit, with slashes and relative to its root.
type CommitPath struct {
	Commit ID
	Path   string
}

// Paths finds the entry of a tree at each of some paths. One at which nothing stands, or of
// a commit that does not exist, is not in the answer.
//
// All are asked for in one go, and only trees are read: so a clone without its blobs
// fetches none.
func (r *Repo) Paths(ctx context.Context, paths []CommitPath) (map[CommitPath]TreeEntry, error) {
	var revs []string
	wanted := map[string][]CommitPath{} // by the folder that they stand in
	for _, p := range paths {
		if !isHex(string(p.Commit), r.hexLen()) {
			return nil, fmt.Errorf("'%s' is no object id", shown(string(p.Commit)))
		}
		if !fs.ValidPath(p.Path) || strings.ContainsAny(p.Path, "\n\x00") {
			continue // no path of a tree; git would read "../" relative to a folder
		}
		dir, _ := path.Split(p.Path)
		rev := string(p.Commit) + ":" + strings.TrimSuffix(dir, "/")
		if wanted[rev] == nil {
			revs = append(revs, rev)
		}
		wanted[rev] = append(wanted[rev], p)
	}
	found := make(map[CommitPath]TreeEntry, len(paths))
	err := r.cat.many(ctx, "contents", revs, func(s *session, rev string) error {
		dir, err := readAnswer(s.out, rev, r.hexLen(), true)
		if errors.Is(err, ErrNotFound) || err == nil && dir.Type != "tree" {
			return nil
		}
		if err != nil {
			return err
		}
		return r.pick(dir, wanted[rev], found)
	})
	return found, err
}

// pick finds paths in the folder that they stand in.
func (r *Repo) pick(dir Object, paths []CommitPath, found map[CommitPath]TreeEntry) error {
	entries, err := ParseTree(dir.Data, r.hexLen()/2)
	if err != nil {
		return fmt.Errorf("object '%s': %w", dir.ID, err)
	}
	byName := make(map[string]TreeEntry, len(entries))
	for _, e := range entries {
		byName[e.Name] = e
	}
	for _, p := range paths {
		if e, ok := byName[path.Base(p.Path)]; ok {
			found[p] = e
		}
	}
	return nil
}
