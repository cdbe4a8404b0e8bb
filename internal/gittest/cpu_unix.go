//go:build unix

package gittest

import (
	"syscall"
	"testing"
	"time"
)

// CPU returns how much processor time this process has used. What a test wants to be
// quick it measures so: a busy machine takes longer, but not more of it.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
