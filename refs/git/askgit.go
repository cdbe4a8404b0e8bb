package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// askGit is discovery by `git rev-parse`, with the environment as it was given.
func (r *Repo) askGit(ctx context.Context, start string) (place, error) {
	path, err := findGit(r.env)
	if err != nil {
		return place{}, err
	}
	env := append(without(without(r.env, "LC_ALL"), "LANGUAGE"), "LC_ALL=C")
	out, err := r.spawn(ctx, command{path: path, dir: start, env: env, args: []string{"rev-parse",
		"--path-format=absolute", "--git-dir", "--git-common-dir", "--show-object-format", "--show-toplevel"}})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	var failed *Error
	switch {
	case err == nil && len(lines) == 4:
	case errors.As(err, &failed) && failed.Code == 128 && len(lines) == 3:
		// Only the last question was refused: a repository without a worktree.
		lines = append(lines, "")
	case err == nil:
		return place{}, fmt.Errorf("cannot understand the repository's paths: %q", lines)
	default:
		return place{}, r.refusal(ctx, path, start, err)
	}
	p := place{gitDir: filepath.Clean(lines[0]), commonDir: filepath.Clean(lines[1])}
	if lines[3] != "" {
		p.workTree = filepath.Clean(lines[3])
	}
	config, _ := os.ReadFile(filepath.Join(p.commonDir, "config"))
	if p.format, err = parseFormat(config); err != nil {
		p.format.refFiles = false // git reads what we do not understand
	}
	if disk.IsDir(filepath.Join(p.commonDir, "reftable")) {
		p.format.refFiles = false
	}
	p.format.hash = lines[2]
	return p, nil
}

// refusal says why git found no repository. An old git may have failed at our
// options instead.
func (r *Repo) refusal(ctx context.Context, path, start string, err error) error {
	var failed *Error
	if !errors.As(err, &failed) || failed.Code < 0 {
		return err
	}
	if strings.Contains(failed.Stderr, "not a git repository") {
		return fmt.Errorf("%w: '%s': %w", ErrNotRepository, start, failed)
	}
	if version, verr := r.version(ctx, path); verr == nil {
		if old := checkVersion(path, version); old != nil {
			return old
		}
	}
	return err
}
