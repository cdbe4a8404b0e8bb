//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/git-context/git-context/internal/gittest"
)

// pids are the processes that a script wrote down.
func (s *sandbox) pids(name string) []int {
	data, err := os.ReadFile(s.Path(name))
	if err != nil || !strings.HasSuffix(string(data), "\n") {
		return nil
	}
	var pids []int
	for _, word := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(word)
		must(s.T, err)
		pids = append(pids, pid)
	}
	return pids
}

// A fetch that is cancelled takes ssh, and ssh's children, with it; neither of
// them ever had a terminal.
func TestFetchIsCancelled(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	s.Write("ssh", "#!/bin/sh\nsleep 600 &\necho $$ $! >"+s.Path("pids")+"\nwait\n")
	must(t, os.Chmod(s.Path("ssh"), 0o755))
	s.Git("r", "config", "core.sshCommand", s.Path("ssh"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- r.Fetch(ctx, FetchOptions{Remote: "ssh://host.invalid/x", Refspecs: FetchRefspecs("o")})
	}()
	gittest.Wait(t, "ssh", func() bool { return len(s.pids("pids")) == 2 })
	ours, err := unix.Getsid(0)
	must(t, err)
	for _, pid := range s.pids("pids") {
		if theirs, err := unix.Getsid(pid); err != nil || theirs == ours {
			t.Errorf("process %d is in session %d, %v; we are in %d", pid, theirs, err, ours)
		}
	}
	cancel()
	err = <-done
	wantErr(t, err, context.Canceled, "")
	if errors.Is(err, ErrUnreachable) {
		t.Errorf("%v: but nobody said that", err)
	}
	for _, pid := range s.pids("pids") {
		gittest.Wait(t, "the end of a child", func() bool { return gone(pid) })
	}
}

// gone reports whether a process has ended; its parent may not have noticed.
func gone(pid int) bool {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
