package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes v as one JSON document on one line. Texts are exact, but the characters
// that Safe makes visible are written as escapes, so that the output is safe on a terminal.
// HTML is not escaped: `<` stays `<`.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escape(b.Bytes()))
	return err
}

// escape replaces characters that must not reach a terminal by \u escapes. Outside of
// strings JSON is ASCII without control characters, so that it need not find the strings.
func escape(doc []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(doc); {
		if c := doc[i]; c < utf8.RuneSelf && c != 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(doc[i:])
		if r == 0x7f || hidden(r) {
			out = append(out, doc[done:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return doc
	}
	return append(out, doc[done:]...)
}
