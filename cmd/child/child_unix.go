//go:build unix

package child

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

const hasTerminals = true

// ending are the signals that would end this process. SIGPIPE is among them because a reader of
// our output that goes away must not keep us from recording.
func ending() []os.Signal {
	return []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE}
}

// start starts the program without the signal that this process ignores and children inherit.
func (r *running) start() error {
	if signal.Ignored(syscall.SIGXFSZ) {
		signal.Reset(syscall.SIGXFSZ)
		defer signal.Ignore(syscall.SIGXFSZ)
	}
	return r.cmd.Start()
}

// forward hands signals to the program. Those of the keyboard reach it without us unless it has
// a terminal of its own.
func (r *running) forward(caught <-chan os.Signal) {
	keyboard := !r.own && hasKeyboard()
	for sig := range caught {
		if sig == syscall.SIGPIPE || keyboard && (sig == syscall.SIGINT || sig == syscall.SIGQUIT) {
			continue
		}
		_ = r.cmd.Process.Signal(sig) // it may have ended
	}
}

// hasKeyboard reports whether this process has a terminal, whatever its streams are.
func hasKeyboard() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// terminal makes a pseudo-terminal for the streams that are terminals here.
func (r *running) terminal() error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return err
	}
	to := r.Out
	if !r.TermOut {
		to = r.Err
	}
	r.theirs, r.copies = append(r.theirs, theirs), append(r.copies, stream{ours, to})
	if r.TermOut {
		r.cmd.Stdout = theirs
	}
	if r.TermErr {
		r.cmd.Stderr = theirs
	}
	if shown, ok := to.(*os.File); ok {
		r.followSize(shown, ours)
	}
	in, ok := r.In.(*os.File)
	if !ok || !r.TermIn || !r.TermOut {
		_, err = term.MakeRaw(int(theirs.Fd())) // our terminal does what is to be done to output
		return err
	}
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	// Nothing is left to report a failure on; a terminal that is gone needs no mode.
	r.undo = append(r.undo, func() { _ = term.Restore(int(in.Fd()), before) })
	r.own, r.cmd.Stdin = true, theirs
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return r.typed(in, ours)
}

// followSize gives the program's terminal the size of ours, now and when that changes.
func (r *running) followSize(shown, ours *os.File) {
	_ = pty.InheritSize(shown, ours) // without a size programs assume one
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	r.undo = append(r.undo, func() { signal.Stop(changed) })
	go func() {
		for range changed {
			_ = pty.InheritSize(shown, ours)
		}
	}()
}

// typed passes on what is typed until the program has ended: what is typed after that is for
// the shell.
func (r *running) typed(in, ours *os.File) error {
	stop, end, err := os.Pipe()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	r.undo = append(r.undo, func() {
		_ = end.Close()
		<-done
		_ = stop.Close()
	})
	go func() {
		defer close(done)
		buf := make([]byte, 4<<10)
		for {
			watched := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}, {Fd: int32(stop.Fd()), Events: unix.POLLIN}}
			if _, err := unix.Poll(watched, -1); err == unix.EINTR {
				continue
			} else if err != nil || watched[1].Revents != 0 {
				return
			}
			n, err := in.Read(buf)
			if err != nil || n == 0 {
				return
			}
			if _, err := ours.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	return nil
}

// statusOf is the status of a program that has ended.
func statusOf(state *os.ProcessState) Status {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return Status{Code: 128 + int(w.Signal()), Signal: w.Signal().String()}
	}
	return Status{Code: state.ExitCode()}
}
