package test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// interrupt starts a command that reads steps, sends it one and, when that is
// answered, ^C: the signal must end it, within a second or two, without a word.
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
	late := time.AfterFunc(10*time.Second, func() { _ = c.Process.Kill() })
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
