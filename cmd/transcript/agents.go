package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/codex"
	"github.com/git-context/git-context/hooks/copilot"
	"github.com/git-context/git-context/hooks/cursor"
	"github.com/git-context/git-context/hooks/gemini"
	"github.com/git-context/git-context/hooks/opencode"
	"github.com/git-context/git-context/hooks/pi"
	"github.com/git-context/git-context/hooks/qwen"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/hooks/spool"
	"github.com/git-context/git-context/hooks/zst"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// SWEAgent is the name of SWE-agent, whose traces ReadSWEAgent reads.
const SWEAgent = "swe-agent"

// quiet is how long after its newest record a session counts as ended. The clients end a
// command that runs for ten minutes; a prompt that comes later closes all steps before it.
const quiet = time.Hour

// client is an agent whose transcripts ReadAgent reads.
type client struct {
	name   string
	decode func(io.Reader, agent.Start, func(agent.Step) error) (*agent.Report, error)

	// find returns the path of a session's transcript below the client's directory; nil: the payloads
	// of all hooks have it.
	find func(home, session string) string
	late bool // see capture.Turn
}

func clients() []client {
	return []client{
		{name: claudecode.Name, decode: claudecode.Decode, late: true},
		{name: codex.Name, decode: codex.Decode},
		{name: copilot.Name, decode: copilot.Decode, find: copilot.Transcript, late: true},
		{name: cursor.Name, decode: cursor.Decode},
		{name: gemini.Name, decode: gemini.Decode},
		{name: opencode.Name, decode: opencode.Decode},
		{name: pi.Name, decode: pi.Decode},
		{name: qwen.Name, decode: qwen.Decode, late: true},
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

// Late reports whether a client writes its transcripts after it calls the hooks.
func Late(name string) bool {
	return slices.ContainsFunc(clients(), func(c client) bool { return c.name == name && c.late })
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

// ReadAgent reads the steps of the transcript at path of the agent of that name, which is
// one of Agents but not SWEAgent. Steps that are not finished come only if the session has
// ended at the time now; otherwise a warning gives their number. Errors name file, the path
// as the user typed it.
func ReadAgent(ctx context.Context, name, path, file string, now time.Time, meter *git.Meter) (*Trace, error) {
	f, err := zst.Open(path)
	if err != nil {
		return nil, unread(file, err)
	}
	// Nothing was written, so closing cannot lose anything.
	defer func() { _ = f.Close() }()
	own := clients()[slices.IndexFunc(clients(), func(c client) bool { return c.name == name })]
	trace := new(Trace)
	add := func(s agent.Step) error {
		trace.Steps = append(trace.Steps, capture.NewStep(name, s))
		meter.Add(1)
		return nil
	}
	var start agent.Start
	if name == cursor.Name { // whose files name neither session nor ids
		start.Session = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	report, err := own.decode(&reader{ctx, f}, start, add)
	switch {
	case errors.Is(err, agent.ErrForeign):
		return nil, &ForeignError{File: file, Agent: name, Of: whose(path)}
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, unread(file, err)
	}
	ended := now.Sub(report.Last) > quiet
	for _, s := range report.Open {
		if ended {
			_ = add(s) // cannot fail
		}
	}
	trace.Lossy, trace.Warnings = report.Lossy, warnings(report, ended)
	return trace, nil
}

// warnings says what did not become steps: what was skipped, and what is not finished.
func warnings(r *agent.Report, ended bool) (all []string) {
	var skipped []string
	skip := func(n int, one, more string) {
		if n == 1 {
			skipped = append(skipped, "1 "+one)
		} else if n > 1 {
			skipped = append(skipped, fmt.Sprintf("%d %s", n, more))
		}
	}
	unknown := 0
	for _, n := range r.Unknown {
		unknown += n
	}
	names := " of unknown type (" + prose.OneLine(strings.Join(slices.Sorted(maps.Keys(r.Unknown)), ", "), 200) + ")"
	skip(unknown, "record"+names, "records"+names)
	skip(r.Broken, "line that is no JSON", "lines that are no JSON")
	skip(r.TooLong, "record of more than 16 MiB", "records of more than 16 MiB")
	skip(r.Subagent, "record of a subagent", "records of subagents")
	skip(r.Copied, "record that is a copy of another session's", "records that are copies of another session's")
	skip(r.LeftOut, "step of a turn that has 32 KiB without it", "steps of turns that have 32 KiB without them")
	if len(skipped) > 0 {
		all = append(all, "skipped "+strings.Join(skipped, ", "))
	}
	if n := len(r.Open); n > 0 && !ended {
		all = append(all, fmt.Sprintf("%s not finished yet; import the file again later", prose.Count(n, "step")))
	}
	return all
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

// reader ends with its context.
type reader struct {
	ctx context.Context
	in  io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
