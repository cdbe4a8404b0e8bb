package store

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// Each branch is locked once, and whoever gave the names still has them.
func TestLockBranches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := New(t.Context(), Options{Dir: dir, Now: time.Now}, unused())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	names := []string{"b", "a", "b"}
	locks, err := s.lockBranches(t.Context(), names)
	if err != nil || len(locks) != 2 || !slices.Equal(names, []string{"b", "a", "b"}) {
		t.Errorf("%d locks of %q, %v", len(locks), names, err)
	}
	if err := unlock(locks); err != nil {
		t.Fatal(err)
	}
}
