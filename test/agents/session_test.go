//go:build unix

package agents

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/test/agents/model"
)

// sessionLimit is how long a client may take for one prompt.
const sessionLimit = 3 * time.Minute

// session is a run of a client.
type session struct {
	w    *world
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan error
}

// prompt is what the user writes: a first line, and one that names the scene.
func prompt(first, scene string) string { return first + "\n" + mark(scene) }

func mark(scene string) string { return "Play the scene " + scene + "." }

// begin starts the client with a script. The last argument is the prompt.
func (w *world) begin(args []string, scenes ...model.Scene) *session {
	w.Helper()
	w.model.Play(scenes...)
	w.model.Requests()
	s := &session{w: w, cmd: w.command(w.client.path(w.all), args...), done: make(chan error, 1)}
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	gittest.Must(w.T, s.cmd.Start())
	go func() { s.done <- s.cmd.Wait() }()
	return s
}

// signal sends a signal to the client and its children, as a terminal does.
func (s *session) signal(sig syscall.Signal) { _ = syscall.Kill(-s.cmd.Process.Pid, sig) } // it may have ended

// end waits for the end of the client, and kills it if it takes too long.
func (s *session) end(limit time.Duration) error {
	defer s.signal(syscall.SIGKILL) // of what it left in its group
	select {
	case err := <-s.done:
		return err
	case <-time.After(limit):
		s.signal(syscall.SIGKILL)
		<-s.done
		return fmt.Errorf("the client took longer than %s", limit)
	}
}

// everything runs the client to its end and returns what the model was asked.
func (w *world) everything(args []string, scenes ...model.Scene) []model.Request {
	w.Helper()
	s := w.begin(args, scenes...)
	if err := s.end(sessionLimit); err != nil {
		w.Fatalf("%s: %v\n%s", w.client.name, err, tail(s.out.String(), 40))
	}
	asked := w.model.Requests()
	if played := played(asked); len(played) == 0 && len(scenes) > 0 {
		w.Fatalf("the model was asked %d times, never in the scene; %s printed:\n%s",
			len(asked), w.client.name, tail(s.out.String(), 40))
	}
	return asked
}

// ask is everything, and returns the requests of the scenes; there is one.
func (w *world) ask(args []string, scenes ...model.Scene) []model.Request {
	w.Helper()
	return played(w.everything(args, scenes...))
}

func played(asked []model.Request) []model.Request {
	return slices.DeleteFunc(slices.Clone(asked), func(r model.Request) bool { return r.Scene == "" })
}

// hangs is a command that says that it has begun, and does not end.
func (w *world) hangs() model.Deed {
	return model.Shell("echo begun >'" + w.begun() + "'; echo waiting; exec sleep 300")
}

func (w *world) begun() string { return filepath.Join(w.home, "begun") }

// stop starts the client with a prompt whose command does not end, and stops it by a signal.
func (w *world) stop(sig syscall.Signal, args []string, scenes ...model.Scene) {
	w.Helper()
	s := w.begin(args, scenes...)
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(w.begun()); err == nil {
			break
		}
		if time.Since(begin) > sessionLimit {
			_ = s.end(0)
			w.Fatalf("the command was never run; %s printed:\n%s", w.client.name, tail(s.out.String(), 40))
		}
	}
	gittest.Must(w.T, os.Remove(w.begun()))
	time.Sleep(time.Second) // the client writes to its transcript what it has called
	s.signal(sig)
	if err := s.end(30 * time.Second); err != nil && strings.Contains(err.Error(), "longer") {
		w.Errorf("after %s %v", sig, err)
	}
	w.sweep()
}
