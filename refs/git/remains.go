package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// HasState reports whether there is local state.
func (r *Repo) HasState() (bool, error) {
	_, err := os.Lstat(r.StateDir())
	if disk.IsAbsent(err) {
		return false, nil
	}
	return err == nil, err
}

// RemoveState removes the directory of local state with all that is in it, and the empty directories that
// deleted refs of memory left.
func (r *Repo) RemoveState() error {
	if err := os.RemoveAll(r.StateDir()); err != nil {
		return fmt.Errorf("cannot remove '%s': %w", r.StateDir(), err)
	}
	var errs []error
	for _, dir := range []string{strings.TrimSuffix(Root, "/"), filepath.Dir(NotesRef)} {
		errs = append(errs, removeEmpty(filepath.Join(r.commonDir, dir)), removeEmpty(filepath.Join(r.commonDir, "logs", dir)))
	}
	return errors.Join(errs...)
}

// removeEmpty removes the directories below dir, and dir, that contain no file.
func removeEmpty(dir string) error {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if disk.IsAbsent(err) {
		return nil
	}
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d) // refused where a file is left
	}
	return err
}

// Setting is one line of a configuration file.
type Setting struct{ Key, Value string }

// LocalSettings returns the settings of the repository's own file, in its order.
func (r *Repo) LocalSettings(ctx context.Context) ([]Setting, error) {
	lines, err := zList(r.Run(ctx, "config", "--local", "--list", "-z"))
	if err != nil {
		return nil, err
	}
	list := make([]Setting, len(lines))
	for i, l := range lines {
		list[i].Key, list[i].Value, _ = strings.Cut(l, "\n")
	}
	return list, nil
}

// UnsetLocal removes a setting from the repository's own file; none of that value is no error.
func (r *Repo) UnsetLocal(ctx context.Context, s Setting) error {
	_, err := r.Run(ctx, "config", "--local", "--fixed-value", "--unset-all", s.Key, s.Value)
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 5 { // git-config(1): it does not exist
		return nil
	}
	return err
}
