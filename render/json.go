package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes v as one JSON document on a line of its own. The texts are
// exact; those characters that Safe would show are written as escapes, so that a
// terminal is as safe as with text. HTML's are not: `<` stays `<`.
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

// escape replaces what must not reach a terminal by \u escapes. Outside of
// strings JSON is ASCII without controls, so that no string needs to be looked for.
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
