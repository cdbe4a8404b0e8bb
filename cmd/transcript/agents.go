package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/aider"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/codex"
	"github.com/git-context/git-context/hooks/copilot"
	"github.com/git-context/git-context/hooks/cursor"
	"github.com/git-context/git-context/hooks/gemini"
	"github.com/git-context/git-context/hooks/opencode"
	"github.com/git-context/git-context/hooks/pi"
	"github.com/git-context/git-context/hooks/qwen"
	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/hooks/spool"
	"github.com/git-context/git-context/hooks/zst"
	"github.com/git-context/git-context/refs/prose"
)

// SWEAgent is the name of SWE-agent, whose trajectories Given reads.
const SWEAgent = "swe-agent"

// client is an agent whose transcripts can be read.
type client struct {
	name   string
	decode func(io.Reader, agent.Start, func(agent.Step) error) (*agent.Report, error)

	// place is where the client keeps its transcripts, below its directory; "" if they cannot be found so.
	place string
	// at completes a file by its path below the place, and reports whether it is a transcript; nil: all are.
	at func(f *sessions.File, below []string, p Places) bool
	// all finds the sessions of a client that are elsewhere; nil: they are at place.
	all func(ctx context.Context, c client, p Places) ([]sessions.File, error)

	// find returns the path of a session's transcript below the client's directory; nil: the payloads
	// of all hooks have it.
	find func(home, session string) string
	late time.Duration // see capture.Turn
}

func clients() []client {
	return []client{
		{name: claudecode.Name, decode: claudecode.Decode, place: "projects", late: capture.LateTurn},
		{name: codex.Name, decode: codex.Decode, place: "sessions:archived_sessions"},
		{name: copilot.Name, decode: copilot.Decode, place: "session-state", find: copilot.Transcript, late: capture.LateTurn},
		{name: cursor.Name, decode: cursor.Decode, place: "projects", at: cursorFile},
		{name: gemini.Name, decode: gemini.Decode, place: "tmp", at: geminiFile},
		{name: opencode.Name, decode: opencode.Decode, all: exports},
		{name: pi.Name, decode: pi.Decode, place: "sessions"},
		// Where it is given a prompt and ends, the hook at the end of the turn is the last one, and it waits for that alone.
		{name: qwen.Name, decode: qwen.Decode, place: "projects", late: capture.LateEnd},
		{name: aider.Name, decode: aider.Decode, all: histories}, // the last: an empty text is one
	}
}

// Agents returns the names of all agents whose traces can be read.
func Agents() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return append(names, SWEAgent)
}

// Events returns what reads the payload of a hook of an agent whose turns are collected in a
// spool, because it keeps no transcript that hooks can read; nil for another.
func Events(name string) func(event string, payload []byte) []agent.Event {
	switch name {
	case opencode.Name:
		return opencode.Events
	case cursor.Name:
		return cursor.Events
	}
	return nil
}

// Decoder returns what decodes the transcripts of an agent in its hooks; nil if none is known.
func Decoder(name string) capture.Decode {
	if Events(name) != nil {
		return spool.Decode
	}
	for _, c := range clients() {
		if c.name == name {
			return c.decode
		}
	}
	return nil
}

// Find returns the path of the transcript of a session, for clients whose hooks are not told it; ""
// if it is not known. The environment says where the client's files are.
func Find(name, session string, getenv func(string) string) string {
	for _, c := range clients() {
		if c.name == name && c.find != nil {
			files, _ := settings.Find(name) // without it, the directory is ""
			return c.find(files.Dir(settings.Place{Getenv: getenv}), session)
		}
	}
	return ""
}

// Late is how long to wait at the end of a turn for a client that writes its transcripts after it calls the hooks; 0: it does not.
func Late(name string) time.Duration {
	for _, c := range clients() {
		if c.name == name {
			return c.late
		}
	}
	return 0
}

// ForeignError is the error for a file that is no transcript of the agent.
type ForeignError struct {
	File, Agent string
	Of          string // whose it is, if that is known
}

func (e *ForeignError) Error() string {
	if e.Of != "" {
		return fmt.Sprintf("'%s' is a transcript of %s, not of %s", e.File, e.Of, e.Agent)
	}
	return fmt.Sprintf("'%s' is no transcript of %s", e.File, e.Agent)
}

// Hint is the command that reads the file, or the names of the agents whose files can be read.
func (e *ForeignError) Hint() string {
	if e.Of == "" {
		return "known: " + strings.Join(Agents(), ", ")
	}
	return "git context import --from " + e.Of + " " + prose.ShellWord(e.File)
}

// Given is the transcript at path, which the user typed as file, of the agent of that name, which is one
// of Agents.
func Given(name, path, file string) sessions.File {
	if name == SWEAgent {
		f := traceOf(path)
		f.Name = filepath.Base(file)
		return f
	}
	f := fileOf(clients()[slices.IndexFunc(clients(), func(c client) bool { return c.name == name })], path)
	f.Name = filepath.Base(file)
	return f
}

// fileOf is the transcript of a client at path.
func fileOf(c client, path string) sessions.File {
	f := sessions.File{Client: c.name, Path: path, Name: path, Decode: c.decode,
		Open: func(context.Context) (io.ReadCloser, error) { return zst.Open(path) }}
	if c.name == cursor.Name || c.name == aider.Name { // whose files do not name the session
		f.Session = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if info, err := os.Stat(path); err == nil { // Open returns the error
		f.Time = info.ModTime().UTC()
	}
	return f
}

// Unread is the error for a file that could not be read as a transcript of the agent, by its cause. The
// user typed it as file.
func Unread(name, path, file string, err error) error {
	switch {
	case errors.Is(err, agent.ErrForeign):
		return &ForeignError{File: file, Agent: name, Of: whose(path)}
	case errors.Is(err, context.Canceled):
		return err
	}
	return unread(file, err)
}

// whose returns the agent whose transcript a file is, by its beginning; "" if none is known.
func whose(path string) string {
	f, err := zst.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()                 // nothing was written
	start, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // what can be read says whose it is
	for _, c := range clients() {
		none := func(agent.Step) error { return nil }
		if _, err := c.decode(bytes.NewReader(start), agent.Start{}, none); err == nil {
			return c.name
		}
	}
	if bytes.Contains(start, []byte(`"trajectory"`)) {
		return SWEAgent
	}
	return ""
}

// unread is the error for a file that cannot be read.
func unread(file string, err error) error {
	if system := (*os.PathError)(nil); errors.As(err, &system) {
		err = system.Err // file names the path already
	}
	return &traceError{file: file, err: err}
}
