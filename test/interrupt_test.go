//go:build unix

package test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-context/git-context/internal/gittest"
)

// interrupt starts a command that reads steps, sends it one and, when that is
// answered, ^C: the signal must end it, without a word.
//
//	interrupt git-context record --stdin
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: interrupt COMMAND [ARGUMENT...]")
	}
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	c := exec.Command(path, args[1:]...)
	c.Args[0] = args[0]
	c.Dir, c.Env = ts.MkAbs("."), ts.Value(environment{}).(*testscript.Env).Vars
	in, err := c.StdinPipe()
	ts.Check(err)
	defer in.Close()
	out, err := c.StdoutPipe()
	ts.Check(err)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	ts.Check(c.Start())
	late := time.AfterFunc(gittest.Patience, func() { _ = c.Process.Kill() })
	defer late.Stop()
	_, err = in.Write([]byte("{\"action\":\"before ^C\"}\n"))
	ts.Check(err)
	_, err = bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Check(c.Process.Signal(os.Interrupt))
	_ = c.Wait() // what the signal did is looked at below
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGINT || stderr.Len() > 0 {
		ts.Fatalf("%s, and said %q", c.ProcessState, stderr.String())
	}
}

// A signal to `bisect run` alone ends the program that tests, with what it started,
// even what does not listen; the bisect is as it was.
func TestBisectRunIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("commit", "-m", "good")
	w.ok("tag", "good")
	w.ok("commit", "-m", "between")
	w.ok("commit", "-m", "bad")
	w.ok("bisect", "start", "main", "good")
	before := string(w.ok("bisect", "--json"))
	t.Run("signals", func(t *testing.T) { w.interruptRuns(t) })
	if after := string(w.ok("bisect", "--json")); after != before {
		t.Errorf("the bisect is\n%s\nand was\n%s", after, before)
	}
}

func (w *world) interruptRuns(t *testing.T) {
	for _, c := range []struct {
		name, program string
		signal        syscall.Signal
		exit          int
	}{
		{"INT", "touch $0; sleep 600; exit 1", syscall.SIGINT, 130},
		{"TERM", "touch $0; sleep 600 & wait", syscall.SIGTERM, 143},
		{"deaf", "(trap '' TERM; touch $0; sleep 600; sleep 600) & wait", syscall.SIGTERM, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begun := filepath.Join(t.TempDir(), "begun")
			cmd := w.command([]string{"TEST_BEGUN=" + begun}, w.bin, "bisect", "run", "sh", "-c", c.program, begun)
			var said strings.Builder
			cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second // what is left may keep them open
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(gittest.Patience, func() { _ = cmd.Process.Kill() })
			defer late.Stop()
			gittest.Wait(t, "the program", func() bool { return exists(begun) })
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its exit code is looked at below
			if code := cmd.ProcessState.ExitCode(); code != c.exit || said.Len() > 0 {
				t.Errorf("%s, want exit code %d; it said %q", cmd.ProcessState, c.exit, &said)
			}
			if left := running(begun); len(left) > 0 {
				t.Errorf("processes were left: %v", left)
				for pid := range left {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
