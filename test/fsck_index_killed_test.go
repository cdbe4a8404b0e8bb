//go:build unix

package test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A repair of an index that is killed leaves the old one or the new one, and the next one finishes. What it has written beside the packs, gc removes.
func TestKilledRepairOfAnIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("commit", "-m", "one")
	w.git("repack", "-adq")
	w.git("multi-pack-index", "write")
	packs := filepath.Join(w.dir, ".git", "objects", "pack")
	list, err := filepath.Glob(filepath.Join(packs, "*.idx"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	read := func() []byte {
		data, err := os.ReadFile(list[0])
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	whole := read()
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0x40
	for point, want := range map[string][]byte{"before-index-rename": damaged, "after-midx-dropped": whole} {
		if err := os.Remove(list[0]); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list[0], damaged, 0o444); err != nil {
			t.Fatal(err)
		}
		w.killedAt(point, "fsck", "--fix")
		if !bytes.Equal(read(), want) {
			t.Errorf("killed at %s: another index", point)
		}
		w.ok("fsck", "--fix")
		if !bytes.Equal(read(), whole) {
			t.Errorf("mended after %s: another index", point)
		}
		w.sound()
	}
	w.ok("record", "-a", "two")
	w.ok("commit", "-m", "two")
	w.ok("gc")
	if left, err := filepath.Glob(filepath.Join(packs, "tmp_*")); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
	if found := w.problems(); len(found) > 0 {
		t.Errorf("left: %+v", found)
	}
}
