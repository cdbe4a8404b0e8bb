package git

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/git/process"
)

// session is a child that answers several questions. It is started in the
// background: starting a process takes 0.5 ms that hide behind other work.
type session struct {
	args   []string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr tail
	trace  *tracer
	begin  time.Time

	ready chan struct{} // closed when cmd was started, or failed to
	err   error         // why it could not be started

	stopOnce sync.Once
	endOnce  sync.Once
	ended    chan struct{} // closed when the child is gone
	endErr   error
}

// open starts a session with more environment and files to keep open.
func (r *Repo) open(ctx context.Context, env []string, keep []*os.File, args ...string) *session {
	s := &session{args: args, trace: r.trace, ready: make(chan struct{}), ended: make(chan struct{}), begin: time.Now()}
	go func() {
		defer close(s.ready)
		path, err := r.gitPath(ctx)
		if err != nil {
			s.err = err
			return
		}
		s.cmd = exec.Command(path, args...)
		s.cmd.Dir = r.runDir()
		s.cmd.Env = append(r.childEnv[:len(r.childEnv):len(r.childEnv)], env...)
		s.cmd.Stderr = &s.stderr
		s.cmd.WaitDelay = pipeGrace
		process.OwnGroup(s.cmd)
		process.KeepFiles(s.cmd, keep)
		s.err = s.launch()
	}()
	return s
}

func (s *session) launch() error {
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return &Error{Args: s.args, Code: -1, Err: err}
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return &Error{Args: s.args, Code: -1, Err: err}
	}
	s.out = bufio.NewReaderSize(out, 32<<10)
	if err := s.cmd.Start(); err != nil {
		return &Error{Args: s.args, Code: -1, Err: err}
	}
	return nil
}

// wait waits for the child to have been started.
func (s *session) wait() error {
	<-s.ready
	return s.err
}

// end waits for the child, whose output was read or is of no interest any more,
// and returns what it died of: an *Error, or nil after exit code 0.
func (s *session) end(ctx context.Context) error {
	s.endOnce.Do(func() {
		defer close(s.ended)
		if s.wait() != nil {
			s.endErr = s.err
			return
		}
		_ = s.in.Close()
		err := s.cmd.Wait()
		s.trace.line(s.begin, s.args, s.cmd.ProcessState, err)
		if err != nil {
			s.endErr = childError(ctx, s.args, s.stderr.String(), err)
		}
	})
	return s.endErr
}

// stop asks the child to stop, and has it killed if it does not: git then drops a prepared
// transaction and removes its lock files. It returns at once; end must follow.
func (s *session) stop() {
	s.stopOnce.Do(func() {
		if s.wait() != nil {
			return
		}
		_ = s.in.Close()
		_ = process.StopGroup(s.cmd.Process)
		timer := time.AfterFunc(process.Grace, func() { process.KillGroup(s.cmd.Process) })
		go func() {
			<-s.ended
			timer.Stop()
		}()
	})
}
