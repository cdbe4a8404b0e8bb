package git

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
)

// UserOptions are how a command of the user's own is run.
type UserOptions struct {
	// Action stands in the reflogs, before git's own words (GIT_REFLOG_ACTION).
	Action string
	// Input is standard input; nil: it is empty.
	Input []byte
	// Out and Err get what git and its hooks print, as it comes; nil: nobody. A file
	// is handed on as it is: the child goes on writing should this process be killed.
	Out, Err io.Writer
	// Terminal: a person is there, whom git and its hooks may ask.
	Terminal bool
	// Keep are locked files that the child holds open too, as TxOptions.Keep. What it
	// starts inherits them; to release a lock releases it for them all.
	Keep []*os.File
}

// RunUser runs a git command that changes the code, as the user would have run it: in
// the directory and with the environment that were given to Open, so that GIT_DIR,
// GIT_INDEX_FILE, GIT_AUTHOR_*, settings, hooks, signatures and editors are theirs. Our
// own hooks alone are off (GIT_CONTEXT_HOOKS=0): whoever calls this does their work.
//
// It has no deadline, because hooks may run long. Options.Interruptible ends it early;
// the error is then the context's cause. Without a terminal it is in a process group of
// its own, and its descendants are stopped with it. With one it stays in ours: a group
// of its own could not read from the terminal, whose ^C reaches it by itself. A child
// that fails is an *Error, which does not repeat what it printed.
func (r *Repo) RunUser(ctx context.Context, o UserOptions, args ...string) error {
	path, err := r.gitPath(ctx)
	if err != nil {
		return err
	}
	waiting, done := r.interruptible(ctx)
	defer done()
	cmd := exec.CommandContext(waiting, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, o.Out, o.Err
	cmd.Env = append(r.env[:len(r.env):len(r.env)], "GIT_CONTEXT_HOOKS=0", "GIT_REFLOG_ACTION="+o.Action)
	process.KeepFiles(cmd, o.Keep)
	if o.Input != nil {
		in, err := r.spool(o.Input)
		if err != nil {
			return err
		}
		defer os.Remove(in.Name()) // of effect only where an open file cannot be removed
		defer in.Close()
		cmd.Stdin = in
	}
	begin := time.Now()
	if o.Terminal {
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = process.Grace
		if err = cmd.Run(); err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() < 0 {
			// A terminal's ^C ended it, and is about to reach us too.
			select {
			case <-waiting.Done():
			case <-time.After(signalGrace):
			}
		}
	} else {
		err = process.Run(waiting, cmd)
	}
	r.trace.line(begin, args, cmd.ProcessState, err)
	switch {
	case err == nil:
		return nil
	case waiting.Err() != nil:
		return context.Cause(waiting)
	}
	return childError(ctx, args, "", err)
}

// spool puts a text into a file to be read, which soon has no name any more. A pipe
// would give the child half a text, should this process be killed.
func (r *Repo) spool(text []byte) (*os.File, error) {
	f, err := disk.CreateTemp(r.StateDir(), disk.TempPrefix, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	var in *os.File
	if err == nil {
		in, err = os.Open(f.Name())
	}
	_ = os.Remove(f.Name()) // an open file not everywhere; the caller tries again
	return in, err
}
