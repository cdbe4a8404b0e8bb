package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Findings are the sentences of a text that state something, rather than announce what is done next; all
// of it, and false, if none does.
func Findings(text string) (string, bool) {
	var kept []string
	for _, sentence := range Sentences(text) {
		if !announces(sentence) {
			kept = append(kept, sentence)
		}
	}
	if len(kept) == 0 {
		return text, false
	}
	return strings.Join(kept, " "), true
}

// Sentences divides a text at ends of sentences and lines. Between two sentences there may be no space,
// because some clients remove line ends.
func Sentences(text string) (list []string) {
	from := 0
	end := func(at int) {
		if s := strings.TrimSpace(text[from:at]); s != "" {
			list = append(list, s)
		}
		from = at
	}
	for i, c := range text {
		switch c {
		case '\n':
			end(i + 1)
		case '.', '!', '?', ':':
			if begins(text[i+1:]) {
				end(i + 1)
			}
		}
	}
	end(len(text))
	return list
}

// begins reports whether a sentence begins with a text.
func begins(text string) bool {
	next := strings.TrimLeft(text, " ")
	if next == "" {
		return true
	}
	if c, _ := utf8.DecodeRuneInString(next); !unicode.IsUpper(c) {
		return false
	}
	if len(next) < len(text) {
		return true
	}
	word := next[:len(next)-len(strings.TrimLeftFunc(next, unicode.IsLetter))]
	switch word { // others may be names, as in a.B
	case "I", "We", "Let", "The", "This", "That", "There", "It", "In", "If", "So", "Now", "Next", "Then", "To", "After",
		"First", "Since", "However", "Based", "Using":
		return true
	}
	return false
}

// announces reports whether a sentence only says what its author is about to do.
func announces(sentence string) bool {
	sentence = strings.ToLower(strings.TrimLeft(sentence, "-*# "))
	for _, lead := range []string{"now", "next", "first", "then", "so", "ok", "okay", "great", "perfect", "good"} {
		if rest := strings.TrimPrefix(sentence, lead); rest != sentence && strings.IndexAny(rest, " ,!.") == 0 {
			sentence = strings.TrimLeft(rest, " ,!.")
		}
	}
	return slices.ContainsFunc([]string{
		"let's ", "let’s ", "let us ", "let me ", "lets ", "i'll ", "i’ll ", "i will ", "i'm going to ", "i am going to ",
		"i need to ", "i should ", "we'll ", "we’ll ", "we will ", "we are going to ", "we need to ", "we should ",
	}, func(begin string) bool { return strings.HasPrefix(sentence, begin) })
}
