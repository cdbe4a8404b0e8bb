package peer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/git-context/git-context/refs/prose"
)

// Root returns the name of the folder in which a dialect's tool keeps its memory.
func (d Dialect) Root() string {
	if d == Memory {
		return ".gcc"
	}
	return ".GCC"
}

// Write formats a folder in its Dialect, which must be Contexa or Memory. notes lists what
// could not be written exactly. Folders have the names of their branches with '/' replaced;
// if two become equal, a number is added. The names must be valid file names otherwise. It
// fails for other dialects and for values that YAML cannot represent.
func Write(f *Folder) (files []File, notes []string, err error) {
	w := &writer{f: f, dirs: dirNames(f)}
	switch f.Dialect {
	case Contexa:
		err = w.contexa()
	case Memory:
		err = w.memory()
	default:
		err = fmt.Errorf("'%s' is no dialect to write", clip(string(f.Dialect)))
	}
	if err != nil {
		return nil, nil, err
	}
	if err := w.extra(); err != nil {
		return nil, nil, err
	}
	w.noteInexact()
	return w.files, w.notes, nil
}

// writer collects the files of a folder.
type writer struct {
	f     *Folder
	dirs  map[string]string // by branch: its folder
	files []File
	notes []string

	inexact int // number of texts that the dialect's readers do not return exactly
}

func (w *writer) add(path string, data []byte) { w.files = append(w.files, File{path, data}) }

func (w *writer) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// dir returns a branch's name in the dialect.
func (w *writer) dir(branch string) string {
	if d, ok := w.dirs[branch]; ok {
		return d
	}
	return dirName(branch)
}

func dirName(name string) string { return strings.ReplaceAll(name, "/", "--") }

// dirNames assigns a folder to each branch. Names without '/' stay unchanged.
func dirNames(f *Folder) map[string]string {
	dirs, used := map[string]string{}, map[string]bool{}
	names := make([]string, len(f.Branches))
	for i, b := range f.Branches {
		names[i] = b.Name
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Count(a, "/") - strings.Count(b, "/")
	})
	for _, name := range names {
		dir := dirName(name)
		for n := 2; used[strings.ToLower(dir)]; n++ {
			dir = fmt.Sprintf("%s-%d", dirName(name), n)
		}
		dirs[name], used[strings.ToLower(dir)] = dir, true
	}
	return dirs
}

// extra writes this package's own file, if there is anything that the dialect cannot
// represent.
func (w *writer) extra() error {
	e := extra{Version: 1, Branches: map[string]extraBranch{}}
	renamed := 0
	for _, b := range w.f.Branches {
		x := extraBranch{}
		if w.dir(b.Name) != b.Name {
			x.Name = b.Name
			renamed++
		}
		if w.f.Dialect == Contexa {
			x.Segments = b.Segments
		}
		if x.Name != "" || len(x.Segments) > 0 {
			e.Branches[w.dir(b.Name)] = x
		}
	}
	if renamed > 0 {
		w.note("'/' is written '--' in the names of the folders, which changes %s", prose.Count(renamed, "name"))
	}
	if len(e.Branches) == 0 {
		return nil
	}
	data, err := yaml.Marshal(e)
	w.add(extraFile, data)
	return err
}

func (w *writer) noteInexact() {
	if w.inexact > 0 {
		w.note("the readers of %s do not return %s exactly: they drop white space, "+
			"and keep the backslash before what looks like a mark of theirs",
			w.f.Dialect, prose.Count(w.inexact, "text"))
	}
}

// countInexact counts a text that the dialect's readers do not return exactly. lines means
// that they also lose blank lines and indentation.
func (w *writer) countInexact(text, written string, lines bool) {
	changed := written != text && strings.ReplaceAll("\n"+text+"\n", "\n---\n", "\n\\---\n") != "\n"+written+"\n"
	if changed || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\r") || lines && losesLayout(text) {
		w.inexact++
	}
}

func losesLayout(text string) bool {
	if strings.ContainsAny(text, lineBreaks[1:]) {
		return true
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != line || line == "" && text != "" {
			return true
		}
	}
	return false
}

// scalar formats a text as a YAML scalar on one line, plain if possible, so that full YAML
// readers and readers of single lines both understand it.
func scalar(text string) string {
	if plainScalar(text) {
		return text
	}
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r != 0xFEFF && r < 0xFFFE && r != 0x2028 && r != 0x2029 && (r < 0x7F && r >= ' ' || r > 0xA0),
			unicode.IsGraphic(r) && r > 0xFFFF:
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainScalar reports whether a text is a YAML string without quotes: one or more words
// that YAML does not interpret.
func plainScalar(text string) bool {
	if text == "" || len(text) > 60 || strings.HasSuffix(text, " ") {
		return false
	}
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && strings.IndexByte(" ._-", c) < 0) {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	return true
}
