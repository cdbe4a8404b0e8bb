//go:build unix

package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// strike kills: the process alone, it with all that it started, or one of those alone,
// which it reports.
func strike(pid int, root string, rng *rand.Rand) (child bool) {
	how, below := rng.IntN(4), descendants(pid)
	if how == 3 && len(below) > 0 {
		one := below[rng.IntN(len(below))]
		// The handle is that of whoever has the id now: still ours, if it is still there.
		p, err := os.FindProcess(one)
		return err == nil && slices.Contains(descendants(pid), one) && p.Kill() == nil
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // whether it was at work its end tells
	if how > 0 {
		for _, one := range below {
			p, err := os.FindProcess(one)
			if err == nil && strings.Contains(startedWith(one), "KILL_ROOT="+root) {
				_ = p.Kill() // it may have ended by itself
			}
		}
	}
	return false
}

// startedWith is what a process was started with.
func startedWith(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "" // it has ended
	}
	return string(data)
}

// descendants are the children of a process, and theirs, where the system shows them.
func descendants(pid int) []int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		panic(err) // the pattern above is malformed
	}
	var found []int
	for _, path := range lists {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		for _, field := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(field); err == nil && !onlyWaits(child) {
				found = append(append(found, child), descendants(child)...)
			}
		}
	}
	return found
}

// onlyWaits reports whether a process only waits for its parent to look.
func onlyWaits(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}
