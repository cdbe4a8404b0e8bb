package doc

import (
	"bytes"
	"unicode/utf8"
)

// ShortText returns the first most bytes of a text, less what they have of a character that they cut.
func ShortText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// ShortTexts shortens each text of a document of entries to about most bytes, in place: a search for words in a
// step of 16 MiB needs neither all of them nor several copies. The result is a document with the same
// entries, if most is at least 8.
func ShortTexts(data []byte, most int) []byte {
	if len(data) <= most {
		return data
	}
	to, text := 0, 0 // the end of what is kept; the length of the present text so far
	for at := 0; at < len(data); {
		end := len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		keep := end
		switch {
		case data[at] != '>':
			text = 0
		case text >= most:
			keep = at
		case text+end-at > most:
			keep = max(at+1, runeBefore(data, at+most-text)) // a text has at least an empty line
			if keep == at+2 {                                // "> " is none
				keep = at + 1
			}
		}
		if data[at] == '>' {
			text += end - at
		}
		to += copy(data[to:], data[at:keep])
		if keep > at && keep < end && data[end-1] == '\n' {
			data[to] = '\n'
			to++
		}
		at = end
	}
	return data[:to]
}

// runeBefore returns the beginning of the character that contains a byte of a text.
func runeBefore(data []byte, at int) int {
	for at > 0 && at < len(data) && !utf8.RuneStart(data[at]) {
		at--
	}
	return at
}
