package peer

import (
	"strings"
	"time"
)

// recordFormat is a dialect's format of one kind of record, steps or commits.
type recordFormat struct {
	labels []string // labels of the parts, in their order
	head   func(line string) (head, bool)
	tag    func(line string) (origin string, ok bool) // nil if the dialect has no tags
	title  func(line string) bool                     // reports lines without content

	closed   bool                // records end in a separator; anything like a head before it is text
	headless bool                // the first label begins a record too
	exact    bool                // labels are `**Name:** text`, and texts are kept to the byte
	unescape func(string) string // nil for none
}

// head is the parsed first line of a record.
type head struct {
	id, title, origin string
	time              time.Time
	when              string // an unparsable time
}

// record is one record; if stray is set, it is a run of lines that belong to none.
type record struct {
	head
	line   int    // number of the first line, from 1
	first  string // the first line
	fields []string
	body   string // the text between the head and the first label
	stray  string
}

// parser splits a text into records.
type parser struct {
	recordFormat
	lines  []string
	origin string
	out    []record

	open        bool     // inside a record
	field       int      // the current part; -1 before the first
	bullet      bool     // the current part's label followed a bullet
	buf         []string // the lines of the current part, or stray lines
	from        int      // index of the first stray line
	separatorAt int      // index in buf of the part's first line "---"; 0 for none
}

// records parses a whole file.
func (k recordFormat) records(text string) []record {
	p := &parser{recordFormat: k, field: -1}
	p.lines = splitLines(text)
	for i := range p.lines {
		p.line(i)
	}
	p.finish()
	return p.out
}

