package expunge

import (
	"encoding/json"
	"strings"
)

// mapJSONTexts replaces the strings in a text of JSON (keys too), and leaves every other
// byte as it stands: members that nobody here knows, numbers and their order. What is
// no JSON comes back with what could be read of it replaced.
func mapJSONTexts(text string, replace func(string) string) string {
	var b strings.Builder
	done := 0
	for at := 0; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		end := jsonStringEnd(text, at)
		if end < 0 {
			break
		}
		var s string
		if json.Unmarshal([]byte(text[at:end]), &s) == nil {
			if now := replace(s); now != s {
				b.WriteString(text[done:at])
				b.WriteString(quoteJSON(now))
				done = end
			}
		}
		at = end - 1
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// jsonStringEnd is the offset behind the string that begins at an offset, -1 where it
// has no end.
func jsonStringEnd(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// quoteJSON writes a string as notes have it: without escapes that only HTML needs.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always can be written
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
