package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Value is a JSON value as it is in a text. Most of a transcript's bytes are of no interest,
// and encoding/json reads each of them several times: with Value a megabyte takes 14 ms
// instead of 37, and 3 instead of 26 where results are long. What is found is decoded as
// encoding/json decodes it; what is skipped is not checked.
type Value []byte

// Members calls member for each member of an object. It reports false if the value is no
// object, or not a whole one; what member was called with is of no use then. A name is as it
// is in the text, without its quotes.
func (v Value) Members(member func(name []byte, value Value)) bool {
	return v.each('{', '}', func(rest Value) int {
		name := rest.length()
		if name < 0 || rest[0] != '"' {
			return -1
		}
		after := spaces(rest[name:])
		if len(rest) <= name+after || rest[name+after] != ':' {
			return -1
		}
		begin := name + after + 1
		begin += spaces(rest[begin:])
		length := rest[begin:].length()
		if length < 0 {
			return -1
		}
		member(rest[1:name-1], rest[begin:begin+length])
		return begin + length
	})
}

// Elements calls element for each element of an array. It reports false if the value is no
// array, or not a whole one.
func (v Value) Elements(element func(Value)) bool {
	return v.each('[', ']', func(rest Value) int {
		length := rest.length()
		if length >= 0 {
			element(rest[:length])
		}
		return length
	})
}

// each reads what is between begin and end, separated by commas. One reads an entry and
// returns its length, or a negative number.
func (v Value) each(begin, end byte, one func(Value) int) bool {
	if len(v) == 0 || v[0] != begin {
		return false
	}
	rest := v[1:]
	rest = rest[spaces(rest):]
	if len(rest) > 0 && rest[0] == end {
		return len(rest) == 1
	}
	for {
		length := one(rest)
		if length < 0 {
			return false
		}
		rest = rest[length:]
		rest = rest[spaces(rest):]
		switch {
		case len(rest) == 0:
			return false
		case rest[0] == end:
			return len(rest) == 1
		case rest[0] != ',':
			return false
		}
		rest = rest[1:]
		rest = rest[spaces(rest):]
	}
}

// Text returns a string, or "" for another value.
func (v Value) Text() string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	inner := v[1 : len(v)-1]
	if utf8.Valid(inner) {
		if bytes.IndexByte(inner, '\\') < 0 {
			return string(inner)
		}
		if text, ok := unescaped(inner); ok {
			return string(text)
		}
	}
	var s string
	_ = json.Unmarshal(v, &s) // "" for what is no string
	return s
}

// unescaped replaces escapes. It reports false for what it leaves to encoding/json: halves of
// a character, and errors.
func unescaped(v []byte) ([]byte, bool) {
	text := make([]byte, 0, len(v))
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			return append(text, v...), true
		}
		text = append(text, v[:i]...)
		if len(v) < i+2 {
			return nil, false
		}
		c := v[i+1]
		v = v[i+2:]
		if c != 'u' {
			at := strings.IndexByte(`"\/bfnrt`, c)
			if at < 0 {
				return nil, false
			}
			text = append(text, "\"\\/\b\f\n\r\t"[at])
			continue
		}
		if len(v) < 4 {
			return nil, false
		}
		code, err := strconv.ParseUint(string(v[:4]), 16, 16)
		if err != nil || utf16.IsSurrogate(rune(code)) {
			return nil, false
		}
		text, v = utf8.AppendRune(text, rune(code)), v[4:]
	}
}

// Int returns a whole number, or 0 for another value.
func (v Value) Int() int64 {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// True reports whether the value is true.
func (v Value) True() bool { return string(v) == "true" }

// length is the length of the value that the text begins with, or -1.
func (v Value) length() int {
	if len(v) == 0 {
		return -1
	}
	switch v[0] {
	case '"':
		return stringLength(v)
	case '{', '[':
		return v.nested()
	}
	end := bytes.IndexAny(v, ",]} \t\r\n")
	if end < 0 {
		end = len(v)
	}
	switch string(v[:end]) {
	case "true", "false", "null":
		return end
	}
	if !json.Valid(v[:end]) {
		return -1
	}
	return end
}

// nested is the length of an object or array.
func (v Value) nested() int {
	depth := 0
	for i := 0; i < len(v); {
		switch v[i] {
		case '"':
			length := stringLength(v[i:])
			if length < 0 {
				return -1
			}
			i += length
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// stringLength is the length of a string with its quotes.
func stringLength(v []byte) int {
	for i := 1; i < len(v); {
		quote := bytes.IndexByte(v[i:], '"')
		if quote < 0 {
			return -1
		}
		slashes := 0
		for slashes < quote && v[i+quote-1-slashes] == '\\' {
			slashes++
		}
		i += quote + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return -1
}

func spaces(v []byte) int {
	n := 0
	for n < len(v) && (v[n] == ' ' || v[n] == '\t' || v[n] == '\n' || v[n] == '\r') {
		n++
	}
	return n
}
