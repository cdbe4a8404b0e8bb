package git

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// RunGroup runs a program that is not git to its end, in a process group of its own.
// When ctx, which cmd was made with, ends, the program and its descendants are asked
// to stop; what is left of them after two seconds is killed. A terminal's ^C does not
// reach them, nor may they read from it.
func RunGroup(ctx context.Context, cmd *exec.Cmd) error {
	ownGroup(cmd)
	cmd.Cancel = func() error { return stopGroup(cmd.Process) }
	cmd.WaitDelay = killGrace
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		endGroup(cmd.Process)
	}
	return err
}

// endGroup waits until all of a group have ended that was asked to, but not for long.
func endGroup(p *os.Process) {
	for late := time.Now().Add(killGrace); !groupEnded(p) && time.Now().Before(late); {
		time.Sleep(groupPoll)
	}
	killGroup(p)
}
