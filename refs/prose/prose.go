// Package prose shapes short texts that people read: counts with their noun, texts cut to
// one line, names in quotes, words that a shell takes as they are.
package prose

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Redaction stands where a text was expunged.
const Redaction = "(expunged)"

// ShortRedaction stands for an expunged text where there is no room for more. It has three bytes, so that a piece of text of as many does
// not grow, and nobody writes it: a text that has it counts as redacted.
const ShortRedaction = "␡"

// ShellWord writes a word for a command that is pasted such that a shell takes it as it
// is, in quotes only where it needs them.
func ShellWord(word string) string {
	plain := word != "" && word[0] != '~' && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("./_-@~^:+%,=", r)
	})
	if plain {
		return word
	}
	return ShellQuoted(word)
}

// ShellQuoted writes a path for a hint such that a shell takes it as it is.
func ShellQuoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// PathLine writes a path on one line: as it is, or in double quotes with escapes, as git does, if it has
// control characters.
func PathLine(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}

// Count is a number with its noun: "1 step", "2 steps", "3 branches".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// QuotedList puts names into single quotes and joins them with commas.
func QuotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	return strings.Join(quoted, ", ")
}

// Fold puts a text on one line: each run of white space becomes one space.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// Clip shortens a text for a message to at most limit bytes and an ellipsis. It does not
// cut within a character; each run of invalid UTF-8 becomes U+FFFD.
func Clip(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// OneLine folds white space to single spaces and cuts the text at limit characters, with
// an ellipsis as the last of them.
func OneLine(text string, limit int) string {
	text = Fold(text)
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
	}
	return text
}
