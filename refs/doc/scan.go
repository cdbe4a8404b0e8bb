package doc

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/prose"
)

// SyntaxError reports where a document violates its format.
type SyntaxError struct {
	Line    int // from 1
	Message string
}

// Error returns the message with the line.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// sep separates the parts of a heading. None of them can contain the middle dot.
const sep = " · "

// scanner reads a document line by line. Its strings share the document's memory: a step
// needs no copy unless a text has more than one line.
type scanner struct {
	s    string
	pos  int // offset of the next line
	line int // number of the line that was read last
}

func newScanner(data []byte) (*scanner, error) {
	sc := &scanner{s: string(data)}
	if err := checkText(sc.s); err != nil {
		return nil, &SyntaxError{firstBadLine(sc.s), err.Error()}
	}
	if sc.s != "" && sc.s[len(sc.s)-1] != '\n' {
		return nil, &SyntaxError{strings.Count(sc.s, "\n") + 1, "the last line has no newline"}
	}
	return sc, nil
}

// firstBadLine returns the number of the first line that is not clean text.
func firstBadLine(s string) int {
	n := 1
	for line := range strings.SplitSeq(s, "\n") {
		if checkText(line) != nil {
			return n
		}
		n++
	}
	return n
}

func (sc *scanner) more() bool { return sc.pos < len(sc.s) }

// peek returns the next line without its newline; "" at the end.
func (sc *scanner) peek() string {
	rest := sc.s[sc.pos:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i]
	}
	return rest
}

// take advances past line, which peek returned.
func (sc *scanner) take(line string) {
	sc.pos += len(line) + 1
	sc.line++
}

func (sc *scanner) next() string {
	line := sc.peek()
	sc.take(line)
	return line
}

// blank reads one empty line.
func (sc *scanner) blank() error {
	if !sc.more() {
		return sc.failNext("an empty line is missing at the end of the file")
	}
	if line := sc.peek(); line != "" {
		return sc.failNext("'%s' where an empty line is required", clip(line))
	}
	sc.take("")
	return nil
}

// fail returns an error for the line that was read last, failNext for the next line.
func (sc *scanner) fail(format string, args ...any) error {
	return &SyntaxError{sc.line, fmt.Sprintf(format, args...)}
}

func (sc *scanner) failNext(format string, args ...any) error {
	return &SyntaxError{sc.line + 1, fmt.Sprintf(format, args...)}
}

// quote reads a block quote of at least one line.
func (sc *scanner) quote() (string, error) {
	first := sc.peek()
	text, ok := unquoteLine(first)
	if !ok {
		return "", sc.failNext("'%s' where a block quote is required", clip(first))
	}
	sc.take(first)
	if !sc.atQuote() {
		return text, nil
	}
	var b strings.Builder
	b.WriteString(text)
	for sc.atQuote() {
		line := sc.next()
		if text, ok = unquoteLine(line); !ok {
			return "", sc.fail("'%s' is no line of a block quote", clip(line))
		}
		b.WriteByte('\n')
		b.WriteString(text)
	}
	return b.String(), nil
}

func (sc *scanner) atQuote() bool { return sc.more() && sc.s[sc.pos] == '>' }

// clip shortens a text for an error message.
func clip(text string) string { return prose.Clip(text, 60) }

// parseCount reads a decimal number of at most 18 digits, without sign or leading zeros.
func parseCount(s string) (int64, bool) {
	if s == "" || len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func appendTime(b []byte, t time.Time) []byte { return t.UTC().AppendFormat(b, time.RFC3339Nano) }

// parseTime reads a time as appendTime writes it, and refuses other spellings.
func parseTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return time.Time{}, false
	}
	if f := s[len("2006-01-02T15:04:05") : len(s)-1]; f != "" && (f[0] != '.' || f[len(f)-1] == '0' || len(f) > 10) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}
