package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/render"
)

// Env is the world as a command sees it. Nothing in this package reaches
// around it: standard streams, clock, directory and environment variables of
// the process are wired to it in Main and nowhere else.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string   // where to look for the repository; "" is the process's directory
	Environ  []string // KEY=value, the last of a key wins
	Now      func() time.Time
	Term     Terminal

	// Program is this program's path, by which it starts itself in the background; "" for
	// never.
	Program string

	// Interruptible makes a context that ^C ends, and what else would end the
	// process; nil leaves these to the system.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)

	trace io.Writer // GIT_CONTEXT_TRACE, nil for none
	stood *string   // Dir before -C; nil where there was none
}

// Terminal says what the standard streams are.
type Terminal struct {
	In    bool // standard input is a terminal
	Out   bool // the output is a terminal
	Width int  // its columns; 0 when not known
	Err   bool // standard error is a terminal
}

// getenv gives an environment variable, "" when it is not set.
func (e *Env) getenv(key string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.Environ[i], key+"="); ok {
			return value
		}
	}
	return ""
}

// in gives the environment as it is after -C dirs, each relative to the one
// before, as git does it.
func (e *Env) in(dirs []string) *Env {
	inner := *e
	inner.stood = &e.Dir
	for _, d := range dirs {
		inner.Dir = inner.path(d)
	}
	return &inner
}

func (e *Env) path(name string) string {
	if filepath.IsAbs(name) || e.Dir == "" {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// readText gives the bytes of a file that a flag names; "-" is standard input.
func (e *Env) readText(name string) (string, error) {
	if name == "-" {
		data, err := io.ReadAll(e.In)
		if err != nil {
			return "", fmt.Errorf("cannot read standard input: %w", err)
		}
		return string(data), nil
	}
	data, err := os.ReadFile(e.path(name))
	if err != nil {
		return "", fmt.Errorf("cannot read '%s': %w", name, cause(err))
	}
	return string(data), nil
}

// cause drops the operation and path that the os package puts before the
// reason: the message has named them already.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// warn and hint speak to people, beside the result.
func (e *Env) warn(format string, args ...any) {
	e.say("warning: ", fmt.Sprintf(format, args...))
}

func (e *Env) warnAll(warnings []string) {
	for _, w := range warnings {
		e.warn("%s", w)
	}
}

// noteAll says what was done beside what was asked for.
func (e *Env) noteAll(notes []string) {
	for _, n := range notes {
		e.say("note: ", n)
	}
}

func (e *Env) hint(format string, args ...any) {
	e.say("hint: ", fmt.Sprintf(format, args...))
}

// say writes one message to standard error, each of its lines behind prefix.
// Messages quote names and texts that come from elsewhere, so they are made
// safe to show.
func (e *Env) say(prefix, message string) {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		b.WriteString(prefix + render.Safe(line) + "\n")
	}
	// A standard error that cannot be written to leaves nobody to tell.
	_, _ = io.WriteString(e.Err, b.String())
}

// openTrace reads GIT_CONTEXT_TRACE as git reads GIT_TRACE: "1" (or "2",
// "true") is standard error, an absolute path is a file to append to, and
// nothing (or "0", "false") is no trace.
func openTrace(env *Env) (w io.Writer, closer func(), err error) {
	none := func() {}
	switch value := env.getenv("GIT_CONTEXT_TRACE"); {
	case value == "" || value == "0" || value == "false":
		return nil, none, nil
	case value == "1" || value == "2" || value == "true":
		return env.Err, none, nil
	case !filepath.IsAbs(value):
		return nil, none, usagef("GIT_CONTEXT_TRACE is '%s'; give 1 or an absolute path", value)
	default:
		f, err := os.OpenFile(value, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, none, fmt.Errorf("cannot open the trace '%s': %w", value, cause(err))
		}
		// What a trace lost at close is not worth failing the command for.
		return f, func() { _ = f.Close() }, nil
	}
}
