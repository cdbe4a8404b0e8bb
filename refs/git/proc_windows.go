package git

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps an interrupt from the console away from the child.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// ownSession gives a child a console that nobody sees: nothing in it can ask for
// a password.
func ownSession(cmd *exec.Cmd) {
	const createNoWindow = 0x08000000
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow}
}

// stopGroup ends a child: there is no milder way that reaches a process without
// a console.
func stopGroup(p *os.Process) error { return p.Kill() }

// killGroup ends what did not stop.
func killGroup(p *os.Process) { _ = p.Kill() }

// groupEnded: the child alone was ever stopped, and has ended.
func groupEnded(*os.Process) bool { return true }

// keepFiles does nothing: locks here belong to a process, not to a file that a
// child could inherit.
func keepFiles(*exec.Cmd, []*os.File) {}

// findGit looks git up in PATH.
func findGit([]string) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("cannot run git: %w", err)
	}
	return path, nil
}
