// Package fail defines the errors of memory: a kind that callers decide on, a stable code for
// scripts, a message and hints for people.
package fail

import (
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// The kinds of failure that a caller decides on. Every [Error] wraps one of them, so
// errors.Is finds it.
var (
	ErrNoMemory = errors.New("no memory in this repository")
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrInvalid  = errors.New("invalid")
	ErrRefused  = errors.New("refused")
	ErrConflict = errors.New("conflict")
	ErrStale    = git.ErrStale
)

// Error is a failure as a user reads it: what went wrong, and what to run next. Code is a
// stable name for scripts (`branch-not-found`).
type Error struct {
	Code    string
	Message string   // lower case, no full stop, names in single quotes
	Hints   []string // commands that can be pasted, or short sentences
	Kind    error    // one of the sentinels above
	Err     error    // the cause, if there is one
	Said    []string // what a remote said, if that is more than one line; see the function Said
}

// Error returns the message, and the cause behind it.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the kind and, if there is one, the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Said returns what remotes said of the failures in err, line by line, where that is more than one line and
// so not part of the message. Lines that occur twice belong to two failures of one cause.
func Said(err error) []string {
	var all [][]string
	var walk func(error)
	walk = func(err error) {
		var said []string
		switch e := err.(type) {
		case *Error:
			said = e.Said
		case *git.Error:
			said = e.Said()
		}
		if said != nil && !slices.ContainsFunc(all, func(had []string) bool { return slices.Equal(had, said) }) {
			all = append(all, said)
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				walk(err)
			}
		}
	}
	walk(err)
	return slices.Concat(all...)
}

// Full returns the message of an error and all that remotes said, for a place that has only one text.
func Full(err error) string {
	return strings.Join(append([]string{err.Error()}, Said(err)...), "\n")
}

// New makes an Error without a cause.
func New(kind error, code, message string, hints ...string) *Error {
	return &Error{Code: code, Message: message, Hints: hints, Kind: kind}
}
