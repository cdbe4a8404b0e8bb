package cmd

import (
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// first returns the first argument, "" for none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// rest returns the arguments behind the first.
func rest(args []string) []string { return args[min(1, len(args)):] }

// unknownWord is the error for a verb that a command does not know.
func unknownWord(command, word string, known ...string) error {
	err := usagef("'%s' has no subcommand '%s'", command, word)
	if near := nearest(word, known); near != "" {
		return err.hint("did you mean '%s'?", near)
	}
	return err.hint("one of %s", strings.Join(known, ", "))
}

// countWords checks the number of arguments of a verb.
func countWords(form string, words []string, least, most int) error {
	switch {
	case len(words) < least && least == 1:
		return usagef("'%s' needs an argument", form)
	case len(words) < least:
		return usagef("'%s' needs %d arguments", form, least)
	case len(words) > most:
		return usagef("unexpected argument '%s'", words[most]).hint("quote a text that contains spaces")
	}
	return nil
}

// nearest returns the candidate that a mistyped or shortened word most likely means, ""
// when none is near.
func nearest(word string, candidates []string) string {
	letters := strings.TrimLeft(word, "-")
	for _, c := range candidates {
		bare := strings.TrimLeft(c, "-")
		if bare == letters || len(letters) > 1 && strings.HasPrefix(bare, letters) {
			return c
		}
	}
	return doc.Nearest(word, candidates)
}

// topicKey returns the key of a topic as it is stored: people write names with capitals.
func topicKey(written string) string { return strings.ToLower(written) }
