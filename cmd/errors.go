package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/render"
)

// The exit codes; exitText describes each in the help of commands.
const (
	exitDone          = 0
	exitFailed        = 1
	exitUsage         = 2
	exitConflict      = 3
	exitNoMemory      = 4
	exitNotRepository = 128
	exitInterrupted   = 130 // as shells report a process that SIGINT ended
	exitBrokenPipe    = 141 // likewise SIGPIPE: the reader of the output is gone
)

func exitText(code int) string {
	switch code {
	case exitDone:
		return "done"
	case exitFailed:
		return "failed or refused"
	case exitUsage:
		return "wrong usage"
	case exitConflict:
		return "conflict, waiting to be resolved"
	case exitNoMemory:
		return "no memory in this repository: git context init"
	case exitNotRepository:
		return "not a git repository"
	}
	return ""
}

// kinds maps errors to exit codes and to the stable code that --json prints for an
// error without a code of its own. The first match counts; an error that matches
// nothing is exitFailed.
func kinds() []struct {
	kind error
	exit int
	code string
} {
	return []struct {
		kind error
		exit int
		code string
	}{
		{errUsage, exitUsage, fail.Usage},
		{context.Canceled, exitInterrupted, fail.Interrupted},
		{syscall.EPIPE, exitBrokenPipe, fail.BrokenPipe},
		{fail.ErrConflict, exitConflict, fail.Conflict},
		{fail.ErrNoMemory, exitNoMemory, fail.NoMemory},
		{git.ErrNotRepository, exitNotRepository, fail.NotARepository},
		{git.ErrOldGit, exitFailed, fail.OldGit},
		{fail.ErrNotFound, exitFailed, fail.NotFound},
		{fail.ErrExists, exitFailed, fail.Exists},
		{fail.ErrInvalid, exitFailed, fail.Invalid},
		{fail.ErrStale, exitFailed, fail.Stale},
		{fail.ErrRefused, exitFailed, fail.Refused},
		{git.ErrNotFound, exitFailed, fail.NotFound},
		{git.ErrAmbiguous, exitFailed, fail.Ambiguous},
		{context.DeadlineExceeded, exitFailed, fail.Timeout},
	}
}

// classify returns the exit code and the stable code of an error.
func classify(err error) (exit int, code string) {
	if err == nil {
		return exitDone, ""
	}
	exit, code = exitFailed, fail.Failed
	for _, k := range kinds() {
		if errors.Is(err, k.kind) {
			exit, code = k.exit, k.code
			break
		}
	}
	var foreign *git.NotRegularError
	if errors.As(err, &foreign) {
		exit, code = exitFailed, fail.StateFile
	}
	var ended *programError
	if errors.As(err, &ended) {
		exit = ended.code
	}
	var stopped *interruption
	if exit == exitInterrupted && errors.As(err, &stopped) {
		exit = stopped.exit()
	}
	var named *fail.Error
	if errors.As(err, &named) && named.Code != "" {
		code = named.Code
	}
	return exit, code
}

// interruption is a signal that ended the work.
type interruption struct{ signal os.Signal }

func (e *interruption) Error() string        { return "interrupted by a signal: " + e.signal.String() }
func (e *interruption) Is(target error) bool { return target == context.Canceled }

// exit returns the code that shells report for a process that the signal ended.
func (e *interruption) exit() int {
	if sig, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(sig)
	}
	return exitInterrupted
}

// programError is the end of a program whose exit code is ours: cause says why it did not
// start, or is errEnded.
type programError struct {
	code  int
	cause error
}

func (e *programError) Error() string { return e.cause.Error() }
func (e *programError) Unwrap() error { return e.cause }

// errEnded is the cause for a program that ran, of which nothing is to be said.
var errEnded = errors.New("the program has ended")

var errUsage = errors.New("wrong usage")

// outputError is a failure to print the result of work that is done.
type outputError struct{ err error }

