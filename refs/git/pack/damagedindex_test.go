package pack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// flip changes one bit of a file, at an offset from its end.
func flip(t *testing.T, path string, fromEnd int) {
	t.Helper()
	data := ok(os.ReadFile(path))(t)
	data[len(data)-fromEnd] ^= 0x40
	must(t, os.Chmod(path, 0o644))
	must(t, os.WriteFile(path, data, 0o644))
	must(t, os.Chmod(path, 0o444))
}

// A changed index is found wherever it has changed, and is byte for byte as before when it was written again.
func TestWriteIndexOfAWholePack(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		m := newMemory(t, "--object-format="+format)
		m.grow(t, 5)
		m.Git("r", "-c", "pack.writeReverseIndex=true", "repack", "-adq")
		m.Git("r", "multi-pack-index", "write")
		path := m.one("*.pack")
		index, reverse := IndexPath(path), trimPack(path)+".rev"
		was, order := ok(os.ReadFile(index))(t), ok(os.ReadFile(reverse))(t)
		for at := 1; at < len(was); at += 97 {
			flip(t, index, at)
			if got := ok(DamagedIndexes(t.Context(), m.repo))(t); !slices.Equal(got, []string{index}) {
				t.Fatalf("%s, at %d: %v", format, at, got)
			}
			if at%5 == 1 { // each costs processes
				flip(t, reverse, at%len(order)+1)
				must(t, WriteIndex(t.Context(), m.repo, path))
				if got := ok(os.ReadFile(reverse))(t); !bytes.Equal(got, order) {
					t.Errorf("%s, at %d: another .rev file", format, at)
				}
				_ = ok(m.repo.Commit(t.Context(), m.tip))(t)
				m.whole(t)
			} else {
				flip(t, index, at)
			}
			if got := ok(os.ReadFile(index))(t); !bytes.Equal(got, was) {
				t.Fatalf("%s, at %d: another index", format, at)
			}
		}
		if got := ok(DamagedIndexes(t.Context(), m.repo))(t); len(got) > 0 {
			t.Errorf("%s: %v", format, got)
		}
		m.Git("r", "multi-pack-index", "verify")
	}
}

// Where the pack cannot be read, or nothing can be written, the old index stays, and the error tells which.
func TestWriteIndexFails(t *testing.T) {
	t.Parallel()
	_, r, path, _, _ := newDamaged(t, 6)
	flip(t, IndexPath(path), 1)
	was := ok(os.ReadFile(IndexPath(path)))(t)
	if err := WriteIndex(t.Context(), r, path); !errors.Is(err, ErrDamaged) {
		t.Errorf("of a damaged pack: %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteIndex(done, r, path); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("when it is cancelled: %v", err)
	}
	if got := ok(os.ReadFile(IndexPath(path)))(t); !bytes.Equal(got, was) {
		t.Error("the index has changed")
	}
	if left := ok(filepath.Glob(filepath.Join(filepath.Dir(path), stagePrefix+"*")))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A multi-pack-index is written again; if two indexes of packs are damaged, by who mends the second one.
func TestWriteMultiIndex(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 3)
	m.Git("r", "repack", "-adq")
	m.grow(t, 1)
	m.Git("r", "repack", "-dq")
	m.Git("r", "multi-pack-index", "write")
	path := filepath.Join(m.repo.ObjectDir(), "pack", midxName)
	if got := ok(DamagedMultiIndex(m.repo))(t); got != "" {
		t.Errorf("a whole one: %s", got)
	}
	flip(t, path, 1)
	if got := ok(DamagedMultiIndex(m.repo))(t); got != path {
		t.Errorf("damaged: %q", got)
	}
	must(t, WriteMultiIndex(t.Context(), m.repo))
	if got := ok(DamagedMultiIndex(m.repo))(t); got != "" {
		t.Errorf("written again: %s", got)
	}
	m.Git("r", "multi-pack-index", "verify")
	const entriesBegin = 8 + 256*4
	for _, index := range ok(filepath.Glob(filepath.Join(filepath.Dir(path), "*.idx")))(t) {
		flip(t, index, int(ok(os.Stat(index))(t).Size())-entriesBegin+200)
	}
	flip(t, path, 1)
	for _, index := range ok(DamagedIndexes(t.Context(), m.repo))(t) {
		if got := ok(DamagedMultiIndex(m.repo))(t); got == "" {
			t.Error("it was written of a damaged index")
		}
		must(t, WriteIndex(t.Context(), m.repo, strings.TrimSuffix(index, ".idx")+".pack"))
	}
	m.Git("r", "multi-pack-index", "verify")
	m.whole(t)
}
