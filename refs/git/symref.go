package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// symrefTarget returns what the content of a symbolic ref's file names.
func symrefTarget(content string) (string, bool) {
	target, ok := strings.CutPrefix(content, "ref:")
	return strings.TrimSpace(target), ok
}

// SymbolicRef returns the ref that a symbolic ref names, which need not exist:
// "CONTEXT_HEAD" (this worktree's), "main-worktree/CONTEXT_HEAD", "HEAD".
// ErrNotFound: there is none, or it names an object (a detached HEAD).
func (r *Repo) SymbolicRef(ctx context.Context, name string) (string, error) {
	if err := checkRefName(name); err != nil {
		return "", err
	}
	path, _, ok := r.refPath(name)
	if !r.format.refFiles || !ok {
		return r.askSymbolicRef(ctx, name)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return r.askSymbolicRef(ctx, name) // an old symbolic link
	}
	data, err := os.ReadFile(path)
	if disk.IsAbsent(err) {
		return "", fmt.Errorf("symbolic ref '%s': %w", name, ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("cannot read ref '%s': %w", name, err)
	}
	target, symbolic := symrefTarget(string(data))
	if !symbolic {
		if _, err := r.refID(name, string(data)); err != nil {
			return "", err
		}
		return "", fmt.Errorf("symbolic ref '%s': %w: it names an object", name, ErrNotFound)
	}
	if checkRefName(target) != nil {
		return "", fmt.Errorf("ref '%s' %w", name, ErrBroken)
	}
	return target, nil
}

func (r *Repo) askSymbolicRef(ctx context.Context, name string) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "--quiet", name)
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 1 {
		return "", fmt.Errorf("symbolic ref '%s': %w", name, ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// SetSymbolicRef makes a symbolic ref name a ref; reason goes to its reflog, if
// it has one. It may be another worktree's, as for [Repo.SymbolicRef].
func (r *Repo) SetSymbolicRef(ctx context.Context, name, target, reason string) error {
	for _, ref := range []string{name, target} {
		if err := checkRefName(ref); err != nil {
			return err
		}
	}
	// Since 2.46 git writes none but those of the worktree that it runs in.
	gitDir := r.gitDir
	if at := strings.LastIndexByte(name, '/'); at > 0 && !strings.HasPrefix(name, "refs/") {
		gitDir, name = filepath.Join(r.commonDir, filepath.FromSlash(name[:at])), name[at+1:]
		if filepath.Base(gitDir) == "main-worktree" {
			gitDir = r.commonDir
		}
	}
	_, err := r.RunEnv(ctx, []string{"GIT_DIR=" + gitDir}, nil, "symbolic-ref", "-m", reason, name, target)
	fault.Point("after-symref")
	return err
}
