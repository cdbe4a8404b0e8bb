// Package process is what running children needs of the system beyond os/exec:
// process groups and sessions, ending a child together with its descendants, and
// finding out whether another process still uses a lock file.
//
// Children are put into groups of their own so that a terminal's ^C reaches this
// process alone, which then ends them in order; and into sessions of their own where
// they must find no terminal to ask a question on.
package process

import (
	"context"
	"os"
	"os/exec"
	"time"
)

const (
	// Grace is how long a child may take to clean up after it was asked to stop, before
	// it is killed, and its descendants after it. Git removes its lock files meanwhile.
	Grace = 2 * time.Second

	// groupPoll is the pause between two looks whether a group has ended.
	groupPoll = 10 * time.Millisecond
)

// Run runs a command to its end, in a process group of its own. When ctx, which cmd
// must have been made with, ends, the command and its descendants are asked to stop;
// what is left of them after [Grace] is killed. A terminal's ^C does not reach them,
// nor may they read from it. The error is that of [exec.Cmd.Run].
func Run(ctx context.Context, cmd *exec.Cmd) error {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return StopGroup(cmd.Process) }
	cmd.WaitDelay = Grace
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		endGroup(cmd.Process)
	}
	return err
}

// endGroup waits until a group that was asked to stop has ended, and kills it after
// [Grace].
func endGroup(p *os.Process) {
	for late := time.Now().Add(Grace); !groupEnded(p) && time.Now().Before(late); {
		time.Sleep(groupPoll)
	}
	KillGroup(p)
}
