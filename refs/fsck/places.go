package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// stateFolders returns the folders of local state that contain nothing but files.
func stateFolders() []string {
	return append(remoteStates[:], "lock", "journal", store.IntentDir, store.MergeDir, store.CaptureDir, store.AttachedDir,
		store.PreviousDir, code.SquashDir, cache.Dir)
}

// stateFiles returns the files of local state that are in no folder.
func stateFiles() []string {
	return []string{expunge.IntentName, expunge.WaitingName, share.UnaskedName, share.HeardName, expunge.HereName, store.HiddenName, expunge.TagsName, store.HookFailures, store.WrittenName,
		store.GCLog, pack.StateName, pack.DoomedName}
}

// checkPlaces looks for what is in place of a file or a folder of local state and is something else. A folder in place
// of a lock, for example, makes each command fail that takes the lock. Nothing is opened: a named pipe would wait.
func checkPlaces(ctx context.Context, c *checker) error {
	errs := []error{c.folder(ctx, path.Dir(cache.Dir), func(string) error { return nil }),
		c.folder(ctx, store.BisectDir, func(name string) error { return c.folder(ctx, name, c.fileIn(ctx)) })}
	for _, name := range stateFolders() {
		errs = append(errs, c.folder(ctx, name, c.fileIn(ctx)))
	}
	for _, name := range stateFiles() {
		errs = append(errs, c.fileIn(ctx)(name))
	}
	return errors.Join(errs...)
}

// folder visits the entries of a folder of local state, and reports what is in its place.
func (c *checker) folder(ctx context.Context, name string, visit func(name string) error) error {
	file := c.s.StatePath(name)
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), c.isReported(filepath.Dir(file)):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		c.reportForeign(ctx, file, fmt.Sprintf("'%s' is a file, not a folder", file))
		return nil
	case !info.IsDir():
		c.reportForeign(ctx, file, (&git.NotRegularError{Path: file, Mode: info.Mode().Type()}).Error())
		return nil
	}
	list, err := os.ReadDir(file)
	errs := []error{err}
	for _, e := range list {
		errs = append(errs, visit(name+"/"+e.Name()))
	}
	return errors.Join(errs...)
}

// fileIn returns what reports a path in place of a file of local state.
func (c *checker) fileIn(ctx context.Context) func(name string) error {
	return func(name string) error {
		file := c.s.StatePath(name)
		info, err := os.Lstat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			c.reportForeign(ctx, file, (&git.NotRegularError{Path: file, Mode: info.Mode().Type()}).Error())
		case info.Size() > git.MostIn(file) && git.MostIn(file) < git.MostState: // what may grow has its own check
			c.reportForeign(ctx, file, (&git.TooLargeError{Path: file, Size: info.Size(), Most: git.MostIn(file)}).Error())
		}
		return nil
	}
}

func (c *checker) reportForeign(ctx context.Context, path, message string) {
	c.reported = append(c.reported, path)
	c.report(ctx, nil, Problem{Kind: "state-foreign", Object: path, Repair: "rm -r " + prose.ShellQuoted(path),
		Message: message + "; neither git nor git context makes it"})
}

// isReported reports whether a path is, or is below, one that checkAccess or checkPlaces reported.
func (c *checker) isReported(path string) bool {
	for _, f := range c.reported {
		if path == f || strings.HasPrefix(path, f+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// ofReported reports whether an error is about such a path.
func (c *checker) ofReported(err error) bool {
	var foreign *git.NotRegularError
	var large *git.TooLargeError
	var of *fs.PathError
	return errors.As(err, &foreign) && c.isReported(foreign.Path) || errors.As(err, &large) && c.isReported(large.Path) ||
		errors.As(err, &of) && c.isReported(of.Path)
}
