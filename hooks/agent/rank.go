package agent

import (
	"strings"
	"unicode"
)

// What a line is worth in a short form.
const (
	rankUsual = iota // many files begin with it
	rankPlain
	rankName // it names what follows: a heading, a declaration
)

// rankOf is what a line is worth, by its words alone, because the language is not known, and by the line
// after it.
func rankOf(line, after string) int {
	first, rest := word(line)
	switch {
	case usual(first, line):
		return rankUsual
	case heads(line, after), declares(first, rest), opens(line, after) && !controls(first):
		return rankName
	}
	return rankPlain
}

// word is the first word of a line, and what is behind it.
func word(line string) (first, rest string) {
	line = strings.TrimLeft(line, " (<")
	if end := strings.IndexAny(line, " (<"); end >= 0 {
		return line[:end], line[end:]
	}
	return line, ""
}

// usual reports whether a line says only what a file uses, or whose it is.
func usual(first, line string) bool {
	switch first {
	case "import", "from", "package", "use", "using", "#include", "require", "#pragma", `"use`:
		return true
	}
	return strings.HasPrefix(line, "#!") || strings.Contains(line, "opyright") || strings.Contains(line, "SPDX-License")
}

// heads reports whether a line is a heading: of Markdown, over a rule, or in capitals.
func heads(line, after string) bool {
	if text := strings.TrimLeft(line, "#"); text != line && strings.HasPrefix(text, " ") {
		return true
	}
	letters := 0
	for _, c := range line {
		if unicode.IsLower(c) {
			return rule(after)
		}
		if unicode.IsUpper(c) {
			letters++
		}
	}
	return letters >= 3
}

// rule reports whether a line is one character, again and again.
func rule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && strings.ContainsRune("=-~*#", rune(line[0])) && strings.Trim(line, line[:1]) == ""
}

// declares reports whether a line declares something, by its first words.
func declares(first, rest string) bool {
	for range 4 {
		switch first {
		case "func", "fn", "def", "class", "type", "const", "interface", "enum", "struct", "trait", "impl", "module",
			"function", "namespace", "record", "macro_rules!", "#define", "CREATE", "resource":
			return true
		case "export", "default", "pub", "public", "private", "protected", "static", "final", "abstract", "async",
			"declare", "override", "virtual", "inline":
			first, rest = word(rest)
		default:
			return false
		}
	}
	return false
}

// opens reports whether a line begins a block.
func opens(line, after string) bool {
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, ":") || strings.TrimSpace(after) == "{"
}

// controls reports whether a word begins a statement that only says when another is run.
func controls(word string) bool {
	switch strings.TrimLeft(word, "})") {
	case "", "if", "else", "elif", "for", "while", "switch", "case", "try", "except", "catch", "finally", "do", "with",
		"return", "when", "match", "select", "default", "default:", "else:", "try:", "finally:", "unless", "until", "foreach", "loop":
		return true
	}
	return false
}
