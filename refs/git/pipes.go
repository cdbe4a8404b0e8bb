package git

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// checkPipes refuses a repository in which each of git's commands would wait forever, because one of the files
// that it reads is a named pipe: a search of many repositories would wait with it.
func (r *Repo) checkPipes() error {
	for _, name := range []string{"packed-refs", "shallow", "info/grafts", "objects/info/alternates"} {
		if err := disk.CheckNoPipe(filepath.Join(r.commonDir, name)); err != nil {
			return err
		}
	}
	return disk.CheckNoPipe(filepath.Join(r.gitDir, "index"))
}

// RefPipe returns the first file among refs and reflogs that is a named pipe or the like, as a
// [NotRegularError]: git waits for such a one wherever it lists refs. It returns nil if there is none, and
// passes over what cannot be read, which git reports.
func (r *Repo) RefPipe() error {
	var found error
	for _, dir := range []string{"refs", "logs"} {
		walkErr := filepath.WalkDir(filepath.Join(r.commonDir, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if mode := d.Type(); mode&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0 {
				found = &disk.NotRegularError{Path: path, Mode: mode}
				return fs.SkipAll
			}
			return nil
		})
		if found != nil || walkErr != nil {
			return found
		}
	}
	return nil
}

// watchPipes ends a child that has not ended after a while if it may wait for a named pipe among the refs. A
// look at all of them before each child would cost more than most children do.
func (r *Repo) watchPipes(stop context.CancelCauseFunc) (done func()) {
	timer := time.AfterFunc(pipeLook, func() {
		if err := r.RefPipe(); err != nil {
			stop(err)
		}
	})
	return func() { timer.Stop() }
}

// pipeFound returns the [NotRegularError] for which a child was ended, else an error of that child.
func pipeFound(ctx context.Context, err error) error {
	var pipe *disk.NotRegularError
	if err != nil && errors.As(context.Cause(ctx), &pipe) {
		return pipe
	}
	return err
}
