package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Bring copies what some commits of a quarantine reach, and others here do not, after git has checked each object as it checks what it fetches.
func (r *Repo) Bring(ctx context.Context, quarantine *Repo, tips, not []ID) (err error) {
	in := idLines(tips)
	for _, id := range not {
		fmt.Fprintln(in, "^"+id)
	}
	pack, err := os.Create(filepath.Join(quarantine.objectDir, "brought.pack")) // it may not fit in memory
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pack.Close()) }()
	_, err = quarantine.start(ctx, command{env: quarantine.childEnv, limit: transferTimeout, input: in, out: pack,
		args: []string{"pack-objects", "--quiet", "--revs", "--stdout", "--delta-base-offset"}})
	if err != nil {
		return err
	}
	if _, err := pack.Seek(0, 0); err != nil {
		return err
	}
	_, err = r.start(ctx, command{env: r.childEnv, limit: transferTimeout, input: pack,
		args: []string{"-c", "transfer.fsckObjects=true", "index-pack", "--stdin", "--strict"}})
	return err
}
