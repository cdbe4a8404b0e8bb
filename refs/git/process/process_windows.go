package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup keeps an interrupt from the console away from a command.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// OwnSession gives a command a console without a window: nothing in it can ask for a
// password.
func OwnSession(cmd *exec.Cmd) {
	const createNoWindow = 0x08000000
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow}
}

// StopGroup kills a child: no milder way reaches a process without a console. Its
// descendants are not stopped.
func StopGroup(p *os.Process) error { return p.Kill() }

// KillGroup kills a child.
func KillGroup(p *os.Process) { _ = p.Kill() }

// groupEnded reports true: only the child itself was stopped, and it has ended.
func groupEnded(*os.Process) bool { return true }

// KeepFiles does nothing: locks here belong to a process, not to a file that a child
// could inherit.
func KeepFiles(*exec.Cmd, []*os.File) {}

// Find looks a program up in the PATH of this process, whatever path is. The error
// wraps [exec.ErrNotFound].
func Find(name, _ string) (string, error) {
	file, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("cannot run %s: %w", name, err)
	}
	return file, nil
}

// PipeClosed reports whether a child died because its reader was gone. Windows has no such signal.
func PipeClosed(error) bool { return false }
