package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// HeadMove is one line of the reflog of a HEAD. Old is zero where HEAD was unborn.
type HeadMove struct {
	Old, New ID
	Reason   string
}

// WorktreeDir names this worktree for [Repo.HeadOf] and [Repo.MovesSince], for as long
// as it exists, wherever it is moved to: its git directory, relative to the common one
// (".", "worktrees/x") where it lies below that, else absolute.
func (r *Repo) WorktreeDir() string {
	if rel, err := filepath.Rel(r.commonDir, r.gitDir); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return r.gitDir
}

// worktreePath is the git directory of a worktree.
func (r *Repo) worktreePath(worktree string) string {
	return disk.Absolute(r.commonDir, filepath.FromSlash(worktree))
}

// HasWorktree reports whether a worktree is still known.
func (r *Repo) HasWorktree(worktree string) bool { return disk.IsDir(r.worktreePath(worktree)) }

// headName is the HEAD of a worktree, as it is called here.
func (r *Repo) headName(worktree string) string {
	switch {
	case r.worktreePath(worktree) == r.gitDir:
		return "HEAD"
	case worktree == ".":
		return "main-worktree/HEAD"
	}
	return worktree + "/HEAD"
}

// HeadOf is the commit that a worktree's HEAD names. ErrNotFound: it is unborn.
func (r *Repo) HeadOf(ctx context.Context, worktree string) (ID, error) {
	return r.Ref(ctx, r.headName(worktree))
}

// MovesSince lists what became of a worktree's HEAD, oldest first, from the first move
// on whose reason holds mark; none where no reason does. kept is false where git keeps
// no reflog of it.
//
// What stands there need not have happened: git writes the line before it moves the
// branch, and may be killed in between.
func (r *Repo) MovesSince(ctx context.Context, worktree, mark string) (moves []HeadMove, kept bool, err error) {
	if !r.format.refFiles {
		return r.askMoves(ctx, worktree, mark)
	}
	data, err := os.ReadFile(filepath.Join(r.worktreePath(worktree), "logs", "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read the reflog of HEAD: %w", err)
	}
	text := string(data)
	at := strings.Index(text, mark)
	if at < 0 {
		return nil, true, nil
	}
	for line := range strings.Lines(text[strings.LastIndexByte(text[:at], '\n')+1:]) {
		m, err := r.parseMove(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, true, err
		}
		moves = append(moves, m)
	}
	return moves, true, nil
}

// askMoves has git read a reflog that is no file. There each line begins where the one
// before it ended: line and ref move in one step.
func (r *Repo) askMoves(ctx context.Context, worktree, mark string) (moves []HeadMove, kept bool, err error) {
	if _, err := r.HeadOf(ctx, worktree); errors.Is(err, ErrNotFound) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	out, err := r.View(ctx, "log", "--walk-reflogs", "--format=%H %gs", "--end-of-options", r.headName(worktree), "--")
	if err != nil {
		return nil, false, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") // newest first
	first := -1
	for i, line := range lines {
		if strings.Contains(line, mark) {
			first = i
		}
	}
	for i := first; i >= 0; i-- {
		id, reason, _ := strings.Cut(lines[i], " ")
		old := string(r.ZeroID())
		if i+1 < len(lines) {
			old, _, _ = strings.Cut(lines[i+1], " ")
		}
		if !isHex(id, r.hexLen()) || !isHex(old, r.hexLen()) {
			return nil, true, fmt.Errorf("git log: cannot understand '%s'", shown(lines[i]))
		}
		moves = append(moves, HeadMove{Old: ID(old), New: ID(id), Reason: reason})
	}
	return moves, len(out) > 0, nil
}

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
	// A reftable hides what was deleted until its files are united.
	_, err = r.Run(ctx, "pack-refs", "--all")
	return err
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
	_, err = r.RunEnv(ctx, env, nil, "-c", r.refsLockWait(), "reflog", "expire", "--expire=all", "--expire-unreachable=all", ref)
	fault.Point("after-reflog-dropped")
	return err
}
