// Command dist makes the packages of a release from its archives:
//
//	go run . [-date SECONDS] VERSION DIR
//
// For every git-context-VERSION-linux-ARCH.tar.gz in DIR, it writes a .deb and an .rpm of
// the same name beside it, with the files of the archive: the program in /usr/bin, the
// manual pages, compressed, in /usr/share/man, what completes for bash, zsh and fish, the
// licence and the changelog. A package runs no scripts, and all that it installs, with the
// directories, is its own: removing it leaves nothing.
//
// SECONDS since 1970, the date of the commit, is the time of everything inside: the same
// archives make the same bytes.
//
// Beside it are install.sh, which installs an archive, and formula.sh, which writes the
// formula for Homebrew. Neither needs this program.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	seconds := flag.Int64("date", 0, "the time of all files, in seconds since 1970")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: dist [-date SECONDS] VERSION DIR")
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Arg(0), flag.Arg(1), time.Unix(*seconds, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "dist: error:", err)
		os.Exit(1)
	}
}

// run makes the packages of every archive for Linux in dir, and prints their names. That
// there is none is no error: a release may be for other systems only.
func run(out io.Writer, version, dir string, date time.Time) error {
	prefix := "git-context-" + version + "-linux-"
	archives, err := filepath.Glob(filepath.Join(dir, prefix+"*.tar.gz"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		stem := strings.TrimSuffix(archive, ".tar.gz")
		r := release{version: version, arch: strings.TrimPrefix(filepath.Base(stem), prefix), date: date}
		if err := r.pack(archive, stem); err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		fmt.Fprintf(out, "%s.deb\n%s.rpm\n", stem, stem)
	}
	return nil
}

// pack writes stem.deb and stem.rpm from one archive.
func (r release) pack(archive, stem string) (err error) {
	dir, err := os.MkdirTemp("", "git-context-dist-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, err := unpack(archive, dir)
	if err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		if err := r.write(format, stem+"."+format, files); err != nil {
			return err
		}
	}
	return nil
}
