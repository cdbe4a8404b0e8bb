package complete

import "strings"

// Bash hands over words as they are typed, with their quotes, and cut at the characters of
// COMP_WORDBREAKS. It puts an answer on the line as it is, in the place of the last piece.

// joiners are the characters at which bash cuts words that we read whole: --branch=main,
// metadata.yaml#a:b. Git's completion joins at the same.
const joiners = "=:"

// joinBroken joins words that were cut at the characters of breaks. A word of such
// characters alone belongs to both of its neighbours.
func joinBroken(words []string, breaks string) []string {
	var whole []string
	join := false
	for _, w := range words {
		cut := w != "" && strings.Trim(w, joiners) == "" && strings.Trim(w, breaks) == ""
		if n := len(whole); n > 0 && (cut || join) {
			whole[n-1] += w
		} else {
			whole = append(whole, w)
		}
		join = cut
	}
	return whole
}

// Typed is a word as it is typed in bash.
type Typed struct {
	text  string // without quotes
	quote byte   // the quote that is open at its end, ' or "; 0 for none
	keep  int    // the bytes of text before the piece that bash replaces
}

func readTyped(raw, breaks string) Typed {
	var w Typed
	var text strings.Builder
	outside := 0 // what keep was before the quote
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case w.quote != 0 && c == w.quote:
			w.quote, w.keep = 0, outside
			continue
		case c == '\\' && w.quote != '\'' && i+1 < len(raw) && (w.quote == 0 || isQuotable(raw[i+1])):
			i++
			c = raw[i]
		case w.quote != 0:
		case c == '\'' || c == '"':
			w.quote, outside, w.keep = c, w.keep, text.Len()
			continue
		case strings.IndexByte(breaks, c) >= 0:
			w.keep = text.Len() + 1
		}
		text.WriteByte(c)
	}
	w.text = text.String()
	return w
}

// isQuotable reports whether a backslash quotes a byte between double quotes.
func isQuotable(c byte) bool { return strings.IndexByte("\\\"$`", c) >= 0 }

// complete returns what replaces the last piece; false where the candidate does not begin
// like the word. Bash itself closes an open quote.
func (w Typed) complete(candidate string) (string, bool) {
	if !strings.HasPrefix(candidate, w.text) {
		return "", false
	}
	rest := candidate[w.keep:]
	switch w.quote {
	case '\'':
		return strings.ReplaceAll(rest, "'", `'\''`), true
	case '"':
		return escape(rest, func(_ int, c byte) bool { return isQuotable(c) }), true
	}
	return escape(rest, func(i int, c byte) bool {
		plain := c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
		return !plain && strings.IndexByte("_./:=@%+,^-~#", c) < 0 || i == 0 && (c == '~' || c == '#')
	}) + " ", true
}

// escape puts a backslash before the bytes that are special.
func escape(s string, special func(int, byte) bool) string {
	var b strings.Builder
	for i := range len(s) {
		if special(i, s[i]) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
