package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// byteOrderMark may begin a file that was written on Windows.
const byteOrderMark = "\xef\xbb\xbf"

// document is the text of a file with its tree, and the changes that are made to it. Offsets are
// those of text, which does not change until apply.
type document struct {
	mark    string // the byte order mark
	text    []byte
	root    hujson.Value
	style   style
	splices []splice
}

// splice replaces the bytes of text from start to end.
type splice struct {
	start, end int
	by         string
}

// parse reads JSON that may contain comments and trailing commas.
func parse(data []byte) (*document, error) {
	text, marked := bytes.CutPrefix(data, []byte(byteOrderMark))
	d := &document{text: text}
	if marked {
		d.mark = byteOrderMark
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	d.root = root
	d.style = style{newline: "\n", unit: "  ", colon: ": "}
	if len(d.children(&d.root)) > 0 && !bytes.Contains(text, []byte("\": ")) {
		d.style.colon = ":"
	}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		d.style.newline = "\r\n"
	}
	if kids := d.children(&d.root); len(kids) > 0 {
		if _, indent, ok := d.lineIndent(kids[0].start); ok && indent != "" {
			d.style.unit = indent
		}
	}
	return d, nil
}

// apply returns the text with all changes.
func (d *document) apply() []byte {
	slices.SortStableFunc(d.splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	out.WriteString(d.mark)
	at := 0
	for _, s := range d.splices {
		out.Write(d.text[at:s.start])
		out.WriteString(s.by)
		at = s.end
	}
	out.Write(d.text[at:])
	return out.Bytes()
}

// child is an element of a list, or a member of an object.
type child struct {
	key        string // of a member
	value      *hujson.Value
	start, end int
}

// children returns what is in an object or a list, in order.
func (d *document) children(v *hujson.Value) []child {
	var all []child
	switch in := v.Value.(type) {
	case *hujson.Object:
		for i := range in.Members {
			m := &in.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			all = append(all, child{name.String(), &m.Value, m.Name.StartOffset, m.Value.EndOffset})
		}
	case *hujson.Array:
		for i := range in.Elements {
			e := &in.Elements[i]
			all = append(all, child{"", e, e.StartOffset, e.EndOffset})
		}
	}
	return all
}

// find returns the member of that name; of several the last, which programs read. It returns nil if
// there is none.
func (d *document) find(v *hujson.Value, key string) *hujson.Value {
	for _, c := range slices.Backward(d.children(v)) {
		if c.key == key {
			return c.value
		}
	}
	return nil
}

func isObject(v *hujson.Value) bool { _, ok := v.Value.(*hujson.Object); return ok }
func isList(v *hujson.Value) bool   { _, ok := v.Value.(*hujson.Array); return ok }

// isTrue reports whether a member is the literal true.
func (d *document) isTrue(v *hujson.Value, key string) bool { return d.isLiteral(v, key, "true") }

// isFalse reports whether a member is the literal false.
func (d *document) isFalse(v *hujson.Value, key string) bool { return d.isLiteral(v, key, "false") }

func (d *document) isLiteral(v *hujson.Value, key, literal string) bool {
	m := d.find(v, key)
	return m != nil && string(d.text[m.StartOffset:m.EndOffset]) == literal
}

// stringOf returns the text of a member; "" if it has none.
func (d *document) stringOf(v *hujson.Value, key string) string {
	m := d.find(v, key)
	if m == nil {
		return ""
	}
	var text string
	if json.Unmarshal(d.text[m.StartOffset:m.EndOffset], &text) != nil {
		return ""
	}
	return text
}

// lineIndent returns the white space before an offset, and its part behind the last new line;
// false if there is no new line in it.
func (d *document) lineIndent(at int) (space, indent string, ok bool) {
	from := at
	for from > 0 && strings.IndexByte(" \t\r\n", d.text[from-1]) >= 0 {
		from--
	}
	space = string(d.text[from:at])
	if i := strings.LastIndexByte(space, '\n'); i >= 0 {
		return space, space[i+1:], true
	}
	return space, "", false
}

// indentOf returns the indentation of the line that contains an offset.
func (d *document) indentOf(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// trivia is what is between two elements: white space, comments and at most one comma.
type trivia struct {
	comma   int  // the offset of the comma; -1 if there is none
	end     int  // behind the last comment or comma
	line    bool // the last of them is a comment up to the end of its line
	comment bool // there is a comment
}

func (d *document) trivia(from, to int) trivia {
	t := trivia{comma: -1, end: from}
	for i := from; i < to; {
		rest := d.text[i:to]
		n := 1
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			if n = bytes.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			t.end, t.line, t.comment = i+n, true, true
			if rest[n-1] == '\r' {
				t.end--
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			n = bytes.Index(rest, []byte("*/")) + 2
			t.end, t.line, t.comment = i+n, false, true
		case rest[0] == ',':
			t.comma, t.end, t.line = i, i+1, false
		}
		i += n
	}
	return t
}

// append adds elements to an object or a list. write gives the text of each for a style and an
// indentation.
func (d *document) append(v *hujson.Value, n int, write func(i int, s style, indent string) string) {
	kids, s := d.children(v), d.style
	if len(kids) == 0 {
		indent := d.indentOf(v.StartOffset) + s.unit
		sep := s.newline + indent
		if d.root.StartOffset != v.StartOffset && !bytes.Contains(bytes.TrimSpace(d.text), []byte("\n")) {
			s, sep = s.compact(), s.colon[1:]
		}
		at := v.StartOffset + 1
		d.splices = append(d.splices, splice{at, at, " " + joined(n, ","+sep, write, s, indent)})
		return
	}
	last := kids[len(kids)-1]
	t := d.trivia(last.end, v.EndOffset-1)
	space, indent, lines := d.lineIndent(last.start)
	sep := s.newline + indent
	switch {
	case !lines && t.line:
		indent = d.indentOf(last.start)
		sep = s.newline + indent
	case !lines:
		s, sep = s.compact(), space
	}
	body := sep + joined(n, ","+sep, write, s, indent)
	switch {
	case t.comma >= 0:
		d.splices = append(d.splices, splice{t.end, t.end, body + ","})
	case t.end == last.end:
		d.splices = append(d.splices, splice{last.end, last.end, "," + body})
	default:
		d.splices = append(d.splices, splice{last.end, last.end, ","}, splice{t.end, t.end, body})
	}
}

// compact is the style of a file that is one line.
func (s style) compact() style {
	s.newline = ""
	return s
}

func joined(n int, sep string, write func(int, style, string) string, s style, indent string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = write(i, s, indent)
	}
	return strings.Join(parts, sep)
}

// cut removes elements from an object or a list, by their index. It reports false and does nothing
// where the object or list was made for them and has nothing else, so that it is to go as a whole.
func (d *document) cut(v *hujson.Value, gone []int) bool {
	kids := d.children(v)
	if len(gone) == len(kids) && len(kids) > 0 && d.made(v, kids) {
		return false
	}
	from := v.StartOffset + 1
	kept := -1 // the offset of the comma behind the last element that stays, while all behind it go
	for i, k := range kids {
		next := v.EndOffset - 1
		if i+1 < len(kids) {
			next = kids[i+1].start
		}
		before, after := d.trivia(from, k.start), d.trivia(k.end, next)
		from = k.end
		if !slices.Contains(gone, i) {
			kept = after.comma
			continue
		}
		if kept < 0 && len(gone) < len(kids) { // what follows takes its place
			d.splices = append(d.splices, splice{k.start, k.end, ""}, splice{after.comma, d.skipSpace(after.comma + 1), ""})
			continue
		}
		start, behind := before.end, k.end
		if after.comma == behind {
			behind++
		}
		if before.line && d.text[behind] != '\n' && d.text[behind] != '\r' {
			start = k.start // the comment must not swallow what follows
		}
		d.splices = append(d.splices, splice{start, k.end, ""})
		if after.comma >= 0 {
			d.splices = append(d.splices, splice{after.comma, after.comma + 1, ""})
		} else if kept >= 0 {
			d.splices = append(d.splices, splice{kept, kept + 1, ""})
		}
	}
	return true
}

// skipSpace returns the offset of the next byte that is no white space.
func (d *document) skipSpace(at int) int {
	return len(d.text) - len(bytes.TrimLeft(d.text[at:], " \t\r\n"))
}

// made reports whether an object or a list was made for the elements in it: see the package comment.
func (d *document) made(v *hujson.Value, kids []child) bool {
	from, comment := v.StartOffset+1, false
	for _, k := range kids {
		comment = comment || d.trivia(from, k.start).comment
		from = k.end
	}
	comment = comment || d.trivia(from, v.EndOffset-1).comment
	return !comment && string(d.text[v.StartOffset+1:kids[0].start]) != " "
}
