//go:build unix

package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// ^C, or what else ends a command, while a program waits for the person whose key it
// is, ends that program too, and leaves everything as it was.
func TestSigningIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("record", "-o", "kept")
	program, pid := filepath.Join(t.TempDir(), "signs"), filepath.Join(t.TempDir(), "pid")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho $$ >"+pid+"\nexec sleep 600\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.git("config", "gpg.program", program)
	before := w.git("for-each-ref")
	w.interruptSigning(pid, syscall.SIGINT, 130)
	w.interruptSigning(pid, syscall.SIGTERM, 143)
	if after := w.git("for-each-ref"); after != before {
		t.Errorf("refs are\n%s\nand were\n%s", after, before)
	}
	w.ok("commit", "-m", "without")
}

// interruptSigning sends a signal to a commit once the program that signs has written
// its id into the file pid.
func (w *world) interruptSigning(pid string, signal os.Signal, exit int) {
	t := w.t
	if err := os.RemoveAll(pid); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(w.bin, "commit", "-S", "-m", "x")
	c.Dir, c.Env = w.dir, w.env
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(gittest.Patience, func() { _ = c.Process.Kill() })
	defer late.Stop()
	signs := 0
	gittest.Wait(t, "the program that signs", func() bool {
		if text, err := os.ReadFile(pid); err == nil && strings.HasSuffix(string(text), "\n") {
			signs, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		return signs != 0
	})
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // its exit code is looked at below
	if code := c.ProcessState.ExitCode(); code != exit {
		t.Errorf("%s, want exit code %d", c.ProcessState, exit)
	}
	gittest.Wait(t, "the end of the program that was to sign", func() bool { return signs == 0 || ended(signs) })
}

// ended reports whether a process has ended; its parent may not have asked for its exit
// code yet.
func ended(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return syscall.Kill(pid, 0) == syscall.ESRCH || err == nil && strings.Contains(string(stat), ") Z ")
}
