package main

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// block is what a file system takes a file's bytes in: a loose object of 200 bytes
// costs a whole one.
const block = 4096

// onDisk is how many bytes files, and those below directories, take in whole blocks.
// What is not there takes none.
func onDisk(dir string, names ...string) (int64, error) {
	var sum int64
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(dir, name), func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err == nil {
				sum += (info.Size() + block - 1) / block * block
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return sum, nil
}

// memoryBytes is what a repository's objects, refs, reflogs and journals take.
func (r *repo) memoryBytes() (int64, error) {
	return onDisk(filepath.Join(r.dir, ".git"), "objects", "refs", "logs", "packed-refs", "context")
}

// Rows of the table of disk use, beside the two of plumbing.
const (
	diskOurs   = "git-context"
	diskFolder = "folder of Markdown"
)

// diskUse is what one way to keep a memory takes.
type diskUse struct{ loose, packed int64 }

// squeeze is how many bytes the text of milestones takes in one stream of zlib: what
// could be had if nothing but the text were kept.
func squeeze(list []milestone) (int64, error) {
	var n length
	w := zlib.NewWriter(&n)
	for _, m := range list {
		log, commit := m.markdown()
		if _, err := io.WriteString(w, log+commit); err != nil {
			return 0, err
		}
	}
	err := w.Close()
	return int64(n), err
}

// length counts what is written to it.
type length int64

func (n *length) Write(p []byte) (int, error) {
	*n += length(len(p))
	return len(p), nil
}

// printDisk writes the table as Markdown.
func printDisk(w io.Writer, fields []*field) error {
	var b strings.Builder
	b.WriteString("\nBytes on disk, in blocks of 4 KiB, per byte of text: never packed → after `git context gc` (ours) or `git gc`.\n\n| |")
	for _, f := range fields {
		fmt.Fprintf(&b, " %d steps, %.1f MB |", f.steps(), float64(f.raw)/1e6)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(fields)) + "\n")
	for _, name := range []string{diskOurs, plumbingNew, plumbingWhole, diskFolder} {
		fmt.Fprintf(&b, "| %s |", name)
		for _, f := range fields {
			use, ok := f.use[name]
			switch {
			case !ok:
				b.WriteString(" – |")
			case use.packed == 0:
				fmt.Fprintf(&b, " %.2f× |", float64(use.loose)/float64(f.raw))
			default:
				fmt.Fprintf(&b, " %.2f× → %.2f× |", float64(use.loose)/float64(f.raw), float64(use.packed)/float64(f.raw))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("| the text alone, zlib |")
	for _, f := range fields {
		fmt.Fprintf(&b, " %.2f× |", float64(f.squeezed)/float64(f.raw))
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "\nWhole files grow with the square of the commits: of more than %d only the last is made, and not counted.\n", wholeAtMost)
	_, err := io.WriteString(w, b.String())
	return err
}
