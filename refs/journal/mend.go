package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Flaw is a line that is invalid in a journal.
type Flaw struct {
	Line int // from 1
	Why  string
}

// Checked is the result of Check.
type Checked struct {
	Steps []Line   // every readable step, wherever it is
	Bad   [][]byte // the lines that are neither steps nor marks, without their newlines
	Flaws []Flaw   // in the order of the lines; empty for a valid journal
	Head  Head     // zero if the first line is invalid
}

// Check verifies a journal's bytes line by line, up to its last newline: bytes after it
// belong to a current writer or were never acknowledged. The first line must name a
// journal. Each other line must be a step that readable accepts, or a mark whose offset is
// the end of an earlier line. Numbers and ids must ascend.
func Check(data []byte, readable func(Line) error) *Checked {
	c := &checker{readable: readable, ends: map[int64]bool{}}
	for line := range bytes.Lines(data) {
		if line[len(line)-1] != '\n' {
			break
		}
		c.n++
		start := c.at
		c.at += int64(len(line))
		if why := c.line(line, start); why != "" {
			c.out.Flaws = append(c.out.Flaws, Flaw{Line: c.n, Why: why})
		}
		c.ends[c.at] = true
	}
	return &c.out
}

type checker struct {
	readable func(Line) error
	out      Checked
	n        int            // number of lines so far
	at       int64          // offset after the line
	ends     map[int64]bool // of the lines so far
	step     int            // the highest number so far
	id       string         // the newest id so far
}

// line checks one line, with its newline, and returns the problem; "" if there is none.
func (c *checker) line(line []byte, start int64) string {
	switch {
	case c.n == 1:
		if json.Unmarshal(line, &c.out.Head) == nil && c.out.Head.Journal != "" {
			return ""
		}
		c.out.Head = Head{}
		// The first line may be missing entirely.
		if why := c.stepLine(line); why == "" {
			return "the line that names the journal is missing"
		}
		return "the first line does not name a journal"
	case bytes.HasPrefix(line, []byte(markPrefix)):
		return c.markLine(line, start)
	}
	return c.stepLine(line)
}

func (c *checker) markLine(line []byte, start int64) string {
	var m Mark
	switch {
	case json.Unmarshal(line, &m) != nil:
		c.out.Bad = append(c.out.Bad, line[:len(line)-1])
		return "the mark cannot be read"
	case m.Upto > start || !c.ends[m.Upto]:
		return fmt.Sprintf("the mark names offset %d, where no earlier line ends", m.Upto)
	}
	c.step, c.id = max(c.step, m.Step), max(c.id, m.ID)
	return ""
}

func (c *checker) stepLine(line []byte) string {
	l := Line{Raw: line[:len(line)-1], End: c.at}
	var err error
	if l.Step, l.ID, err = parseEnd(line); err == nil {
		err = c.readable(l)
	}
	if err != nil {
		c.out.Bad = append(c.out.Bad, l.Raw)
		return "it is neither a step nor a mark"
	}
	c.out.Steps = append(c.out.Steps, l)
	if l.Step <= c.step || l.ID <= c.id {
		return fmt.Sprintf("step %d does not follow on step %d", l.Step, c.step)
	}
	c.step, c.id = l.Step, l.ID
	return ""
}

// Mended is the new content of a journal.
type Mended struct {
	Head  Head     // Mend raises its step and id to those of the lines
	Lines [][]byte // steps, each the exact new line without its newline
	Bad   [][]byte // lines to append to the journal's ".torn" file

	tip  string // a commit that took the first lines, while Head.Committed took none; "" for none
	took int    // how many
	past []byte // the first line, and what is carried on; nil for Head alone
	said Said   // by Head.Committed
}

// Mend replaces a journal, under its lock, by the content that how derives from its bytes;
// nil leaves it unchanged. It also works on a journal that Open and Read refuse. It fails
// on a journal with two names, which an interrupted rename leaves, and returns ErrMissing
// if there is none.
func Mend(ctx context.Context, path string, o Options, how func(data []byte) (*Mended, error)) error {
	j, err := lockFile(ctx, path, o)
	if err != nil {
		return err
	}
	data := make([]byte, j.size)
	if _, err := j.f.ReadAt(data, 0); err != nil {
		return errors.Join(fmt.Errorf("read journal: %w", err), j.Close())
	}
	m, err := how(data)
	if err == nil && m != nil {
		err = j.mend(m)
	}
	return errors.Join(err, j.Close())
}

func (j *Journal) mend(m *Mended) error {
	if j.Linked() {
		return fmt.Errorf("journal '%s' has two names", j.path)
	}
	var last Entry
	h := m.Head
	for _, line := range m.Lines {
		step, id, err := parseEnd(append(line[:len(line):len(line)], '\n'))
		if err != nil {
			return err
		}
		last = Entry{step, id}
		h.Step, h.ID = max(h.Step, step), max(h.ID, id)
	}
	data := m.past
	if data == nil {
		var err error
		if data, err = jsonLine(h); err != nil {
			return err
		}
	}
	begin := int64(len(data))
	upto := begin
	for i, line := range m.Lines {
		data = append(append(data, line...), '\n')
		if i < m.took {
			upto = int64(len(data))
		}
	}
	var marks []Mark
	if m.tip != "" {
		marks = append(marks, Mark{Committed: m.tip, Upto: upto, Step: h.Step, ID: h.ID})
	}
	// The last line must carry the highest step and id.
	if len(m.Lines) > 0 && last != (Entry{h.Step, h.ID}) || m.tip != "" || m.past != nil {
		marks = append(marks, Mark{Committed: h.Committed, Upto: begin, Said: m.said, Step: h.Step, ID: h.ID})
	}
	for _, mark := range marks {
		line, err := jsonLine(mark)
		if err != nil {
			return err
		}
		data = append(data, line...)
	}
	if len(m.Bad) > 0 {
		if err := appendFile(j.path+".torn", bytes.NewReader(bytes.Join(m.Bad, []byte("\n")))); err != nil {
			return err
		}
	}
	return j.replace(data)
}
