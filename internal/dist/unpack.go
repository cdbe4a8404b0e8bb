package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// unpacked is a file of an archive: its name there below the archive's folder, and where
// its text is now, compressed if a package keeps it so.
type unpacked struct{ name, path string }

// unpack writes the files of an archive into dir. Their names there are numbers, so that
// an archive cannot write elsewhere. Manual pages and the changelog are compressed, as all
// distributions have them.
func unpack(archive, dir string) (files []unpacked, err error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(z); ; {
		header, err := t.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		_, name, _ := strings.Cut(header.Name, "/")
		u := unpacked{name, filepath.Join(dir, strconv.Itoa(len(files)))}
		if err := u.write(t); err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		files = append(files, u)
	}
}

// compressed reports whether a package has the file as NAME.gz.
func (u unpacked) compressed() bool {
	return path.Dir(path.Dir(u.name)) == "man" || u.name == "CHANGELOG.md"
}

func (u unpacked) write(from io.Reader) (err error) {
	f, err := os.Create(u.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if !u.compressed() {
		_, err := io.Copy(f, from)
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = io.Copy(z, from)
	return errors.Join(err, z.Close())
}
