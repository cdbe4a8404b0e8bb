package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"

	dialect "github.com/git-context/git-context/refs/peer"
)

// ImportOptions are the options of Import.
type ImportOptions struct {
	store.Writer
	Dir    string // contains .GCC or .gcc, or is such a folder
	Agent  string // of entries without an agent; empty: the folder's dialect
	DryRun bool   // move no ref, and return what would come
}

// Result is what an import brought, or an export wrote.
type Result struct {
	Counts
	Folder  string `json:"-"` // the .GCC or .gcc itself
	Dialect string `json:"-"`

	Warnings []string `json:"-"`
}

// Import adds the memory in a folder of another implementation.
//
// Each branch of the folder becomes a memory branch of that name, or is added to it, and
// each of its commits becomes a memory commit with its own time and the steps before it.
// The steps after the last one become a memory commit without an entry. A branch moves
// once, completely or not at all, so that an interrupted import can be repeated. An entry
// is identified by its branch, time and text (see Fingerprint in package peer), so that a
// folder that was imported before, or exported from here, adds nothing. The roadmap is
// revised first, and never conflicts.
//
// It returns an error of the kind fail.ErrNoMemory without memory, fail.ErrNotFound without
// a folder, and fail.ErrInvalid, which names the file, for a folder that cannot be read.
func Import(ctx context.Context, s *store.Store, o ImportOptions) (Result, error) {
	names, err := s.BranchNames(ctx)
	if err != nil {
		return Result{}, err
	}
	if len(names) == 0 {
		return Result{}, fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	f, path, err := readFolder(o.Dir)
	if err != nil {
		return Result{}, err
	}
	o.Agent = cmp.Or(o.Agent, string(f.Dialect))
	if err := store.CheckAgent(o.Agent); err != nil {
		return Result{}, err
	}
	m := &folderImport{s: s, o: o, f: f, res: Result{Folder: path, Dialect: string(f.Dialect), Warnings: f.Notes}}
	m.files = &givenFiles{s: s, root: path, from: map[string]string{}}
	m.nameBranches(names)
	if err := m.plan(ctx); err != nil {
		return m.res, err
	}
	if !o.DryRun {
		if err := m.roadmap(ctx); err != nil {
			return m.res, err
		}
	}
	for _, b := range m.branches {
		if err := m.importBranch(ctx, b); err != nil {
			return m.res, fmt.Errorf("branch '%s': %w", b.name, err)
		}
	}
	return m.res, nil
}

// warn adds a warning about what was changed or omitted.
func (m *folderImport) warn(format string, args ...any) {
	m.res.Warnings = append(m.res.Warnings, fmt.Sprintf(format, args...))
}

// readFolder reads the folder in dir, or dir itself. It follows no link that leads outside.
func readFolder(dir string) (*dialect.Folder, string, error) {
	path, err := findFolder(dir)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, "", folderError(dir, err)
	}
	defer root.Close() // only reads
	f, err := dialect.Read(root.FS())
	if format := (*dialect.FormatError)(nil); errors.As(err, &format) {
		return nil, "", fail.New(fail.ErrInvalid, fail.FolderInvalid,
			fmt.Sprintf("cannot read '%s': %s", prose.OneLine(filepath.Join(path, format.Path), 300), format.Reason))
	}
	return f, path, err
}

// findFolder tries, in this order, .GCC and .gcc in dir, which may be one folder under two
// names, and dir itself.
func findFolder(dir string) (string, error) {
	if _, err := os.Stat(dir); err != nil {
		return "", folderError(dir, err)
	}
	var found []string
	var infos []os.FileInfo
	for _, d := range []dialect.Dialect{dialect.Contexa, dialect.Memory} {
		path := filepath.Join(dir, d.Root())
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", folderError(path, err)
		}
		if info.IsDir() && (len(infos) == 0 || !os.SameFile(infos[0], info)) {
			found, infos = append(found, path), append(infos, info)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fail.New(fail.ErrInvalid, fail.FolderAmbiguous, fmt.Sprintf("'%s' contains both .GCC and .gcc", dir),
			"git context import "+found[0], "git context import "+found[1])
	case dialect.HasMemory(os.DirFS(dir)):
		return dir, nil
	}
	return "", fail.New(fail.ErrNotFound, fail.FolderNotFound, fmt.Sprintf("no memory folder in '%s'", dir),
		whichFolder)
}

// whichFolder is the hint for a wrong directory.
const whichFolder = "git context import DIR, where DIR contains .GCC or .gcc"

func folderError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	failed := &fail.Error{Code: fail.FolderUnreadable, Kind: fail.ErrInvalid, Err: err,
		Message: fmt.Sprintf("cannot read '%s'", prose.OneLine(path, 300))}
	if errors.Is(err, fs.ErrNotExist) {
		failed.Kind, failed.Hints = fail.ErrNotFound, []string{whichFolder}
	}
	return failed
}
