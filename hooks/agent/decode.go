package agent

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/redact"
)

// foreignAfter is the number of lines without a record of the client after which the rest
// is not read.
const foreignAfter = 1000

// Start says where reading begins. The zero value is the beginning of a transcript.
type Start struct {
	// Session is that of records that do not name theirs. A subagent's is "SESSION/AGENT", as
	// in Step.Session; the "/" says that the transcript is a subagent's.
	Session string

	// Dir is the directory that paths become relative to, if they are below it. Without it, it
	// is the first that the transcript names.
	Dir string

	// Middle says that the text begins at a turn that is not the first, see Turn.Offset and
	// Report.End. It has no header, and no text is foreign.
	Middle bool

	// Ignore reports whether a call is left out of the steps, with its result; nil: none is.
	Ignore func(Event) bool

	// Clean replaces the secrets in a text. Every text is cleaned as a whole before it is cut, because half of
	// a secret would not be recognized, and the note of what is missing has a hash of it. nil: the built-in
	// rules of package redact.
	Clean func(text string) string
}

// Cleaner returns Clean, or what replaces the secrets that the built-in rules find.
func (s Start) Cleaner() func(text string) string {
	if s.Clean != nil {
		return s.Clean
	}
	return func(text string) string {
		text, _ = redact.Text(text)
		return text
	}
}

// Decode reads a transcript of lines, one record each. It calls record for each line, which
// adds Events to the thread, and emit for each finished step. A torn last line and lines that
// are no JSON are survived. The error is ErrForeign, or one of r or of emit, unchanged; the
// report is never nil.
func Decode(r io.Reader, start Start, record func(*Thread, []byte), emit func(Step) error) (*Report, error) {
	t := newThread(start, emit)
	lines := &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
	for n := 0; ; n++ {
		line, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return &t.report, err
		}
		t.line(line, lines, record)
		if t.failed != nil {
			return &t.report, t.failed
		}
		if n >= foreignAfter && t.foreign() {
			return &t.report, ErrForeign
		}
	}
	if t.foreign() {
		return &t.report, ErrForeign
	}
	t.open()
	return &t.report, t.failed
}

func (t *Thread) line(line []byte, from *lineReader, record func(*Thread, []byte)) {
	t.turns.at = t.report.End
	if !from.torn {
		t.report.End = from.read
	}
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\uFEFF")))
	switch {
	case from.long:
		t.report.TooLong++
		return
	case len(line) == 0:
		return
	case !utf8.Valid(line):
		t.report.Lossy = true
	}
	t.torn = from.torn && line[0] == '{'
	record(t, line)
	if t.torn { // it only lacks its newline
		t.report.End = from.read
	}
}

// Broken says that the line is no record. The last line may be torn: it will be whole.
func (t *Thread) Broken() {
	if !t.torn {
		t.report.Broken++
	}
	t.torn = false
}

// Unknown says that the record is of a type that the client's package does not know.
func (t *Thread) Unknown(name string) {
	const most = 100 // different names, beside hostile files
	if name == "" || len(name) > 64 || len(t.report.Unknown) >= most && t.report.Unknown[name] == 0 {
		name = "others"
	}
	t.report.Unknown[name]++
}

// At is where the current record begins.
func (t *Thread) At() int64 { return t.turns.at }

// Since calls add as if the current record began at an offset, see At: what a decoder held back until now is
// of a record there, and a turn that it begins begins there.
func (t *Thread) Since(at int64, add func()) {
	now := t.turns.at
	t.turns.at = at
	add()
	t.turns.at = now
}

// Own says that the record is one that only this client writes.
func (t *Thread) Own() { t.own = true }

// Subagent says that the record is of a subagent's thread, and left out.
func (t *Thread) Subagent() { t.report.Subagent++ }

// Copied says that the record is a copy of another session's, and left out.
func (t *Thread) Copied() { t.report.Copied++ }

func (t *Thread) foreign() bool {
	return !t.own && len(t.report.Unknown)+t.report.Broken+t.report.TooLong > 0
}

// lineReader reads lines into one buffer.
type lineReader struct {
	r     *bufio.Reader
	whole []byte
	read  int64 // bytes, up to the end of the last line
	long  bool  // the last line was longer than MaxRecord and is empty
	torn  bool  // the last line has no newline
}

// next returns the next line, which is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	l.whole, l.long, l.torn = l.whole[:0], false, false
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += int64(len(part))
		if len(l.whole)+len(part) > MaxRecord {
			l.long, l.whole = true, nil
		}
		if err == nil && len(l.whole) == 0 && !l.long {
			return part, nil
		}
		if !l.long {
			l.whole = append(l.whole, part...)
		}
		switch {
		case err == nil:
			return l.whole, nil
		case err == io.EOF && (len(l.whole) > 0 || l.long):
			l.torn = true
			return l.whole, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}
