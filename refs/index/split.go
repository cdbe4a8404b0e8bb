package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// splitter splits one word into terms.
type splitter struct {
	stemmer *snowballstem.Env
	emit    func(string)
}

func (s *splitter) init() { s.stemmer = snowballstem.NewEnv("") }

// split calls emit with the terms of a word.
func (s *splitter) split(word string, emit func(string)) {
	s.emit = emit
	if ascii(word) {
		s.compound(word)
		return
	}
	for rest := fold(word); rest != ""; {
		n, kind := run(rest)
		switch kind {
		case runCJK:
			s.bigrams(rest[:n])
		case runWord:
			s.compound(strings.TrimRight(rest[:n], ".-/:"))
		case runApostrophe:
			if m := n + suffix(rest[n:]); m == len(rest) || !wordStart(rest[m:]) {
				n = m
			}
		}
		rest = rest[n:]
	}
}

// fold removes accents and unifies characters that look alike, so that a search does not
// depend on how a text was typed.
func fold(word string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36F {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToValidUTF8(word, " "))))
}

// The kinds of runs in a word outside of ASCII.
const (
	runNone = iota
	runWord
	runCJK
	runApostrophe
)

// run returns the length and the kind of the first run of characters of one kind.
func run(s string) (n, kind int) {
	for i, r := range s {
		k := kindOf(r)
		switch {
		case i == 0:
			kind = k
		case kind == runWord && joint(s[i:]): // stays in the word
		case k != kind || k == runApostrophe:
			return i, kind
		}
	}
	return len(s), kind
}

// joint reports whether s begins with a character that may join parts of a word.
func joint(s string) bool {
	return s[0] == '.' || s[0] == '-' || s[0] == '/' || s[0] == ':'
}

func kindOf(r rune) int {
	switch {
	case r == '\'' || r == '\u2019':
		return runApostrophe
	case r == '_':
		return runWord
	case r < utf8.RuneSelf:
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return runWord
		}
		return runNone
	case unspaced(r):
		return runCJK
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		return runWord
	}
	return runNone
}

// unspaced reports whether a character belongs to a script that puts no spaces between
// words, or that is searched as well without them.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

func wordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return kindOf(r) == runWord
}

// bigrams emits every two adjacent characters, or a single one.
func (s *splitter) bigrams(text string) {
	last := -1 // offset of the character before
	for i := range text {
		if last >= 0 {
			_, n := utf8.DecodeRuneInString(text[i:])
			s.emit(text[last : i+n])
		}
		last = i
	}
	if last == 0 {
		s.emit(text)
	}
}

// compound emits a word that may be a path, or a name with dots or underscores:
//
//  1. the whole path, and each of its elements that has parts;
//  2. each part of an element that has parts itself;
//  3. the parts.
func (s *splitter) compound(word string) {
	word = strings.Trim(word, "_.-/:")
	if strings.Contains(word, "/") {
		s.whole(word)
	}
	for element := range strings.SplitSeq(word, "/") {
		element = strings.Trim(element, "_.-:")
		names := strings.FieldsFunc(element, func(r rune) bool { return r == '.' || r == '-' || r == ':' || r == '_' })
		if len(names) > 1 {
			s.whole(element)
		}
		for _, name := range names {
			s.name(name, len(names) > 1 || element != word)
		}
	}
}

// name emits a name without punctuation: parseHTTPRequest2.
func (s *splitter) name(name string, part bool) {
	parts := splitCamel(name)
	if len(parts) == 1 {
		s.term(name, part)
		return
	}
	s.term(name, false)
	for _, p := range parts {
		s.term(p, true)
	}
}

// whole emits a compound in lower case.
func (s *splitter) whole(word string) {
	if len(word) <= maxTerm {
		s.emit(strings.ToLower(word))
	}
}

// term emits the stem of a plain word, except of a stop word, and of a part that is a
// single letter or digit.
func (s *splitter) term(word string, part bool) {
	if part && len(word) == 1 {
		return
	}
	word = strings.ToLower(word)
	if stopWord(word) {
		return
	}
	if len(word) > maxTerm {
		n := maxTerm
		for !utf8.RuneStart(word[n]) {
			n--
		}
		word = word[:n]
	}
	s.emit(s.stem(word))
}

// stem returns the stem of an English word.
func (s *splitter) stem(word string) string {
	if len(word) < 3 || !letters(word) {
		return word
	}
	s.stemmer.SetCurrent(word)
	english.Stem(s.stemmer)
	return s.stemmer.Current()
}

// maxTurns is how often letters and digits may alternate in a name. A name with more
// alternations is a hash or an id, whose pieces mean nothing.
const maxTurns = 2

// splitCamel splits a name into parts: at an upper-case letter after a lower-case one, at the
// last capital before a word (HTTPServer), and between letters and digits.
func splitCamel(name string) []string {
	var parts []string
	start, turns := 0, 0
	before, last := rune(0), rune(0)
	for i, r := range name {
		cut := -1
		switch {
		case i == 0:
		case digit(r) != digit(last):
			cut = i
			turns++
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cut = i
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before) && name[i:] != "s":
			cut = i - utf8.RuneLen(last)
		}
		if cut > start {
			parts = append(parts, name[start:cut])
			start = cut
		}
		before, last = last, r
	}
	if turns > maxTurns {
		return []string{name}
	}
	return append(parts, name[start:])
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func letters(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// stopWord reports whether a word is too common in English to distinguish texts. The list
// is short, because "not", "no" and "all" carry meaning in a trace.
func stopWord(word string) bool {
	switch word {
	case "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "didn", "do", "does",
		"doesn", "don", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "isn",
		"it", "its", "just", "me", "my", "of", "on", "or", "our", "she", "should", "so", "such", "than", "that", "the",
		"their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "us", "was", "wasn", "we", "were",
		"what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your":
		return true
	}
	return false
}
