package refs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// The few kinds of failure a caller decides on. Every error of this package
// wraps one of them, or says what git or the file system said.
var (
	ErrNoMemory = errors.New("no memory in this repository")
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrInvalid  = errors.New("invalid")
	ErrRefused  = errors.New("refused")
	ErrConflict = errors.New("conflict")
	ErrStale    = git.ErrStale
)

// Error is a failure in the words a user reads: what went wrong, and what to
// run next. Code is a stable name for scripts (`branch-not-found`).
type Error struct {
	Code    string
	Message string   // lower case, no full stop, names in single quotes
	Hints   []string // commands that can be pasted, or short sentences
	Kind    error    // one of the sentinels above
	Err     error    // the cause, if there is one
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

func fail(kind error, code, message string, hints ...string) *Error {
	return &Error{Code: code, Message: message, Hints: hints, Kind: kind}
}

// ShellWord writes a word for a command that is pasted such that a shell takes it as it
// is, in quotes only where it needs them.
func ShellWord(word string) string {
	plain := word != "" && word[0] != '~' && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("./_-@~^:+%,=", r)
	})
	if plain {
		return word
	}
	return shellQuoted(word)
}

// shellQuoted writes a path for a hint such that a shell takes it as it is.
func shellQuoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	return strings.Join(quoted, ", ")
}
