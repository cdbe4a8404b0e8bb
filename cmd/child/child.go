// Package child runs a program in place of its caller: with its streams, its terminal, its
// signals and its exit code, while a copy of the output goes to a Keep.
//
// Streams that are no terminal are pipes, one for standard output and one for standard error,
// or one for both if both are the same file: then their order is exact. A stream that is a
// terminal is a pseudo-terminal for the program. If standard input is one, too, the program
// gets a session whose terminal it is, and ours is in raw mode until the program has ended, so
// that editors, job control and ^C work. Run waits, as tee does, until each process that has
// the streams has closed them.
package child

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
)

// Program is what to run.
type Program struct {
	Argv     []string
	Dir      string
	Env      []string
	In       io.Reader
	Out, Err io.Writer
	TermIn   bool // In is a terminal
	TermOut  bool
	TermErr  bool
	Keep     *Keep // gets a copy of the output
}

// Status is how a program ended.
type Status struct {
	Code   int    // as shells report it: 128 and the number of a signal
	Signal string // "" if no signal ended it
}

func (s Status) String() string {
	text := "Exit code " + strconv.Itoa(s.Code)
	if s.Signal != "" {
		text += " (" + s.Signal + ")"
	}
	return text
}

// Exit codes of shells for a program that did not start.
const (
	notExecutable = 126
	notFound      = 127
)

// Run runs a program to its end. The error says why it did not start; the code is then that
// of shells. Signals that would end this process go to the program. They stay caught after Run
// returns, so that they do not cut off what records the program.
func Run(p Program) (Status, error) {
	r := &running{Program: p, cmd: exec.Command(p.Argv[0], p.Argv[1:]...)}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdin = p.Dir, p.Env, p.In
	caught := make(chan os.Signal, 8)
	for _, sig := range ending() {
		if !signal.Ignored(sig) {
			signal.Notify(caught, sig)
		}
	}
	defer r.restore()
	err := r.connect()
	if err == nil {
		err = r.start()
	}
	if err != nil {
		r.closeAll()
		return Status{Code: startCode(err)}, reason(err)
	}
	go r.forward(caught)
	for _, f := range r.theirs {
		_ = f.Close() // the program has it now
	}
	var copied sync.WaitGroup
	for _, c := range r.copies {
		copied.Go(func() { r.copy(c) })
	}
	err = r.cmd.Wait()
	copied.Wait()
	if r.cmd.ProcessState == nil {
		return Status{Code: 1}, err
	}
	return statusOf(r.cmd.ProcessState), nil
}

// running is one call of Run.
type running struct {
	Program
	cmd    *exec.Cmd
	theirs []*os.File // ends that the program gets
	copies []stream
	undo   []func() // of what was done to our terminal, newest last
	own    bool     // the program has a session of its own
}

// stream is output on its way to ours.
type stream struct {
	from *os.File
	to   io.Writer
}

func (r *running) restore() {
	for i := len(r.undo) - 1; i >= 0; i-- {
		r.undo[i]()
	}
}

func (r *running) closeAll() {
	for _, f := range r.theirs {
		_ = f.Close()
	}
	for _, c := range r.copies {
		_ = c.from.Close()
	}
}

// connect makes the streams of the program.
func (r *running) connect() error {
	if (r.TermOut || r.TermErr) && hasTerminals {
		if err := r.terminal(); err != nil {
			return err
		}
	}
	if r.cmd.Stdout == nil {
		w, err := r.pipe(r.Out)
		if err != nil {
			return err
		}
		r.cmd.Stdout = w
		if sameFile(r.Out, r.Err) && r.cmd.Stderr == nil {
			r.cmd.Stderr = w
		}
	}
	if r.cmd.Stderr != nil {
		return nil
	}
	w, err := r.pipe(r.Err)
	if err == nil {
		r.cmd.Stderr = w
	}
	return err
}

func (r *running) pipe(to io.Writer) (*os.File, error) {
	from, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r.theirs, r.copies = append(r.theirs, w), append(r.copies, stream{from, to})
	return w, nil
}

// copy passes output on. If our reader is gone, the program's is as well: it gets the signal
// or the error that it would get without us.
func (r *running) copy(c stream) {
	defer func() { _ = c.from.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := c.from.Read(buf)
		if n > 0 {
			_, failed := c.to.Write(buf[:n])
			r.Keep.write(buf[:n])
			if failed != nil {
				return
			}
		}
		if err != nil { // the end; a terminal reports it as an error
			return
		}
	}
}

func sameFile(a, b io.Writer) bool {
	f, ok := a.(*os.File)
	g, also := b.(*os.File)
	if !ok || !also {
		return false
	}
	one, err := f.Stat()
	two, errTwo := g.Stat()
	return err == nil && errTwo == nil && os.SameFile(one, two)
}

// startCode is the exit code of a shell for a program that did not start.
func startCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return notFound
	}
	return notExecutable
}

// reason drops the operation and the name that packages put before it.
func reason(err error) error {
	var failed *exec.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err
}
