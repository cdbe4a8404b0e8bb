package expunge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
)

// revealing returns those quotes of a commit that reveal the text: all of them if the commit
// itself is removed, else those that contain a touched line or its beginning, since a summary
// may cut it. Other quoted lines ("Tests pass.") occur elsewhere too and stay.
func (f *finder) revealing(m *doc.Commit, quotes []string) []string {
	if m.ID == f.id {
		return quotes
	}
	touched := newTouchedLines(f.match.pieces(ownWords(m)))
	var list []string
	for _, q := range quotes {
		if f.match.in(q) || touched.quotedIn(q) {
			list = append(list, q)
		}
	}
	return list
}

// touchedLines are lines that quotes may contain, to be looked up: a commit may have a hundred thousand of both, so that no quote is
// compared with all lines.
type touchedLines struct {
	sorted  []string
	least   []string // those of sorted that begin with no other one: a text that contains another line contains one of these
	longest int      // bytes
}

func newTouchedLines(lines []string) *touchedLines {
	t := &touchedLines{sorted: slices.Sorted(slices.Values(lines))}
	for _, line := range t.sorted {
		t.longest = max(t.longest, len(line))
		if n := len(t.least); n == 0 || !strings.HasPrefix(line, t.least[n-1]) {
			t.least = append(t.least, line)
		}
	}
	return t
}

// quotedIn reports whether a quote contains one of the lines, or ends within one.
func (t *touchedLines) quotedIn(quote string) bool {
	quote = strings.TrimSuffix(quote, "…")
	overlap := max(1, min(minOverlap, len(quote)))
	for at := range len(quote) + 1 {
		rest := quote[at:]
		// Of lines that begin with no other one, the last that is not after a text is the only one that the text can begin with.
		i, same := slices.BinarySearch(t.least, rest)
		if same || i > 0 && strings.HasPrefix(rest, t.least[i-1]) {
			return true
		}
		if len(rest) < overlap || len(rest) > t.longest {
			continue
		}
		if i, _ = slices.BinarySearch(t.sorted, rest); i < len(t.sorted) && strings.HasPrefix(t.sorted[i], rest) {
			return true
		}
	}
	return false
}

// mapStateTexts replaces the strings of JSON in a file of local state, and keeps every other byte. It keeps the names of members and
// times: programs write them, and a file without them cannot be read. Of invalid JSON it replaces the strings that it can read.
func mapStateTexts(text string, replace func(member, s string) string) string {
	return mapJSON(text, func(member, s string) string {
		if _, err := time.Parse(time.RFC3339Nano, s); err == nil || member == "" {
			return s
		}
		return replace(member, s)
	})
}

// mapCaptureTexts is mapStateTexts for what is kept of a session. It also keeps values that the program itself makes, and the names of
// branches, which stay everywhere.
func mapCaptureTexts(text string, replace func(string) string) string {
	return mapStateTexts(text, func(member, s string) string {
		if isCaptureWord(member) || member == "on" || member == "branches" {
			return s
		}
		return replace(s)
	})
}

// isCaptureWord reports whether the values of a member of what is kept of a session are words of its format or hashes.
func isCaptureWord(member string) bool {
	switch member {
	case "client", "kind", "class", "before", "code", "tip":
		return true
	}
	return false
}

// mapNoteTexts replaces the strings of a line of a note, keys included. It keeps the words of the format, see [notes.IsText].
func mapNoteTexts(line string, replace func(string) string) string {
	return mapJSON(line, func(member, s string) string {
		if !notes.IsText(member, s) {
			return s
		}
		return replace(s)
	})
}

// mapJSON replaces strings; it tells the name of the member that each is the value of, or that an array or an object with it is; "" for a
// name.
func mapJSON(text string, replace func(member, s string) string) string {
	var b strings.Builder
	done, member := 0, ""
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
			of := member
			if isName := strings.HasPrefix(strings.TrimLeft(text[end:], " \t\r\n"), ":"); isName {
				member, of = s, ""
			}
			if now := replace(of, s); now != s {
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

// jsonStringEnd returns the offset after the string that begins at an offset, -1 if the string
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

// quoteJSON writes a string as notes contain it, without escapes for HTML.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always can be written
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
