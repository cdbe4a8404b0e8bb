package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// A bundle is a file that contains refs and the objects that are needed to have
// them, all or those that are not in the history of given commits
// (git-bundle(1), gitformat-bundle(5)). Fetch reads one as a remote. Files are
// named by absolute paths: git does not run where the caller does.

// CreateBundle writes refs, under their full names, and what their histories contain
// beyond those of the commits not, into a file; an existing file of that name is replaced
// at the end, whole. A ref whose commit is in the history of not is left out: a reader of
// the bundle has it. Progress is as with Fetch; without a deadline it may take an hour.
//
// ErrEmptyBundle: that leaves nothing to write. ErrStale: a ref does not have the given
// value any more. After an error the file is as it was.
func (r *Repo) CreateBundle(ctx context.Context, file string, refs []Ref, not []ID, progress io.Writer) error {
	if err := checkBundlePath(file); err != nil {
		return err
	}
	file, err := bundleTarget(file)
	if err != nil {
		return fmt.Errorf("cannot write bundle '%s': %w", Shown(file), err)
	}
	if len(refs) == 0 {
		return fmt.Errorf("cannot write bundle '%s': %w", Shown(file), ErrEmptyBundle)
	}
	temp := filepath.Join(filepath.Dir(file), ".git-context-"+disk.RandomName()+".bundle")
	defer func() {
		_ = os.Remove(temp)
		_ = os.Remove(temp + ".lock") // of a git that was killed
	}()
	err = r.writeBundle(ctx, temp, refs, not, progress)
	var held []Ref
	if err == nil {
		held, err = r.BundleRefs(ctx, temp)
	}
	if err == nil || errors.Is(err, ErrEmptyBundle) {
		if wrong := r.checkHeld(ctx, held, refs, not); wrong != nil {
			err = wrong
		}
	}
	if err == nil {
		err = disk.Sync(temp)
	}
	if err == nil {
		fault.Point("before-bundle-rename")
		err = os.Rename(temp, file)
	}
	if err != nil {
		return fmt.Errorf("cannot write bundle '%s': %w", Shown(file), err)
	}
	return nil
}

// writeBundle has git write a new file.
func (r *Repo) writeBundle(ctx context.Context, file string, refs []Ref, not []ID, progress io.Writer) error {
	var revs strings.Builder
	for _, ref := range refs {
		if err := checkRefName(ref.Name); err != nil {
			return err
		}
		revs.WriteString(ref.Name + "\n")
	}
	for _, id := range not {
		revs.WriteString("^" + string(id) + "\n")
	}
	meter := "--quiet"
	if progress != nil {
		meter = "--progress"
	}
	_, err := r.start(ctx, command{
		env: r.childEnv, limit: transferTimeout, also: progress, stdin: []byte(revs.String()),
		args: []string{"bundle", "create", meter, file, "--stdin"},
	})
	var failed *Error
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "Refusing to create empty bundle") {
		return fmt.Errorf("%w: %w", ErrEmptyBundle, err)
	}
	return err
}

// checkHeld checks the content of a bundle: git takes the value that a ref has when it
// comes to it, and leaves a ref out silently where a branch has its name.
func (r *Repo) checkHeld(ctx context.Context, held, refs []Ref, not []ID) error {
	var revs strings.Builder
	left := map[string]string{}
	for _, ref := range refs {
		switch i := slices.IndexFunc(held, func(h Ref) bool { return h.Name == ref.Name }); {
		case i < 0:
			left[string(ref.ID)] = ref.Name
			revs.WriteString(string(ref.ID) + "\n")
		case held[i].ID != ref.ID:
			return fmt.Errorf("ref '%s': %w", ref.Name, ErrStale)
		}
	}
	if len(left) == 0 {
		return nil
	}
	for _, id := range not {
		revs.WriteString("^" + string(id) + "\n")
	}
	out, err := r.RunInput(ctx, []byte(revs.String()), "rev-list", "--no-walk=unsorted", "--stdin")
	for id := range strings.Lines(string(out)) {
		if name := left[strings.TrimSpace(id)]; err == nil && name != "" {
			err = fmt.Errorf("git left out ref '%s': it has moved, or a branch or tag has its whole name", name)
		}
	}
	return err
}

// BundleRefs lists the refs that a bundle contains. An error that wraps fs.ErrNotExist:
// there is no such file.
func (r *Repo) BundleRefs(ctx context.Context, file string) ([]Ref, error) {
	out, err := r.runBundle(ctx, "list-heads", file)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !r.IsID(id) || checkRefName(name) != nil {
			return nil, fmt.Errorf("bundle '%s': cannot understand '%s'", Shown(file), Shown(line))
		}
		refs = append(refs, Ref{Name: name, ID: ID(id)})
	}
	return refs, nil
}

// BundleFilter returns the filter by which objects were left out of a bundle of version 3
// (gitformat-bundle(5)); "" for none, and for what is no bundle.
func BundleFilter(file string) (string, error) {
	f, err := disk.OpenFollowed(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := bufio.NewReader(io.LimitReader(f, 64<<10))
	if line, err := head.ReadString('\n'); line != "# v3 git bundle\n" {
		if errors.Is(err, io.EOF) {
			err = nil // BundleRefs says so
		}
		return "", err
	}
	for {
		line, err := head.ReadString('\n')
		if filter, ok := strings.CutPrefix(line, "@filter="); ok {
			return strings.TrimSpace(filter), nil
		}
		if err != nil || !strings.HasPrefix(line, "@") { // capabilities come first
			return "", nil
		}
	}
}

// VerifyBundle returns nil when a file is a bundle and this repository has every commit
// that it builds on, else an error that names those that are missing. Only a fetch checks
// that its objects are whole.
func (r *Repo) VerifyBundle(ctx context.Context, file string) error {
	_, err := r.runBundle(ctx, "verify", file)
	return err
}

// runBundle asks git about a bundle.
func (r *Repo) runBundle(ctx context.Context, what, file string) ([]byte, error) {
	if err := checkBundlePath(file); err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("cannot read bundle '%s': %w", Shown(file), err)
	}
	out, err := r.Run(ctx, "bundle", what, file)
	if err != nil {
		return nil, fmt.Errorf("bundle '%s': %w", Shown(file), err)
	}
	return out, nil
}

func checkBundlePath(file string) error {
	if !filepath.IsAbs(file) {
		return fmt.Errorf("bundle '%s': not an absolute path", Shown(file))
	}
	return nil
}

// bundleTarget is the file that is to be replaced, through symbolic links. What is
// there and no ordinary file (/dev/null, for one) must not be renamed over.
func bundleTarget(file string) (string, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return file, err
	}
	info, err := os.Stat(target)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	return target, err
}
