package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fault"
)

// DropReflogs empties the reflogs of refs, and that of CONTEXT_HEAD in every
// worktree: their messages, and the objects that they named. A ref without one is
// passed over. Reflogs of other refs, and of HEAD, are left as they are. What other
// processes move meanwhile is logged as ever. ErrLocked: the lock file of a reflog exists.
func (r *Repo) DropReflogs(ctx context.Context, refs []string) error {
	for _, ref := range refs {
		if err := checkRefName(ref); err != nil {
			return err
		}
	}
	refs, err := r.withReflog(ctx, refs)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(refs, mostReflogs) {
		if r.expireReflogs(ctx, r.gitDir, part) == nil {
			continue
		}
		for _, ref := range part { // one of them is locked, or went meanwhile
			if err := r.dropReflog(ctx, r.gitDir, ref); err != nil {
				return err
			}
		}
	}
	dirs, err := r.WorktreeDirs()
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
	return r.uniteTables(ctx)
}

// mostUnited is how often the tables of a reftable are united that others write meanwhile.
const mostUnited = 60

// uniteTables makes one table of a reftable, which hides until then what was deleted. git gives up where another
// process writes a table meanwhile.
func (r *Repo) uniteTables(ctx context.Context) error {
	for try := 1; ; try++ {
		_, err := r.Run(ctx, "pack-refs", "--all")
		if err == nil || try == mostUnited || !overtaken(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Duration(rand.Int64N(int64(50 * time.Millisecond)))):
		}
	}
}

// overtaken reports whether git gave up because another process wrote a table of a reftable. It says so, or ends without a
// word with its own number of that error, or of a lock, as exit code.
func overtaken(err error) bool {
	const outdated, locked = 256 - 12, 256 - 5
	code := ExitCode(err)
	return code == outdated || code == locked || strings.Contains(err.Error(), "unable to compact stack")
}

// dropReflog empties one reflog, as a worktree sees it.
func (r *Repo) dropReflog(ctx context.Context, gitDir, ref string) error {
	env := []string{"GIT_DIR=" + gitDir}
	_, err := r.RunEnv(ctx, env, nil, "reflog", "exists", ref)
	if ExitCode(err) == 1 {
		return nil
	}
	if err != nil {
		return err
	}
	err = r.expireReflogs(ctx, gitDir, []string{ref})
	var failed *Error
	if errors.As(err, &failed) && lockedText(failed.Stderr) {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return err
}

// mostReflogs is how many reflogs one git empties.
const mostReflogs = 100

// expireReflogs empties reflogs, as a worktree sees them. It fails if there is none of one of the refs.
func (r *Repo) expireReflogs(ctx context.Context, gitDir string, refs []string) error {
	args := []string{"-c", r.refsLockWait(), "reflog", "expire", "--expire=all", "--expire-unreachable=all"}
	_, err := r.RunEnv(ctx, []string{"GIT_DIR=" + gitDir}, nil, append(args, refs...)...)
	fault.Point("after-reflog-dropped")
	return err
}

// withReflog returns those of some refs that have a reflog, without a git for each of them: there may be thousands.
func (r *Repo) withReflog(ctx context.Context, refs []string) (with []string, err error) {
	list, err := r.LoggedRefs(refs...)
	if !r.format.refFiles {
		var out []byte
		out, err = r.Run(ctx, "reflog", "list") // as old as reftables
		list = strings.Split(string(out), "\n")
	}
	has := map[string]bool{}
	for _, name := range list {
		has[name] = true
	}
	return slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { return !has[ref] }), err
}
