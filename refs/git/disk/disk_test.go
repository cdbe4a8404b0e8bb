package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The modes are those that git's calc_shared_perm gives.
func TestPermMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting    string
		mode, want fs.FileMode
	}{
		{"", 0o644, 0o644}, {"false", 0o444, 0o444}, {"nonsense", 0o644, 0o644}, {"0440", 0o644, 0o644},
		{"group", 0o600, 0o660}, {"true", 0o444, 0o444}, {"all", 0o600, 0o664}, {"0660", 0o644, 0o660}, {"0640", 0o700, 0o750},
	} {
		if got := ParsePerm(c.setting).Mode(c.mode); got != c.want {
			t.Errorf("core.sharedRepository=%s: %o becomes %o, want %o", c.setting, c.mode, got, c.want)
		}
	}
}

// A stamp changes with the file, and is believed only once every change shows.
func TestStamp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	absent, err := StampOf(path)
	if err != nil || !absent.Known() || absent.String() != "-" || !absent.Settled(time.Now()) {
		t.Errorf("an absent file: %v, %v", absent, err)
	}
	must(t, Replace(path, []byte("one"), 0o666, 0))
	one, err := StampOf(path)
	must(t, err)
	if one == absent || one.Settled(time.Now().Add(-time.Second)) || !one.Settled(time.Now().Add(3*time.Second)) {
		t.Errorf("a new file: %v", one)
	}
	must(t, Replace(path, []byte("three"), 0o666, 0))
	if three, err := StampOf(path); err != nil || three == one {
		t.Errorf("a changed file: %v, %v", three, err)
	}
	if left, err := Glob(filepath.Dir(path), TempPrefix+"*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if s, err := StampOf("a\x00b"); err == nil || s.Known() {
		t.Errorf("a file that cannot be looked at: %v, %v", s, err)
	}
}

// A directory's name is no pattern.
func TestGlob(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]c")
	must(t, os.Mkdir(dir, 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "x.keep"), nil, 0o666))
	if found, err := Glob(dir, "*.keep"); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}

// An open file that is locked cannot be locked once more through another one.
func TestTryLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		must(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	one, other := open(), open()
	for _, c := range []struct {
		f    *os.File
		free bool
	}{{one, true}, {other, false}} {
		if free, err := TryLock(c.f); err != nil || free != c.free {
			t.Errorf("free: %v, %v; want %v", free, err, c.free)
		}
	}
	must(t, Unlock(one))
	if free, err := TryLock(other); err != nil || !free {
		t.Errorf("after it was released: %v, %v", free, err)
	}
	if !SameFile(one, path) {
		t.Error("not the same file")
	}
}
