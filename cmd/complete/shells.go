package complete

import (
	"embed"
	"strings"
)

// The shells that completion knows.
const (
	Bash = "bash"
	Zsh  = "zsh"
	Fish = "fish"
)

// Shells lists the shells that completion knows.
func Shells() []string { return []string{Bash, Zsh, Fish} }

//go:embed scripts
var scripts embed.FS

// Script returns what a shell reads to complete command lines; an error for an unknown one.
func Script(shell string) ([]byte, error) {
	return scripts.ReadFile("scripts/git-context." + shell)
}

// Words returns the words of a command line as a program would receive them, and the last
// one as it is typed. Bash hands over words with their quotes, cut at the characters of
// breaks ($COMP_WORDBREAKS); other shells have removed the quotes.
func Words(shell, breaks string, typed []string) (words []string, last Typed) {
	if shell != Bash {
		return typed, Typed{}
	}
	words = joinBroken(typed, breaks)
	for i, raw := range words {
		last = readTyped(raw, breaks)
		words[i] = last.text
	}
	return words, last
}

// Write returns the lines of an answer as a shell's script reads them; last is the word
// that Words returned. A line that begins with a tab is no candidate: it says what the
// shell completes by itself, or that a quote is open. Bash gets the candidates alone that
// begin like the word; zsh and fish choose by rules of their users.
func (r Result) Write(shell string, last Typed) string {
	var b strings.Builder
	if r.Shell != "" {
		b.WriteString("\t" + r.Shell + "\n")
	}
	if last.quote != 0 {
		b.WriteString("\tquoted\n")
	}
	for _, c := range r.Candidates {
		switch {
		case shell == Bash:
			if text, ok := last.complete(c.Word); ok {
				b.WriteString(text + "\n")
			}
		case shell == Zsh:
			b.WriteString(c.Word + "\t" + c.About + "\t" + c.Kind + "\n")
		case c.About == "":
			b.WriteString(c.Word + "\n")
		default:
			b.WriteString(c.Word + "\t" + c.About + "\n")
		}
	}
	return b.String()
}
