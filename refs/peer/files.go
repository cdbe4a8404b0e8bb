package peer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// The names that all dialects share.
const (
	mainFile   = "main.md"
	branchDir  = "branches"
	commitFile = "commit.md"
	logFile    = "log.md"
	metaFile   = "metadata.yaml"

	// extraFile is this package's own file for what a dialect cannot represent.
	extraFile = "git-context.yaml"
)

// The limits in the package comment, in bytes and files.
const (
	maxFile   = 32 << 20
	maxMeta   = 1 << 20
	maxFolder = 256 << 20
	maxFiles  = 10_000
)

// isAttachment reports whether a file is one that a step keeps, by the name that an export of git-context gives
// it, artifacts/XX/SHA256-NAME. It is no document: a line of the step names it, and the importer reads it.
func isAttachment(name string) bool {
	below, ok := strings.CutPrefix(name, "artifacts/")
	radix, file, _ := strings.Cut(below, "/")
	hash, _, named := strings.Cut(file, "-")
	return ok && named && len(hash) == 64 && len(radix) == 2 && strings.HasPrefix(hash, radix) && strings.Trim(hash, "0123456789abcdef") == ""
}

// dir is a folder in memory.
type dir struct {
	text     map[string]string // by clean path
	names    []string          // of text, sorted
	binary   []string          // files that are not text
	replaced []string          // files with replaced characters
	taken    map[string]bool   // files that a dialect has read
	size     int
}

// load reads all files of a folder.
func load(fsys fs.FS) (*dir, error) {
	d := &dir{text: map[string]string{}, taken: map[string]bool{}}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return &FormatError{name, bareError(err)}
		}
		if e.IsDir() || isAttachment(name) {
			return nil
		}
		return d.read(fsys, name)
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(d.names)
	return d, nil
}

// read reads one file. It does not open anything but regular files: a named pipe would
// block forever.
func (d *dir) read(fsys fs.FS, name string) error {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return &FormatError{name, bareError(err)}
	}
	switch {
	case info.IsDir():
		return &FormatError{name, "a link to a folder is not followed"}
	case !info.Mode().IsRegular():
		return &FormatError{name, "it is neither a file nor a folder"}
	}
	limit := maxFile
	if path.Base(name) == metaFile {
		limit = maxMeta
	}
	data, err := readLimited(fsys, name, limit)
	if err != nil {
		return err
	}
	if d.size += len(data); d.size > maxFolder {
		return &FormatError{name, fmt.Sprintf("with it the folder contains more than %d MiB", maxFolder>>20)}
	}
	if len(d.names)+len(d.binary) == maxFiles {
		return &FormatError{name, fmt.Sprintf("it is one file more than %d", maxFiles)}
	}
	d.add(name, string(data))
	return nil
}

func readLimited(fsys fs.FS, name string, limit int) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, &FormatError{name, bareError(err)}
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, &FormatError{name, bareError(err)}
	}
	if len(data) > limit {
		return nil, &FormatError{name, fmt.Sprintf("it contains more than %d MiB", limit>>20)}
	}
	return data, nil
}

func (d *dir) add(name, text string) {
	if !isDocument(name) && (strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text)) {
		d.binary = append(d.binary, name)
		return
	}
	clean := strings.TrimPrefix(text, "\uFEFF")
	if !utf8.ValidString(clean) || strings.IndexByte(clean, 0) >= 0 {
		// strings.Map replaces each invalid byte by one U+FFFD.
		clean = strings.Map(func(r rune) rune {
			if r == 0 {
				return utf8.RuneError
			}
			return r
		}, clean)
		d.replaced = append(d.replaced, name)
	}
	d.text[name] = clean
	d.names = append(d.names, name)
}

// isDocument reports whether the dialects define a file of this name.
func isDocument(name string) bool {
	switch path.Base(name) {
	case mainFile, commitFile, logFile, metaFile, summaryFile, extraFile:
		return true
	}
	return false
}

// take returns a file's text and marks the file as read.
func (d *dir) take(name string) (string, bool) {
	text, ok := d.text[name]
	d.taken[name] = ok
	return text, ok
}

// branchNames lists the folders below branches/ that are branches.
func (d *dir) branchNames() []string {
	found := map[string]bool{}
	for _, name := range d.names {
		rest, ok := strings.CutPrefix(name, branchDir+"/")
		if b := path.Dir(rest); ok && b != "." && isDocument(name) && path.Base(name) != extraFile {
			found[b] = true
		}
	}
	var list []string
	for b := range found {
		list = append(list, b)
	}
	slices.Sort(list)
	return list
}

// bareError returns an error of the file system without the path, which the caller's message
// already contains.
func bareError(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}
