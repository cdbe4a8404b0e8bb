package main

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// block is what a file system takes a file's bytes in.
const block = 4096

// objects is how many object files a host has, and the bytes of their blocks.
func (h *host) objects() (files int, onDisk int64, err error) {
	err = filepath.WalkDir(filepath.Join(h.dir, "objects"), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files, onDisk = files+1, onDisk+(info.Size()+block-1)/block*block
		}
		return err
	})
	return files, onDisk, err
}

// pushed measures a milestone's way to the host: bytes sent, and what it is there
// before any gc.
func (h *host) pushed(c *clone, size int) func(s series) error {
	return func(s series) error {
		if err := c.work("", size); err != nil {
			return err
		}
		files, onDisk, err := h.objects()
		if err != nil {
			return err
		}
		h.idle()
		h.take()
		if err := c.syncs(0)(s); err != nil {
			return err
		}
		h.idle()
		filesNow, onDiskNow, err := h.objects()
		s.add("objects", float64(filesNow-files))
		s.add("loose bytes", float64(onDiskNow-onDisk))
		return err
	}
}

// measureBytes syncs milestones of more and more text.
func measureBytes(l *lab, sizes []int) error {
	h, err := l.newHost("bytes")
	if err != nil {
		return err
	}
	c, err := h.begin("bytes-clone")
	if err != nil {
		return err
	}
	for _, n := range sizes {
		if err := l.repeat(h, "bytes", viaDaemon, n, h.pushed(c, n)); err != nil {
			return err
		}
	}
	return h.close()
}

// measureNotes syncs a milestone where the notes of many are there.
func measureNotes(l *lab, sizes []int) error {
	for _, n := range sizes {
		name := fmt.Sprintf("notes-%d", n)
		h, err := l.newHost(name)
		if err != nil {
			return err
		}
		if err := h.writeNotes(n); err != nil {
			return err
		}
		c, err := h.begin(name + "-clone")
		if err != nil {
			return err
		}
		if _, err := c.context("sync"); err != nil {
			return err
		}
		if err := l.repeat(h, "notes", viaDaemon, n, h.pushed(c, usual)); err != nil {
			return err
		}
		if err := h.close(); err != nil {
			return err
		}
	}
	return nil
}

// writeNotes makes notes of milestones that are not there, as the program would.
func (h *host) writeNotes(n int) error {
	var in bytes.Buffer
	in.WriteString("commit refs/notes/context\ncommitter A <a@example.com> 1700000000 +0000\ndata 5\nnotes\n")
	for i := range n {
		of := fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprint(i))))
		line := fmt.Sprintf(`{"v":1,"id":"01JD5K0Z3V7Q3M9K2A4B%06d","kind":"commit","time":"2026-11-21T01:37:05Z","agent":"agent %d","branch":"agent/%05d","steps":"1-10"}`+"\n", i%1_000_000, i%1000, i%1000)
		fmt.Fprintf(&in, "M 100644 inline %s/%s\ndata %d\n%s\n", of[:2], of[2:], len(line), line)
	}
	return h.lab.feed(h.dir, &in, "git", "fast-import", "--quiet")
}

// autoGC is after about how many milestones a host's gc starts by itself: at 6,700
// loose objects.
const autoGC = 500

// measureGrowth brings more and more milestones of one agent to a host, and packs
// them: all of them, and those since the last gc, in both ways that git has.
func measureGrowth(l *lab, sizes []int) error {
	h, err := l.newHost("growth")
	if err != nil {
		return err
	}
	c, err := h.begin("growth-clone")
	if err != nil {
		return err
	}
	for _, set := range [][2]string{{"receive.autogc", "false"}, {"receive.unpackLimit", "1000000"}} {
		if err := l.git(h.dir, "config", set[0], set[1]); err != nil {
			return err
		}
	}
	have := 0
	for _, n := range sizes {
		if err := c.grow(n - have); err != nil {
			return err
		}
		s := series{}
		if err := l.git(h.dir, "gc", "-q"); err != nil {
			return err
		}
		_, packed, err := h.objects()
		if err != nil {
			return err
		}
		s.add("packed bytes", float64(packed))
		few := min(autoGC, n)
		if err := c.grow(few); err != nil {
			return err
		}
		have = n + few
		files, loose, err := h.objects()
		if err != nil {
			return err
		}
		s.add("loose objects each", float64(files)/float64(few))
		s.add("loose bytes each", float64(loose-packed)/float64(few))
		if err := h.packs(s); err != nil {
			return err
		}
		l.out = append(l.out, s.medians("growth", viaDaemon, n)...)
	}
	return h.close()
}

// packs packs what is loose, in a copy with the packs that there are, and as gc does.
func (h *host) packs(s series) error {
	l := h.lab
	again := h.dir + "-copy"
	if err := os.CopyFS(again, os.DirFS(h.dir)); err != nil {
		return err
	}
	few, err := l.run(again, "git", "repack", "-q", "-d", "--geometric=2")
	if err != nil {
		return err
	}
	all, err := l.run(h.dir, "git", "gc", "-q")
	if err != nil {
		return err
	}
	s.addTime("repack --geometric=2 cpu", few.cpu)
	s.addTime("gc cpu", all.cpu)
	return os.RemoveAll(again)
}

// grow brings milestones to the host, each loose, as if they had come one by one.
func (c *clone) grow(n int) error {
	for range n {
		if err := c.work("", usual); err != nil {
			return err
		}
	}
	return c.lab.git(c.dir, "push", "-q", c.host.dir, "refs/context/heads/main", "refs/notes/context")
}
