package peer

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/prose"
)

// Dialect is a format of memory folders.
type Dialect string

// The known dialects.
const (
	Paper   Dialect = "gcc-paper"
	Contexa Dialect = "contexa"
	Memory  Dialect = "gcc-memory"
	Skill   Dialect = "gcc-skill"
)

// The states of a branch; "" if the folder does not contain it.
const (
	Active    = "active"
	Merged    = "merged"
	Abandoned = "abandoned"
)

// Folder is the content of a memory folder.
type Folder struct {
	Dialect  Dialect
	Roadmap  Roadmap
	Default  string         // the branch with which the tool begins; "" if unknown
	Branches []Branch       // sorted by name; the parents may form a cycle
	Facts    map[string]any // the folder's metadata that has no other field
	Notes    []string       // what could not be read unchanged, one phrase each
}

// Branch is a branch of a folder. Fields that the folder does not contain are zero.
type Branch struct {
	Name       string // any text
	Parent     string
	Purpose    string
	Status     string
	MergedInto string
	CreatedAt  time.Time
	MergedAt   time.Time
	Facts      map[string]any // the branch's metadata that has no other field
	Segments   map[string]any // structured memory, beside the facts
	Steps      []Step         // in the order of the log
	Commits    []Commit       // in the order of the list
}

// Step is an Observation–Thought–Action step.
type Step struct {
	Time    time.Time // zero if unknown
	Agent   string    // any text; "" if the dialect does not record it
	Session string
	Origin  string // the branch that recorded it, if a merge brought the step; otherwise ""

	Observation, Thought, Action string

	Attrs []Attr // other facts that the tool recorded
	Kept  bool   // not a step but kept text, see the package comment
}

// Attr is a fact about a step. Both parts are one line; the key consists of a-z and '-'.
type Attr struct{ Key, Value string }

// Commit is a commit of a folder.
type Commit struct {
	ID    string // the tool's id; "" if it has none
	Time  time.Time
	Agent string

	Title        string // one line
	Purpose      string
	Progress     string
	Contribution string
}

// Roadmap is a parsed main.md.
type Roadmap struct {
	Goal                 string
	Milestones, Todo     []Item
	Decisions, Questions []string
	Sections             []Section // everything else, in the order of the file
	Text                 string    // the whole document
}

// Item is an item of a check list.
type Item struct {
	Text string
	Done bool
}

// Section is a section of main.md.
type Section struct{ Name, Text string }

// File is a file of a folder. Its path is relative to the folder and has slashes.
type File struct {
	Path string
	Data []byte
}

// FormatError reports a file that is in no known format, or cannot be read.
type FormatError struct {
	Path   string
	Reason string
}

// Error returns the message with the path shortened.
func (e *FormatError) Error() string {
	return fmt.Sprintf("cannot read '%s': %s", clip(e.Path), e.Reason)
}

// HasMemory reports whether a folder may contain memory: whether it has a main.md or branches.
func HasMemory(fsys fs.FS) bool {
	for _, name := range []string{mainFile, branchDir, commitFile, logFile} {
		if _, err := fs.Stat(fsys, name); err == nil {
			return true
		}
	}
	return false
}

// Read reads the folder that is the root of fsys (the .GCC itself). The error is a
// *FormatError if the dialect is unknown, or if a file is too large, unreadable or not a
// regular file.
func Read(fsys fs.FS) (*Folder, error) {
	d, err := load(fsys)
	if err != nil {
		return nil, err
	}
	f := &Folder{Facts: map[string]any{}}
	if f.Dialect, err = detect(d); err != nil {
		return nil, err
	}
	r := &reader{dir: d, f: f}
	switch f.Dialect {
	case Memory:
		r.memory()
	case Skill:
		r.skill()
	case Contexa:
		r.contexa()
	default:
		r.branches(paperGrammar())
	}
	r.finish()
	return f, nil
}

// clip shortens a name from outside for a message.
func clip(name string) string { return prose.Clip(name, 100) }

// Fingerprint identifies a step in other copies of its log: its time, to the second, and a
// digest of its texts. White space at the ends of lines and blank lines do not count,
// because readers of contexa drop them when they copy a log.
func Fingerprint(s Step) string {
	return fingerprint(s.Time, s.Observation, s.Thought, s.Action)
}

// Fingerprint identifies a commit in the same way, by its time and its title and
// contribution, however the text is divided between these two.
func (m Commit) Fingerprint() string {
	return fingerprint(m.Time, joinTitle(m.Title, m.Contribution))
}

func fingerprint(at time.Time, texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				_, _ = h.Write([]byte(line + "\n")) // a hash never fails
			}
		}
		_, _ = h.Write([]byte{0})
	}
	when := ""
	if !at.IsZero() {
		when = at.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s:%.12x", when, h.Sum(nil))
}
