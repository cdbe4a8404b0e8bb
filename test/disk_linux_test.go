//go:build unix

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// disk is a file system of its own, whose room can be taken away and given back.
type disk struct {
	t   testing.TB
	dir string
}

// mountDisk mounts a small file system that only this test sees, and which the
// kernel takes away when the test ends, however it does: the mount lives in a
// namespace of this goroutine's thread, and the thread ends with the goroutine.
func mountDisk(t testing.TB) *disk {
	t.Helper()
	d := &disk{t, t.TempDir()}
	ownMounts(t)
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("*** SKIPPED FULL DISK: %v; TestFileSizeLimit is run instead", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

// ownMounts gives this goroutine, and the processes that it starts, mounts of their
// own: what is mounted from now on nobody else sees.
func ownMounts(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("*** SKIPPED FULL AND READ-ONLY DISKS: only root may mount one; TestFileSizeLimit and TestDenied are run instead")
	}
	runtime.LockOSThread() // and never unlock: the thread, which is not like others, ends with the goroutine
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		t.Skipf("*** SKIPPED FULL AND READ-ONLY DISKS: no mount namespace: %v; TestFileSizeLimit and TestDenied are run instead", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
}

// room is what is left of a disk: pages of 4 KiB, and files. What is not told is enough.
type room struct{ pages, files int }

const plenty = -1

func (r room) String() string {
	if r.pages == plenty {
		return fmt.Sprintf("room for %d files", r.files)
	}
	return fmt.Sprintf("room for %d pages", r.pages)
}

// used is how many pages and files a disk holds.
func (d *disk) used() room {
	d.t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &s); err != nil {
		d.t.Fatal(err)
	}
	return room{int(s.Blocks - s.Bfree), int(s.Files - s.Ffree)}
}

// leave leaves so much room.
func (d *disk) leave(r room) {
	d.t.Helper()
	size, files, now := 64<<20, 100_000, d.used()
	if r.pages != plenty {
		size = max(now.pages+r.pages, 1) * os.Getpagesize() // none at all would be no limit
	}
	if r.files != plenty {
		files = now.files + r.files
	}
	options := fmt.Sprintf("size=%d,nr_inodes=%d", size, files)
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", syscall.MS_REMOUNT, options); err != nil {
		d.t.Fatal(err)
	}
}

// A disk that is full at any point of any command: the command says so and has changed
// nothing, or it is done; and where it failed it is done once, when there is room. In a
// soak every point is tried, else a few of the commands that most depends on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	template := newDisk(t)
	for _, c := range writings(t) {
		if soaking() || c.core {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				mountDisk(t).sweep(t, template, c)
			})
		}
	}
	t.Run("views", func(t *testing.T) {
		t.Parallel()
		d := mountDisk(t)
		refusing{guard: func(*world, string) func() {
			d.leave(room{pages: 0, files: 0})
			return func() { d.leave(room{plenty, plenty}) }
		}}.reads(t, template, d.dir)
	})
}

// sweep tries a command with room for nothing, for one page or one file, for two, until
// it is enough.
func (d *disk) sweep(t *testing.T, template *world, c writing) {
	base := template.placed(t, filepath.Join(d.dir, "base", "code"))
	base.take(template)
	if c.begin != nil {
		c.begin(base)
	}
	want, takes := d.measure(t, base, c)
	failed := 0
	for _, left := range d.rooms(takes) {
		if !d.attempt(t, base, c, left, want) {
			failed++
		}
		if t.Failed() {
			t.Fatalf("with %s", left)
		}
	}
	if failed == 0 {
		t.Error("it never failed")
	}
	t.Logf("figures: '%s' failed at %d points of a full disk", c.name, failed)
}

// measure runs a command with room enough: what comes of it, and what it takes.
func (d *disk) measure(t *testing.T, base *world, c writing) (outcome string, takes room) {
	t.Helper()
	w := base.placed(t, filepath.Join(d.dir, "try", "code"))
	w.take(base)
	defer os.RemoveAll(filepath.Dir(w.dir))
	before := d.used()
	if r := w.try(c); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	after := d.used()
	return w.outcome(), room{after.pages - before.pages, after.files - before.files}
}

// rooms are the amounts of room that a command is tried with. What a command takes for
// a while and gives back is more than what it keeps.
func (d *disk) rooms(takes room) (list []room) {
	if !soaking() {
		return []room{{max(takes.pages-1, 0), plenty}, {plenty, takes.files / 2}}
	}
	for n := range takes.pages + 6 {
		list = append(list, room{n, plenty})
	}
	for n := range takes.files + 6 {
		list = append(list, room{plenty, n})
	}
	return list
}

// attempt tries a command on a disk with so much room. Where it fails it is tried again
// with room enough. It reports whether it did not fail.
func (d *disk) attempt(t *testing.T, base *world, c writing, left room, want string) bool {
	t.Helper()
	w := base.placed(t, filepath.Join(d.dir, "try", "code"))
	w.take(base)
	defer os.RemoveAll(filepath.Dir(w.dir))
	before := w.image()
	d.leave(left)
	r := w.try(c)
	d.leave(room{plenty, plenty})
	last := r
	if r.code != 0 {
		last = w.after(c, r, before, "no space left on device", "out of diskspace", "reftable: ") // the others are git's own
	}
	w.complete(last, want)
	return r.code == 0
}

// A repository on a disk that is mounted read-only, or a part of it, says so, and can
// be read.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	template := newDisk(t)
	how := refusing{cause: "read-only file system", guard: func(w *world, part string) func() {
		path := filepath.Join(w.dir, ".git", part)
		for _, flags := range []uintptr{syscall.MS_BIND, syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY} {
			if err := syscall.Mount(path, path, "", flags, ""); err != nil {
				w.t.Fatal(err)
			}
		}
		return func() {
			if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
				w.t.Error(err)
			}
		}
	}}
	for _, part := range guarded(".") {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			ownMounts(t)
			how.tries(t, template, part)
		})
	}
	t.Run("views", func(t *testing.T) {
		t.Parallel()
		ownMounts(t)
		how.reads(t, template, t.TempDir())
	})
}
