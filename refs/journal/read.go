package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// Line is one step in the file.
type Line struct {
	Raw  []byte // the JSON object, without its newline
	End  int64  // the offset after the line
	Step int
	ID   string
}

// Content is the content of a journal up to its last newline.
type Content struct {
	Head  Head
	Mark  Mark   // the newest mark; the head counts as the first
	Lines []Line // every step, committed or not
	Bad   []int64
	Size  int64

	begin int64     // the offset after the first line
	marks []rawMark // in the order of the file
}

// rawMark is an unparsed mark.
type rawMark struct {
	start int64
	line  []byte
}

// parse reads a mark; false if it is invalid.
func (r rawMark) parse() (m Mark, ok bool) {
	return m, json.Unmarshal(r.line, &m) == nil && m.Upto <= r.start
}

// Read reads a whole journal without a lock. It returns ErrMissing if there is none. If the
// first line is invalid, the error wraps git.ErrBroken. A line that is neither a mark nor
// ends like a step is left out and its offset added to Bad. Read does not parse the objects
// of steps, because counting steps must not cost parsing them.
func Read(path string) (*Content, error) {
	data, err := readLines(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// readLines reads a journal up to its last newline. What follows may be a gigabyte that takes no room on the disk: of
// a power cut, or of an archive with holes.
func readLines(path string) ([]byte, error) {
	f, err := git.OpenStateFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	end, err := lastNewline(f, info.Size())
	if err != nil {
		return nil, err
	}
	if end > git.MostState {
		return nil, &git.TooLargeError{Path: path, Size: end, Most: git.MostState}
	}
	data := make([]byte, end)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return data, nil
}

// Parse parses a journal's bytes as Read does. It ignores bytes after the last newline.
func Parse(data []byte) (*Content, error) {
	end := bytes.IndexByte(data, '\n') + 1
	if end == 0 {
		return nil, ErrMissing
	}
	return parse(data[:end], data[end:], int64(end))
}

// parse parses the first line, and the lines that begin at an offset of the file.
func parse(head, rest []byte, at int64) (*Content, error) {
	c := &Content{}
	if err := json.Unmarshal(head, &c.Head); err != nil || c.Head.Journal == "" {
		return nil, fmt.Errorf("journal %w: the first line does not name a journal", git.ErrBroken)
	}
	c.Size, c.begin = at, int64(len(head))
	c.Mark = c.First()
	for line := range bytes.Lines(rest) {
		if line[len(line)-1] != '\n' {
			break
		}
		if bytes.HasPrefix(line, []byte(markPrefix)) {
			c.marks = append(c.marks, rawMark{c.Size, line})
			c.Size += int64(len(line))
		} else {
			c.add(line)
		}
	}
	c.lastMark()
	return c, nil
}

// ParseMark parses a line of a journal; false if it is no mark.
func ParseMark(line []byte) (m Mark, ok bool) {
	return m, bytes.HasPrefix(line, []byte(markPrefix)) && json.Unmarshal(line, &m) == nil
}

// markPrefix begins every mark, and no step.
const markPrefix = `{"committed":`

// lastMark finds the newest valid mark. Older marks are redundant, and parsing hundreds of
// them would be most of the cost of a view.
func (c *Content) lastMark() {
	for _, r := range slices.Backward(c.marks) {
		m, ok := r.parse()
		if ok {
			c.Mark = m
			return
		}
		c.Bad = append(c.Bad, r.start)
	}
}

// First returns the head as a mark.
func (c *Content) First() Mark {
	return Mark{Committed: c.Head.Committed, Upto: c.begin, Step: c.Head.Step, ID: c.Head.ID}
}

// Marks parses every mark, in the order of the file. The head counts as the first.
func (c *Content) Marks() []Mark {
	list := []Mark{c.First()}
	for _, r := range c.marks {
		if m, ok := r.parse(); ok {
			list = append(list, m)
		}
	}
	return list
}

// add adds one line, given with its newline.
func (c *Content) add(line []byte) {
	start := c.Size
	c.Size += int64(len(line))
	step, id, err := parseEnd(line)
	if err != nil {
		c.Bad = append(c.Bad, start)
		return
	}
	c.Lines = append(c.Lines, Line{Raw: line[:len(line)-1], End: c.Size, Step: step, ID: id})
}

// Since reads the head and the lines after an offset of a locked journal. It does not read
// the lines before.
func (j *Journal) Since(upto int64) (*Content, error) {
	head, err := j.firstLine()
	if err != nil {
		return nil, err
	}
	upto = max(upto, int64(len(head)))
	rest := make([]byte, max(j.size-upto, 0))
	if len(rest) > 0 {
		if _, err := j.f.ReadAt(rest, upto); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
	}
	c, err := parse(head, rest, upto)
	if err == nil {
		c.Size = j.size
	}
	return c, err
}

// firstLine reads the line of the head.
func (j *Journal) firstLine() ([]byte, error) {
	line := make([]byte, min(j.size, 1024))
	if _, err := j.f.ReadAt(line, 0); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	end := bytes.IndexByte(line, '\n') + 1
	if end == 0 {
		return nil, fmt.Errorf("journal %w: the first line does not name a journal", git.ErrBroken)
	}
	return line[:end:end], nil
}

// After returns the steps after an offset.
func (c *Content) After(upto int64) []Line {
	for i, l := range c.Lines {
		if l.End > upto {
			return c.Lines[i:]
		}
	}
	return nil
}

// Taken returns, for each commit that the head or a mark names, the offset up to which it
// took the steps; the newest mark of a commit counts. It parses every mark, so only a reader
// that the newest one does not answer calls it.
func (c *Content) Taken() map[string]int64 {
	taken := map[string]int64{}
	for _, m := range c.Marks() {
		taken[m.Committed] = m.Upto
	}
	return taken
}

// HasStep reports whether the line that ends at upto is the step with that id. This proves
// that an offset in a commit refers to this file and not to a diverged copy of it.
func (c *Content) HasStep(upto int64, id string) bool {
	for _, l := range c.Lines {
		if l.End == upto {
			return l.ID == id
		}
	}
	return false
}
