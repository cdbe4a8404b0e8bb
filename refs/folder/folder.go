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

// ImportOptions are one import of a folder.
type ImportOptions struct {
	store.Writer
	Dir   string // the folder that holds .GCC or .gcc, or that folder itself
	Agent string // of entries that name none; empty: the folder's dialect
}

// Result is what an import of a folder brought, or an export wrote.
type Result struct {
	Counts
	Folder  string `json:"-"` // the .GCC or .gcc itself
	Dialect string `json:"-"`

	Warnings []string `json:"-"`
}

// ImportFolder takes the memory in that another implementation keeps in a folder.
//
// Each of its branches becomes a memory branch of that name, and entries for one that stands
// already are added to it; each of its milestones becomes a memory commit, with
// its own time and the steps before it. Steps behind the last milestone are committed too, by a
// memory commit that is no milestone, so that a branch moves once, whole, or not at
// all: an import that was killed is run again. An entry is known by its branch, time and text
// (see Fingerprint in package peer), so that a folder that was imported already, or that was exported
// from here, adds nothing. The roadmap is revised first, and never conflicts.
//
// It returns fail.ErrNoMemory where there is no memory, fail.ErrNotFound where there is no folder, and
// fail.ErrInvalid, which names the file, for a folder that cannot be read.
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
	m.nameBranches(names)
	if err := m.plan(ctx); err != nil {
		return m.res, err
	}
	if err := m.roadmap(ctx); err != nil {
		return m.res, err
	}
	for _, b := range m.branches {
		if err := m.importBranch(ctx, b); err != nil {
			return m.res, fmt.Errorf("branch '%s': %w", b.name, err)
		}
	}
	return m.res, nil
}

// warn tells what did not come as it stood.
func (m *folderImport) warn(format string, args ...any) {
	m.res.Warnings = append(m.res.Warnings, fmt.Sprintf(format, args...))
}

// readFolder finds the memory folder in dir, or takes dir as one. A link in it that leads
// outside is not followed.
func readFolder(dir string) (*dialect.Folder, string, error) {
	path, err := findFolder(dir)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, "", folderError(dir, err)
	}
	defer root.Close() // nothing was written through it
	f, err := dialect.Read(root.FS())
	if format := (*dialect.FormatError)(nil); errors.As(err, &format) {
		return nil, "", fail.New(fail.ErrInvalid, fail.FolderInvalid,
			fmt.Sprintf("cannot read '%s': %s", prose.OneLine(filepath.Join(path, format.Path), 300), format.Reason))
	}
	return f, path, err
}

// findFolder tries, in this order, .GCC and .gcc in dir, which may be one folder under both
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
		return "", fail.New(fail.ErrInvalid, fail.FolderAmbiguous, fmt.Sprintf("'%s' holds both .GCC and .gcc", dir),
			"git context import "+found[0], "git context import "+found[1])
	case dialect.HasMemory(os.DirFS(dir)):
		return dir, nil
	}
	return "", fail.New(fail.ErrNotFound, fail.FolderNotFound, fmt.Sprintf("no memory folder in '%s'", dir),
		whichFolder)
}

// whichFolder is a hint for whoever names another one.
const whichFolder = "git context import DIR, where DIR holds .GCC or .gcc"

func folderError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	failed := &fail.Error{Code: fail.FolderUnreadable, Kind: fail.ErrInvalid, Err: err, Message: fmt.Sprintf("cannot read '%s'", prose.OneLine(path, 300))}
	if errors.Is(err, fs.ErrNotExist) {
		failed.Kind, failed.Hints = fail.ErrNotFound, []string{whichFolder}
	}
	return failed
}
