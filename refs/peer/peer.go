package peer

import (
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"
)

// Dialect is one of the ways in which memory is kept in a folder.
type Dialect string

// The dialects that are known.
const (
	Paper   Dialect = "gcc-paper"
	Contexa Dialect = "contexa"
	Memory  Dialect = "gcc-memory"
	Skill   Dialect = "gcc-skill"
)

// What became of a branch; "" means that the folder does not say.
const (
	Active    = "active"
	Merged    = "merged"
	Abandoned = "abandoned"
)

// Folder is the memory that a folder holds.
type Folder struct {
	Dialect  Dialect
	Roadmap  Roadmap
	Default  string         // the branch that its tool begins with
	Branches []Branch       // by name; the parents may form a ring
	Facts    map[string]any // of the folder's own metadata: what has no other place here
	Notes    []string       // what could not be taken as it stands, a phrase each
}

// Branch is a branch of a folder. Zero fields are those that it does not say.
type Branch struct {
	Name       string // any text
	Parent     string
	Purpose    string
	Status     string
	MergedInto string
	CreatedAt  time.Time
	MergedAt   time.Time
	Facts      map[string]any // see Folder
	Segments   map[string]any // structured memory beside the facts
	Steps      []Step         // in the order of the log
	Milestones []Milestone    // likewise
}

// Step is an Observation–Thought–Action step.
type Step struct {
	Time    time.Time // zero where it has none
	Agent   string    // any text; "" where the dialect has no place for it
	Session string
	Origin  string // the branch that recorded it, where a merge brought it; else ""

	Observation, Thought, Action string

	Attrs []Attr // what else its tool said of it
	Kept  bool   // text that is no step, see the package comment
}

// Attr is a fact about a step, both parts on one line. The key is of a-z and '-'.
type Attr struct{ Key, Value string }

// Milestone is a commit.
type Milestone struct {
	ID    string // the tool's own; "" where it gives none
	Time  time.Time
	Agent string

	Title        string // one line
	Purpose      string
	Progress     string
	Contribution string
}

// Roadmap is a main.md, taken apart.
type Roadmap struct {
	Goal                 string
	Milestones, Todo     []Item
	Decisions, Questions []string
	Sections             []Section // everything else, in its order
	Text                 string    // the whole, as it stands
}

// Item is a line of a check list.
type Item struct {
	Text string
	Done bool
}

// Section is a headed part of main.md.
type Section struct{ Name, Text string }

// File is a file of a folder, its path relative to the folder and with slashes.
type File struct {
	Path string
	Data []byte
}

// FormatError is a file that is in no format that is known, or cannot be taken.
type FormatError struct {
	Path   string
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("cannot read '%s': %s", clip(e.Path), e.Reason)
}

// Looks reports whether a folder could hold memory: whether it has a main.md or
// branches.
func Looks(fsys fs.FS) bool {
	for _, name := range []string{mainFile, branchDir, commitFile, logFile} {
		if _, err := fs.Stat(fsys, name); err == nil {
			return true
		}
	}
	return false
}

// Read reads the folder that fsys is the root of (the .GCC itself). A folder in
// no known dialect, and a file that is over its limit or not a file, give a
// *FormatError.
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

// clip makes a name from outside fit to stand in a message.
func clip(s string) string {
	const most = 100
	if len(s) > most {
		s = s[:most] + "..."
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}
