package git

import (
	"context"
	"path/filepath"

	"github.com/git-context/git-context/refs/git/disk"
)

// promised reports whether objects may be missing, because a remote promises them.
func (r *Repo) promised() (bool, error) {
	found, err := disk.Glob(filepath.Join(r.objectDir, "pack"), "*.promisor")
	return len(found) > 0, err
}

// unreached leaves out of ids what refs and indexes lead to after all, and fetches
// nothing: `git fsck` follows no commit that was promised.
func (r *Repo) unreached(ctx context.Context, ids []ID) ([]ID, error) {
	partial, err := r.promised()
	if err != nil || !partial || len(ids) == 0 {
		return ids, err
	}
	reached := map[ID]bool{}
	p := &purge{repo: r, partial: true}
	if err := p.walk(ctx, nil, func(id ID) { reached[id] = true }, "--all", "--indexed-objects"); err != nil {
		return nil, err
	}
	var rest []ID
	for _, id := range ids {
		if !reached[id] {
			rest = append(rest, id)
		}
	}
	return rest, nil
}
