package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/fault"
)

// DropReflogs empties the reflogs of refs, and that of CONTEXT_HEAD in every
// worktree: their messages, and the objects that they named. A ref without one is
// passed over. Reflogs of other refs, and of HEAD, are left as they are. What other
// processes move meanwhile is logged as ever.
func (r *Repo) DropReflogs(ctx context.Context, refs []string) error {
	for _, ref := range refs {
		if err := checkRefName(ref); err != nil {
			return err
		}
		if err := r.dropReflog(ctx, r.gitDir, ref); err != nil {
			return err
		}
	}
	dirs, err := r.worktreeDirs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := r.dropReflog(ctx, dir, HeadName); err != nil {
			return err
		}
	}
	if r.format.refFiles {
		return nil
	}
	// A reftable hides what was deleted until its files are united.
	_, err = r.Run(ctx, "pack-refs", "--all")
	return err
}

// dropReflog empties one reflog, as a worktree sees it.
func (r *Repo) dropReflog(ctx context.Context, gitDir, ref string) error {
	env := []string{"GIT_DIR=" + gitDir}
	_, err := r.RunEnv(ctx, env, nil, "reflog", "exists", ref)
	if exitCode(err) == 1 {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = r.RunEnv(ctx, env, nil, "-c", r.refsLockWait(), "reflog", "expire", "--expire=all", "--expire-unreachable=all", ref)
	fault.Point("after-reflog-dropped")
	return err
}

// worktreeDirs are the git directories of all worktrees, the main one's first.
func (r *Repo) worktreeDirs() ([]string, error) {
	dirs := []string{r.commonDir}
	list, err := os.ReadDir(filepath.Join(r.commonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list worktrees: %w", err)
	}
	for _, e := range list {
		dir := filepath.Join(r.commonDir, "worktrees", e.Name())
		switch _, err := os.Stat(filepath.Join(dir, "HEAD")); {
		case err == nil:
			dirs = append(dirs, dir)
		case !errors.Is(err, fs.ErrNotExist): // else it was removed, but for a remainder
			return nil, err
		}
	}
	return dirs, nil
}
