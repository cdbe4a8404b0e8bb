//go:build unix

package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// ownGroup puts a child into a process group of its own: its descendants can be
// stopped with it, and an interrupt from the terminal reaches us alone, so that
// a ref transaction is not cut in two.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// ownSession puts a child into a session of its own, which is a process group
// too: it and its descendants (ssh, credential helpers) have no terminal, so
// /dev/tty cannot be opened to ask for a password.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// stopGroup asks a child and its descendants to stop; git then removes its lock
// files.
func stopGroup(p *os.Process) error { return signalGroup(p, syscall.SIGTERM) }

// killGroup ends what did not stop.
func killGroup(p *os.Process) { _ = signalGroup(p, syscall.SIGKILL) }

// groupEnded reports whether nothing is left of a group.
func groupEnded(p *os.Process) bool { return errors.Is(signalGroup(p, 0), os.ErrProcessDone) }

func signalGroup(p *os.Process, sig syscall.Signal) error {
	err := syscall.Kill(-p.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// keepFiles lets a child hold open files, and with them the locks on them.
func keepFiles(cmd *exec.Cmd, files []*os.File) { cmd.ExtraFiles = files }

// findGit looks git up in the PATH of env. Relative entries are passed over: a
// repository must not bring its own git.
func findGit(env []string) (string, error) {
	path, _ := lookupEnv(env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, "git")
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("cannot run git: %w", exec.ErrNotFound)
}
