//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// OwnGroup has a command started in a process group of its own: its descendants can be
// stopped with it, and an interrupt from the terminal reaches us alone, so that a ref
// transaction is not cut in two.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// OwnSession has a command started in a session of its own, which is a process group
// too: it and its descendants (ssh, credential helpers) have no terminal, so /dev/tty
// cannot be opened to ask for a password.
func OwnSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// StopGroup asks a child in its own group, and its descendants, to stop. It returns at
// once; os.ErrProcessDone if none is left.
func StopGroup(p *os.Process) error { return signalGroup(p, syscall.SIGTERM) }

// KillGroup kills what is left of the group of a child.
func KillGroup(p *os.Process) { _ = signalGroup(p, syscall.SIGKILL) }

// groupEnded reports whether no process of a group is left.
func groupEnded(p *os.Process) bool { return errors.Is(signalGroup(p, 0), os.ErrProcessDone) }

func signalGroup(p *os.Process, sig syscall.Signal) error {
	err := syscall.Kill(-p.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// KeepFiles has a child inherit open files, and with them the locks on them.
func KeepFiles(cmd *exec.Cmd, files []*os.File) { cmd.ExtraFiles = files }

// Find looks a program up in a PATH. Relative entries are passed over: a repository
// must not bring its own git. The error wraps [exec.ErrNotFound].
func Find(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("cannot run %s: %w", name, exec.ErrNotFound)
}

// PipeClosed reports whether an error of os/exec is the death of a child whose reader was
// gone: SIGPIPE.
func PipeClosed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGPIPE
}
