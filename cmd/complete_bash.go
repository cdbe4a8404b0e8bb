package cmd

import "strings"

// Bash hands over words as they are typed, quotes and all, and has cut them at the
// characters of COMP_WORDBREAKS; what it gets replaces the last piece alone, and is
// put on the line as it is.

// glued are the characters at which a word is cut that ours may hold: --branch=main,
// metadata.yaml#a:b. Git's completion joins at the same.
const glued = "=:"

// joinBroken joins words that were cut at the characters of breaks. A word that holds
// nothing else belongs to those around it, as far as can be known.
func joinBroken(words []string, breaks string) []string {
	var whole []string
	join := false
	for _, w := range words {
		cut := w != "" && strings.Trim(w, glued) == "" && strings.Trim(w, breaks) == ""
		if n := len(whole); n > 0 && (cut || join) {
			whole[n-1] += w
		} else {
			whole = append(whole, w)
		}
		join = cut
	}
	return whole
}

// bashWord is a word as it is typed.
type bashWord struct {
	text  string // without quotes
	quote byte   // that is open at its end: ' or ", 0 for none
	keep  int    // how much of text stands before what is replaced
}

func readBashWord(raw, breaks string) bashWord {
	var w bashWord
	var text strings.Builder
	outside := 0 // what keep was before the quote
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case w.quote != 0 && c == w.quote:
			w.quote, w.keep = 0, outside
			continue
		case c == '\\' && w.quote != '\'' && i+1 < len(raw) && (w.quote == 0 || strings.IndexByte("\\\"$`", raw[i+1]) >= 0):
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

// complete gives what stands for a candidate on the line; false where it does not begin
// as the word does. An open quote is closed by bash itself.
func (w bashWord) complete(candidate string) (string, bool) {
	if !strings.HasPrefix(candidate, w.text) {
		return "", false
	}
	rest := candidate[w.keep:]
	switch w.quote {
	case '\'':
		return strings.ReplaceAll(rest, "'", `'\''`), true
	case '"':
		return escapeAt(rest, func(_ int, c byte) bool { return strings.IndexByte("\\\"$`", c) >= 0 }), true
	}
	return escapeAt(rest, func(i int, c byte) bool {
		alnum := c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
		return !alnum && strings.IndexByte("_./:=@%+,^-~#", c) < 0 || i == 0 && (c == '~' || c == '#')
	}) + " ", true
}

// escapeAt puts a backslash before the bytes that are special.
func escapeAt(s string, special func(int, byte) bool) string {
	var b strings.Builder
	for i := range len(s) {
		if special(i, s[i]) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
