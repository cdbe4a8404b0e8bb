package store

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// checkWriter fills in the agent and refuses names that a heading or a trailer
// cannot contain.
func (s *Store) checkWriter(w Writer, ident git.Identity) (Writer, error) {
	if w.Agent == "" {
		w.Agent = committerAgent(ident)
	}
	if err := CheckAgent(w.Agent); err != nil {
		return w, err
	}
	for _, v := range []struct{ what, code, value string }{
		{"session", fail.SessionInvalid, w.Session}, {"model", fail.ModelInvalid, w.Model},
	} {
		if err := CheckLine(v.what, v.code, v.value); err != nil {
			return w, err
		}
	}
	return w, checkTokens(w.Tokens)
}

func checkTokens(n int64) error {
	if n >= 0 && n <= doc.MaxNumber {
		return nil
	}
	return fail.New(fail.ErrInvalid, fail.TokensInvalid, fmt.Sprintf("tokens must be 0 to %d: %d", int64(doc.MaxNumber), n))
}

// CheckAgent refuses a name that a heading of a document cannot contain: fail.ErrInvalid.
func CheckAgent(name string) error {
	if err := doc.CheckAgent(name); err != nil {
		return fail.New(fail.ErrInvalid, fail.AgentName, err.Error())
	}
	return nil
}

// maxLine bounds a session, a model and a source key, in bytes.
const maxLine = 1000

// CheckLine checks a value that is written on a line of its own.
func CheckLine(what, code, value string) error {
	if len(value) <= maxLine && utf8.ValidString(value) && !strings.ContainsFunc(value, unicode.IsControl) {
		return nil
	}
	return fail.New(fail.ErrInvalid, code,
		fmt.Sprintf("%s '%s' is not one printable line of at most %d bytes", what, prose.OneLine(value, 60), maxLine))
}

// committerAgent returns the agent for a writer without one: the committer's name.
func committerAgent(ident git.Identity) string {
	if name := doc.AgentName(ident.Name); name != "" {
		return name
	}
	return "unknown"
}

// Writer says who writes: the agent, its session and model, and what the work
// cost in tokens. An empty agent becomes the committer's name.
type Writer struct {
	Agent, Session, Model string
	Tokens                int64
	Sign                  Signing
}