func (e *outputError) Error() string { return "cannot write standard output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// usageError is a command line that cannot be understood.
type usageError struct {
	message string
	hints   []string
}

func usagef(format string, args ...any) *usageError {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

func (e *usageError) Error() string        { return e.message }
func (e *usageError) Is(target error) bool { return target == errUsage }

// hint adds one more line of advice.
func (e *usageError) hint(format string, args ...any) *usageError {
	e.hints = append(e.hints, fmt.Sprintf(format, args...))
	return e
}

// hintsOf returns the hints of an error, or those of its kind.
func hintsOf(err error) []string {
	var usage *usageError
	if errors.As(err, &usage) {
		return usage.hints
	}
	var named *fail.Error
	if errors.As(err, &named) && len(named.Hints) > 0 {
		return named.Hints
	}
	var foreign *git.NotRegularError
	if errors.As(err, &foreign) {
		return []string{"neither git nor git context makes it; look at what it is, and remove it: rm -r " + prose.ShellQuoted(foreign.Path)}
	}
	var large *git.TooLargeError
	if errors.As(err, &large) && filepath.Base(filepath.Dir(large.Path)) != "journal" { // of which each line counts
		return []string{"look at what it is, and remove it: rm " + prose.ShellQuoted(large.Path)}
	}
	var unread *installedError
	if errors.As(err, &unread) {
		return []string{unread.repair()}
	}
	var failed *git.Error
	if errors.As(err, &failed) && failed.Advice() != "" {
		return []string{failed.Advice()}
	}
	var output *outputError
	switch {
	case errors.As(err, &output):
		return []string{"the command was carried out; only its output is lost: git context"}
	case errors.Is(err, fail.ErrNoMemory):
		return []string{"git context init"}
	case errors.Is(err, git.ErrNotRepository):
		return []string{"run it inside a git repository, or make one: git init"}
	case errors.Is(err, git.ErrNotFetched):
		return []string{"git fetch --refetch --no-filter REMOTE gets what the clone lacks"}
	case errors.Is(err, git.ErrBroken), errors.Is(err, git.ErrMissing):
		return []string{fsck.FixCommand}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return []string{"nothing was changed; make the repository writable for this user"}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return []string{"nothing that was acknowledged is lost; free some space and run it again"}
	case errors.Is(err, syscall.EFBIG):
		return []string{"nothing that was acknowledged is lost; raise the limit on the size of files and run it again: ulimit -f unlimited"}
	case errors.Is(err, syscall.EIO):
		return []string{"nothing that was acknowledged is lost; look at the permissions of the repository, the room on its disk, and the disk"}
	}
	return nil
}

// Report writes an error as a command does, nothing for nil, and returns the exit code.
func Report(w io.Writer, err error) int { return (&Env{Err: w}).report(err, false) }

// report prints an error in the form that all commands share and returns the exit code.
// It prints nothing of a broken pipe, which has no reader, and of a signal, whose sender
// knows.
func (e *Env) report(err error, asJSON bool) int {
	exit, _ := classify(err)
	if exit == exitDone || errors.Is(err, context.Canceled) || exit == exitBrokenPipe || errors.Is(err, errEnded) {
		return exit
	}
	if asJSON {
		e.reportJSON(Explain(err))
		return exit
	}
	for _, line := range fail.Said(err) { // before the error, as git prints it
		e.say("", strings.TrimSpace("remote: "+line))
	}
	var told []string
	for _, part := range parts(err) {
		e.say("git-context: error: ", part.Error())
		hints := newHints(part, told)
		e.hintAll(hints)
		told = append(told, hints...)
	}
	return exit
}

// parts returns the errors that were joined to one, each of which has hints of its own.
func parts(err error) []error {
	if _, whole := err.(*fail.Error); whole { // its kind is a part of it, and has no hints
		return []error{err}
	}
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	var text []string
	for _, part := range list.Unwrap() {
		all, text = append(all, parts(part)...), append(text, part.Error())
	}
	if err.Error() != strings.Join(text, "\n") { // not errors.Join: it has a text of its own
		return []error{err}
	}
	return all
}

// newHints returns the hints of an error that were not given yet.
func newHints(err error, told []string) []string {
	return slices.DeleteFunc(slices.Clone(hintsOf(err)), func(hint string) bool { return slices.Contains(told, hint) })
}

// allHints returns the hints of all errors that were joined to one.
func allHints(err error) (all []string) {
	for _, part := range parts(err) {
		all = append(all, newHints(part, all)...)
	}
	return all
}

func (e *Env) reportJSON(r *Refusal) {
	var b bytes.Buffer
	if err := render.WriteJSON(&b, struct {
		Error *Refusal `json:"error"`
	}{r}); err != nil {
		e.say("git-context: error: ", r.Message)
		return
	}
	// No stream is left to report a failure of standard error on.
	_, _ = e.Err.Write(b.Bytes())
}
