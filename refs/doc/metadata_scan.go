package doc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanBlocks finds the top-level keys of a text in the simple subset of YAML that this
// program writes: one key or list item a line, scalars on the line of their key, comments
// on their own lines, indentation by spaces. It reports false for all other texts, valid or
// not; parseBlocks then reads them, 20 times slower. The speed matters because every COMMIT
// reads metadata.yaml, and most files are simple.
func scanBlocks(text string) ([]keyLine, bool) {
	var s blockScanner
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if !s.line(line, at) {
			return nil, false
		}
		at += len(line) + 1
	}
	return s.keys, true
}

type blockScanner struct {
	keys   []keyLine
	levels []level
	open   bool // the last line was a key without a value
}

// level is a map or list that the current line may continue.
type level struct {
	indent int
	list   bool
	seen   map[string]bool
}

func (s *blockScanner) line(line string, at int) bool {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	switch {
	case rest == "":
		return indent == 0
	case rest[0] == '#':
		return printable(rest)
	case strings.HasPrefix(line, "..."): // yaml.v3 ends the document there, regardless of the rest
		return false
	}
	for {
		item, isItem := strings.CutPrefix(rest, "- ")
		if !s.enter(indent, isItem) {
			return false
		}
		if !isItem {
			break
		}
		if item == "" {
			return false
		}
		if _, _, isKey := splitKey(item); !isKey {
			s.open = false
			return plainScalar(item)
		}
		// "- key: value" opens a map two columns to the right.
		rest, indent, s.open = item, indent+2, true
	}
	return s.key(rest, indent, at)
}

// enter makes the level of this indentation the innermost one.
func (s *blockScanner) enter(indent int, list bool) bool {
	n := len(s.levels)
	if n == 0 || s.open && indent > s.levels[n-1].indent {
		if n == 0 && (indent != 0 || list) || n > maxDepth {
			return false
		}
		s.levels = append(s.levels, level{indent: indent, list: list})
		return true
	}
	for n > 0 && s.levels[n-1].indent > indent {
		n--
	}
	s.levels = s.levels[:n]
	return n > 0 && s.levels[n-1].indent == indent && s.levels[n-1].list == list
}

func (s *blockScanner) key(rest string, indent, at int) bool {
	key, value, ok := splitKey(rest)
	l := &s.levels[len(s.levels)-1]
	if !ok || l.seen[key] {
		return false
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[key] = true
	if indent == 0 {
		s.keys = append(s.keys, keyLine{key, at})
	}
	s.open = value == ""
	return s.open || plainScalar(value)
}

// splitKey splits "key: value" or "key:". The key is plain, or in double quotes without an
// escape.
func splitKey(s string) (key, value string, ok bool) {
	var i int
	if s[0] == '"' {
		if i = strings.IndexByte(s[1:], '"') + 2; i < 2 || !printable(s[1:i-1]) {
			return "", "", false
		}
		if key = s[1 : i-1]; strings.IndexByte(key, '\\') >= 0 {
			return "", "", false
		}
	} else {
		for i < len(s) && (alnum(s[i]) || strings.IndexByte("_./+-", s[i]) >= 0) {
			i++
		}
		if key = s[:i]; key == "" || key[0] == '-' {
			return "", "", false
		}
	}
	if i > 128 || i >= len(s) || s[i] != ':' { // YAML requires the colon of a key within 1,024 characters
		return "", "", false
	}
	if i+1 == len(s) {
		return key, "", true
	}
	return key, s[i+2:], s[i+1] == ' ' && len(s) > i+2
}

// plainScalar reports whether s is certainly one whole scalar, or an empty list or map.
func plainScalar(s string) bool {
	switch {
	case s == "{}" || s == "[]":
		return true
	case s[0] == '"':
		return quotedScalar(s)
	}
	r, _ := utf8.DecodeRuneInString(s)
	if !alnum(s[0]) && strings.IndexByte("_./+(", s[0]) < 0 && !(r >= utf8.RuneSelf && unicode.IsLetter(r)) {
		return false
	}
	return s[len(s)-1] != ' ' && s[len(s)-1] != ':' && s != "..." && !strings.Contains(s, ": ") &&
		!strings.HasPrefix(s, "... ") && printable(s)
}

// quotedScalar accepts only the one-letter escapes that YAML and this program share.
func quotedScalar(s string) bool {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i == len(s)-1 && printable(s)
		case '\\':
			if i++; i == len(s) || strings.IndexByte(`"\nrt`, s[i]) < 0 {
				return false
			}
		}
	}
	return false
}
