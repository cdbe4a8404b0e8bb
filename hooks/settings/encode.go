package settings

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// object and list are what an entry consists of, beside texts and numbers.
type (
	object []member
	list   []any
	member struct {
		key   string
		value any
	}
)

// style is how a file is written.
type style struct {
	newline string // "": everything on one line
	unit    string // one more level of indentation
	colon   string
}

// encode writes a value whose first line is indented already. A list or object that it writes has
// no space behind its opening bracket: see the package comment.
func (s style) encode(v any, indent string) string {
	switch v := v.(type) {
	case object:
		var parts []string
		for _, m := range v {
			parts = append(parts, s.member(m, indent+s.unit))
		}
		return s.enclose("{", parts, "}", indent)
	case list:
		var parts []string
		for _, e := range v {
			parts = append(parts, s.encode(e, indent+s.unit))
		}
		return s.enclose("[", parts, "]", indent)
	case int:
		return strconv.Itoa(v)
	}
	return quote(v.(string))
}

func (s style) member(m member, indent string) string {
	return quote(m.key) + s.colon + s.encode(m.value, indent)
}

func (s style) enclose(open string, parts []string, end, indent string) string {
	if s.newline == "" {
		return open + strings.Join(parts, ","+s.colon[1:]) + end
	}
	sep := s.newline + indent + s.unit
	return open + sep + strings.Join(parts, ","+sep) + s.newline + indent + end
}

// quote writes a text as a shell command is read best: '&' and '>' are not escaped.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil { // a text always has a form in JSON
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