// splitLines splits a text at its line feeds. If every line ends with CR LF, the CRs are
// removed.
func splitLines(text string) []string {
	if n := strings.Count(text, "\n"); n > 0 && strings.Count(text, "\r\n") == n {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// line handles one line. It is
//
//  1. a separator that really ends a record;
//  2. a tag or a head, where one is allowed;
//  3. a label of a later part of the current record, or the first label of a new one;
//  4. a title, outside of records;
//  5. text of the current part, or stray.
func (p *parser) line(i int) {
	line := p.lines[i]
	if len(p.labels) > 0 && isSeparator(line) && p.boundary(i+1) {
		p.finish()
		return
	}
	if p.starts(line) || p.startsAfterStray(i) {
		p.finish()
		p.start(i)
		return
	}
	if n, rest, bullet, ok := p.label(line); ok {
		if !p.open {
			p.finish()
			p.begin(i, head{origin: p.origin})
		}
		p.flush()
		p.field, p.bullet, p.buf, p.separatorAt = n, bullet, []string{rest}, 0
		return
	}
	if !p.open && (p.title != nil && p.title(line)) {
		p.finish()
		return
	}
	if len(p.buf) == 0 {
		if strings.TrimSpace(line) == "" {
			return
		}
		p.from = i
	}
	if p.separatorAt == 0 && isSeparator(line) {
		p.separatorAt = len(p.buf)
	}
	p.buf = append(p.buf, line)
}

// starts reports whether a line is a tag or a head in a place where it is allowed.
func (p *parser) starts(line string) bool {
	if p.closed && p.open && p.field >= 0 {
		return false
	}
	if p.tag != nil {
		if _, ok := p.tag(line); ok {
			return true
		}
	}
	_, ok := p.head(line)
	return ok
}

// startsAfterStray reports whether a record begins at line i although unknown text follows the
// separator before it. That is so if the head's first label follows, and if a line "---",
// which writers escape in texts, follows the last label of the current record. The lines
// after that "---" are stray.
func (p *parser) startsAfterStray(i int) bool {
	if !p.closed || !p.open || p.field != len(p.labels)-1 || i+1 == len(p.lines) {
		return false
	}
	if _, ok := p.head(p.lines[i]); !ok || !strings.HasPrefix(p.lines[i+1], "**"+p.labels[0]+":**") {
		return false
	}
	if p.separatorAt == 0 {
		return false
	}
	stray := p.buf[p.separatorAt+1:]
	p.buf = p.buf[:p.separatorAt]
	p.finish()
	p.buf, p.from = stray, i-len(stray)
	return true
}

func (p *parser) start(i int) {
	if p.tag != nil {
		if origin, ok := p.tag(p.lines[i]); ok {
			p.origin = origin
			return
		}
	}
	h, _ := p.head(p.lines[i])
	if h.origin == "" {
		h.origin = p.origin
	}
	p.begin(i, h)
}

func (p *parser) begin(i int, h head) {
	p.open, p.field, p.buf = true, -1, nil
	p.out = append(p.out, record{head: h, line: i + 1, first: p.lines[i], fields: make([]string, len(p.labels))})
}

// label finds a label that is allowed here: of a part after the current one, or the first
// one if it begins a record.
func (p *parser) label(line string) (n int, rest string, bullet, ok bool) {
	for n, name := range p.labels {
		if p.exact {
			if rest, ok = strings.CutPrefix(line, "**"+name+":**"); ok {
				rest = strings.TrimPrefix(rest, " ")
			}
		} else {
			rest, bullet, ok = cutLabel(line, name)
		}
		if !ok {
			continue
		}
		if p.open && n > p.field {
			return n, rest, bullet, true
		}
		if p.headless && n == 0 {
			p.finish()
			return n, rest, bullet, true
		}
		return 0, "", false, false
	}
	return 0, "", false, false
}

// boundary reports whether a record can end before line i.
func (p *parser) boundary(i int) bool {
	for ; i < len(p.lines); i++ {
		line := p.lines[i]
		if strings.TrimSpace(line) == "" {
			continue
		}
		if p.tag != nil {
			if _, ok := p.tag(line); ok {
				return true
			}
		}
		_, ok := p.head(line)
		if !ok && p.headless {
			_, _, ok = cutLabel(line, p.labels[0])
		}
		return ok || p.title != nil && p.title(line) || isSeparator(line) && !p.closed
	}
	return true
}

// flush ends the current part.
func (p *parser) flush() {
	lines := p.buf
	p.buf = nil
	if !p.open {
		return
	}
	r := &p.out[len(p.out)-1]
	if p.field < 0 {
		r.body = strings.TrimSpace(strings.Join(lines, "\n"))
		return
	}
	r.fields[p.field] = p.text(lines)
}

// text returns a part's text without the dialect's white space around it.
func (p *parser) text(lines []string) string {
	if p.exact {
		if n := len(lines); n > 1 && lines[n-1] == "" {
			lines = lines[:n-1]
		}
	} else if p.bullet {
		for i := range lines {
			if i > 0 {
				lines[i] = strings.TrimPrefix(lines[i], "  ")
			}
		}
	}
	text := strings.Join(lines, "\n")
	if !p.exact {
		text = strings.TrimSpace(text)
	}
	if p.unescape != nil {
		text = p.unescape(text)
	}
	return text
}

// finish ends the current record or the stray lines.
func (p *parser) finish() {
	if p.open {
		p.flush()
	} else if text := strings.TrimRight(strings.Join(p.buf, "\n"), " \t\n"); text != "" {
		p.out = append(p.out, record{line: p.from + 1, stray: text})
	}
	p.open, p.field, p.buf = false, -1, nil
}

// empty reports whether all parts of a record are empty.
func (r *record) empty() bool { return strings.Join(r.fields, "") == "" }

// isSeparator reports whether a line is three or more dashes.
func isSeparator(line string) bool {
	line = strings.TrimRight(line, " \t\r")
	return len(line) >= 3 && strings.Trim(line, "-") == ""
}

// cutLabel cuts a label off a line in any form that Markdown offers: bold with the colon
// inside or outside, after a bullet, as a heading, or plain with a colon.
func cutLabel(line, name string) (rest string, bullet, ok bool) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return "", false, false
	}
	for _, mark := range []string{"- ", "* ", "+ "} {
		if cut, found := strings.CutPrefix(s, mark); found {
			s, bullet = strings.TrimLeft(cut, " "), true
			break
		}
	}
	text := strings.TrimLeft(s, "#")
	heading := len(text) < len(s) && strings.HasPrefix(text, " ")
	text = strings.TrimLeft(text, " ")
	bold, isBold := strings.CutPrefix(text, "**")
	if isBold {
		text = bold
	}
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return "", false, false
	}
	text = text[len(name):]
	colon := strings.HasPrefix(text, ":")
	text = strings.TrimPrefix(text, ":")
	if isBold {
		if text, ok = strings.CutPrefix(text, "**"); !ok {
			return "", false, false
		}
		if !colon {
			text = strings.TrimPrefix(text, ":")
		}
		return strings.TrimLeft(text, " "), bullet, true
	}
	if heading && strings.TrimSpace(text) == "" {
		return "", bullet, true
	}
	return strings.TrimLeft(text, " "), bullet, colon
}

// cutHeading returns the text of a heading with at most four '#'.
func cutHeading(line string) (string, bool) {
	text := strings.TrimLeft(line, "#")
	if n := len(line) - len(text); n == 0 || n > 4 || !strings.HasPrefix(text, " ") {
		return "", false
	}
	return strings.TrimSpace(text), true
}
