//go:build unix

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// nothingRuns holds that no process has mark in its arguments or environment,
// where the system shows them (Linux). What talks to the other side is in a
// session of its own: it ends when it finds its connection gone.
func nothingRuns(t testing.TB, mark string) {
	t.Helper()
	var left map[int]string
	for begin := time.Now(); time.Since(begin) < gittest.Patience; {
		if left = running(mark); len(left) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("processes were left: %v", left)
}

// running finds such processes, by their id.
func running(mark string) map[int]string {
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err) // the pattern above is malformed
	}
	found := map[int]string{}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, err := os.ReadFile(filepath.Join(path, "cmdline"))
		if err != nil {
			continue // it has just ended
		}
		env, err := os.ReadFile(filepath.Join(path, "environ"))
		if err != nil {
			continue // ended, or another user's
		}
		if strings.Contains(fmt.Sprintf("%s%s", args, env), mark) {
			found[pid] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return found
}
