package store_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// A hash that was listed behind what a crash left is not lost, and a hole of a gigabyte is not kept in memory.
func TestWrittenBehindWhatACrashLeft(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 2)
	s := r.Open()
	path := s.StatePath(store.WrittenName)
	before, end, err := s.WrittenSince(0)
	if err != nil || len(before) == 0 || slices.Compact(slices.Clone(before))[0] != before[0] {
		t.Fatalf("%v, %d, %v", before, end, err)
	}
	one, two := strings.Repeat("1", len(before[0])), strings.Repeat("2", len(before[0]))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hole := strings.Repeat("\x00", 4090) // the hash lies across two pieces of a buffer
	for _, text := range []string{"abc" + one + "\n", hole + two + "\n", "torn"} {
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	got, now, err := s.WrittenSince(end)
	if err != nil || !slices.Equal(got, []git.ID{git.ID(one), git.ID(two)}) {
		t.Errorf("%v, %v", got, err)
	}
	if want := end + int64(3+len(hole)+2*len(one)+2); now != want {
		t.Errorf("the end is %d, not %d", now, want)
	}
	if all, _, err := s.WrittenSince(0); err != nil || len(all) != len(before)+2 || len(m) != 2 {
		t.Errorf("%v, %v", all, err)
	}
}
