package cmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/git-context/git-context/refs/fail"
)

// runBeside runs a program that is installed beside this one, with the streams of the command. What few
// commands need, such as a server, is a program of its own: every call of a hook pays for the start of this one.
func (e *Env) runBeside(ctx context.Context, name string, args ...string) error {
	path := e.findBeside(name)
	if path == "" {
		return fail.New(fail.ErrNotFound, fail.NotFound, notBeside(name),
			"install it beside git-context; releases contain both")
	}
	if e.Interruptible != nil {
		var stop context.CancelFunc
		ctx, stop = e.Interruptible(ctx)
		defer stop()
	}
	c := exec.CommandContext(ctx, path, args...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = e.Dir, e.Environ, e.In, e.Out, e.Err
	c.Cancel = func() error { // a signal to this process is one to the other
		if err := c.Process.Signal(os.Interrupt); err != nil {
			return c.Process.Kill()
		}
		return nil
	}
	c.WaitDelay = endBeside
	err := c.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &ended): // it has said why
		return &programError{max(ended.ExitCode(), exitFailed), errEnded}
	}
	return err
}

// endBeside is how long a program has to end after a signal.
const endBeside = 5 * time.Second

// notBeside says that a program is missing.
func notBeside(name string) string {
	return "the program '" + name + "' is neither beside git-context nor on the PATH"
}

// findBeside returns the path of a program: beside this one, else on the PATH; "" if there is none.
func (e *Env) findBeside(name string) string {
	var dirs []string
	if e.Program != "" {
		dirs = append(dirs, filepath.Dir(e.Program))
		if real, err := filepath.EvalSymlinks(e.Program); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, dir := range append(dirs, filepath.SplitList(e.getenv("PATH"))...) {
		if !filepath.IsAbs(dir) { // a program of the current directory may be anybody's
			continue
		}
		path := filepath.Join(dir, name+filepath.Ext(e.Program))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
