package child

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// With a terminal, the program has one of the same size, ^C and typed text reach it, and the
// caller's terminal is as before afterwards.
func TestRunOnATerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip("*** no pseudo-terminals:", err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 33, Cols: 77}); err != nil {
		t.Fatal(err)
	}
	before := mode(t, tty)
	shown := make(chan string)
	ready := make(chan bool, 1)
	go func() { shown <- watch(master, ready) }()
	go func() {
		<-ready
		_, _ = master.Write([]byte("typed\n"))
		time.Sleep(50 * time.Millisecond)
		_, _ = master.Write([]byte{3})
	}()
	keep := &Keep{Clean: clean}
	status, err := Run(Program{
		Argv: []string{"sh", "-c", `trap 'echo cut; exit 9' INT; test -t 0 && test -t 1 && test -t 2 && stty size
echo ready; read x; echo "got $x"; while :; do sleep 0.01; done`},
		Env: os.Environ(), In: tty, Out: tty, Err: tty, TermIn: true, TermOut: true, TermErr: true, Keep: keep,
	})
	if err != nil || status.Code != 9 {
		t.Errorf("%v, %v; want exit code 9", status, err)
	}
	for _, want := range []string{"33 77", "got typed", "cut"} {
		if !strings.Contains(keep.Text(), want) {
			t.Errorf("%q is not kept: %q", want, keep.Text())
		}
	}
	if after := mode(t, tty); after != before {
		t.Errorf("the terminal's mode is %+v and was %+v", after, before)
	}
	tty.Close()
	if s := <-shown; !strings.Contains(s, "33 77\r\n") || strings.Contains(s, "\r\r") {
		t.Errorf("shown: %q", s)
	}
}

func mode(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

func watch(master io.Reader, ready chan<- bool) string {
	var all bytes.Buffer
	buf := make([]byte, 1024)
	for told := false; ; {
		n, err := master.Read(buf)
		all.Write(buf[:n])
		if !told && strings.Contains(all.String(), "ready") {
			told = true
			ready <- true
		}
		if err != nil {
			return all.String()
		}
	}
}

// A stream that is no terminal stays apart from one that is.
func TestRunWithOneTerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip("*** no pseudo-terminals:", err)
	}
	defer master.Close()
	defer tty.Close()
	var out bytes.Buffer
	status, err := Run(Program{
		Argv: []string{"sh", "-c", `test -t 2 && ! test -t 1 && echo apart; echo seen >&2`},
		Env:  os.Environ(), In: strings.NewReader(""), Out: &out, Err: tty, TermErr: true, Keep: &Keep{Clean: clean},
	})
	buf := make([]byte, 100)
	n, _ := master.Read(buf)
	if err != nil || status.Code != 0 || out.String() != "apart\n" || string(buf[:n]) != "seen\r\n" {
		t.Errorf("%v, %v, output %q, terminal %q", status, err, &out, buf[:n])
	}
}

// A signal to this process ends the program, whose end is still reported.
func TestRunHandsSignalsOn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = r.Read(make([]byte, 10))
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
	keep := &Keep{Clean: clean}
	status, err := Run(Program{Argv: []string{"sh", "-c", "echo begun; exec sleep 600"},
		Env: os.Environ(), In: strings.NewReader(""), Out: w, Err: w, Keep: keep})
	if err != nil || status.Code != 143 || status.String() != "Exit code 143 (terminated)" || keep.Text() != "begun" {
		t.Errorf("%v, %v, kept %q", status, err, keep.Text())
	}
}
