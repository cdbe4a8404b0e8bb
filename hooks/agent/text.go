package agent

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strip removes elements such as <system-reminder>…</system-reminder> from a text. An element
// without an end stays: a person may have written about it.
func Strip(text string, names ...string) string {
	if !strings.Contains(text, "</") {
		return text
	}
	for _, name := range names {
		text = strip(text, name)
	}
	return text
}

func strip(text, name string) string {
	var kept strings.Builder
	end := "</" + name + ">"
	for rest := text; ; {
		begin := strings.Index(rest, "<"+name)
		if begin < 0 {
			return kept.String() + rest
		}
		after := rest[begin+1+len(name):]
		if after == "" || after[0] != '>' && after[0] != ' ' {
			kept.WriteString(rest[:len(rest)-len(after)])
			rest = after
			continue
		}
		length := strings.Index(after, end)
		if length < 0 {
			return kept.String() + rest
		}
		kept.WriteString(rest[:begin])
		rest = after[length+len(end):]
	}
}

// Source is the permanent name of a step of a client: "claude-code:SESSION:ID", at most 1000 bytes
// and printable, or Step.Source.
func Source(client string, s Step) string {
	if s.Source != "" {
		return s.Source
	}
	session := strings.NewReplacer("%", "%25", ":", "%3A").Replace(Name(s.Session))
	return client + ":" + session + ":" + Name(s.ID)
}

// Name returns a name as it is if it is printable and has at most 200 bytes, and otherwise
// its hash.
func Name(name string) string {
	odd := func(c rune) bool { return !unicode.IsGraphic(c) || c == utf8.RuneError }
	if len(name) <= 200 && !strings.ContainsFunc(name, odd) {
		return name
	}
	return fmt.Sprintf("%.8x", sha256.Sum256([]byte(name)))
}
