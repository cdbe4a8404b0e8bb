// Package payload reads what the clients of coding agents give to their hooks, and writes what
// a client takes back. Each client has its own names for the same few events; unknown members
// of a payload are ignored, and members of another type count as missing.
//
// Several clients run the hooks that were installed for another one: Copilot and Cursor run
// those of Claude Code. Read recognizes such a payload by its form and returns ErrForeign, so
// that a turn is not recorded twice, and not under a wrong name.
package payload

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Kind is what happened.
type Kind int

// The kinds of events.
const (
	Other       Kind = iota // an event that nothing is done for
	Start                   // a session begins, is resumed, or goes on after a compaction
	Prompt                  // the user wrote something
	Activity                // a tool has ended, or the agent said something, in a turn that goes on
	TurnEnd                 // the agent has answered, or was interrupted
	SubagentEnd             // a subagent has answered
	End                     // a session ends
)

// Event is the content of a payload. Texts are those of the client, unchecked.
type Event struct {
	Kind       Kind
	Name       string // the client's own name of the event
	Session    string
	Dir        string // where the agent is at the moment; empty: unknown
	Began      string // where the session began, if the client says that
	Transcript string // a path; empty: none
	Model      string
	Source     string // of a Start: startup, resume, clear, compact, fork, new
	Prompt     string // of a Prompt
	Final      string // of a TurnEnd: the agent's last message
	Cut        bool   // of a TurnEnd: the user interrupted the turn

	Subagent           string // of a SubagentEnd, and of what happens within a subagent: its id
	SubagentTranscript string
}

// ErrForeign is the error for the payload of another client.
var ErrForeign = errors.New("the payload is of another client")

// ErrClient is the error for a client that is not one of Clients.
var ErrClient = errors.New("unknown client")

// The names of the clients.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	Gemini     = "gemini"
	Copilot    = "copilot"
	Cursor     = "cursor"
	OpenCode   = "opencode"
	Pi         = "pi"
	Qwen       = "qwen"
)

// client is what is known of a client's hooks.
type client struct {
	name    string
	events  map[string]Kind
	foreign func(*members) bool
	inject  func(event, text string) any
}

func clients() []client {
	plugin := map[string]Kind{"start": Start, "prompt": Prompt, "activity": Activity, "turn-end": TurnEnd, "end": End} // of ours
	return []client{
		{ClaudeCode, map[string]Kind{"SessionStart": Start, "UserPromptSubmit": Prompt, "Stop": TurnEnd, "StopFailure": TurnEnd,
			"SubagentStop": SubagentEnd, "SessionEnd": End}, notClaude, nested},
		{Codex, map[string]Kind{"SessionStart": Start, "UserPromptSubmit": Prompt, "Stop": TurnEnd, "Interrupt": TurnEnd,
			"SubagentStop": SubagentEnd, "SessionEnd": End}, notCodex, nested},
		{Gemini, map[string]Kind{"SessionStart": Start, "BeforeAgent": Prompt, "AfterAgent": TurnEnd, "SessionEnd": End}, notGemini, nested},
		{Copilot, map[string]Kind{"sessionStart": Start, "userPromptSubmitted": Prompt, "agentStop": TurnEnd,
			"subagentStop": SubagentEnd, "sessionEnd": End}, notCopilot, flat},
		{Cursor, map[string]Kind{"sessionStart": Start, "beforeSubmitPrompt": Prompt, "postToolUse": Activity, "postToolUseFailure": Activity,
			"afterAgentResponse": Activity, "stop": TurnEnd, "subagentStop": SubagentEnd, "sessionEnd": End}, notCursor, snake},
		{OpenCode, plugin, notPlugin, plain},
		{Pi, plugin, notPlugin, plain},
		{Qwen, map[string]Kind{"UserPromptSubmit": Prompt, "Stop": TurnEnd}, notQwen, nested},
	}
}

// Clients returns the names of the clients.
func Clients() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

func find(name string) (client, error) {
	for _, c := range clients() {
		if c.name == name {
			return c, nil
		}
	}
	return client{}, ErrClient
}

// Read reads the payload that a client gave to the hook of an event. The error is ErrClient,
// ErrForeign, or one of encoding/json for a text that is no JSON object.
func Read(name, event string, data []byte) (Event, error) {
	c, err := find(name)
	if err != nil {
		return Event{}, err
	}
	var m members
	if err := json.Unmarshal(data, &m); err != nil {
		var kind *json.UnmarshalTypeError
		if !errors.As(err, &kind) || kind.Field == "" { // the other members were read
			return Event{}, err
		}
	}
	if c.foreign(&m) {
		return Event{}, ErrForeign
	}
	e := m.event(c.events[event], event)
	if name == Qwen {
		e = qwens(e)
	}
	return e, nil
}

// qwens changes an event of Qwen Code. It runs the hook of a prompt again after each call of a tool, without
// the prompt, and its last message begins with the reasoning, without anything between.
func qwens(e Event) Event {
	if e.Kind == Prompt && e.Prompt == "" {
		e.Kind = Other
	}
	e.Final = ""
	return e
}

// Starts reports whether a client runs a hook at the start of a session; otherwise a session begins
// with its first prompt.
func Starts(name string) bool {
	c, err := find(name)
	return err == nil && slices.Contains(slices.Collect(maps.Values(c.events)), Start)
}

// Inject returns what the hook of an event prints to give a text to the agent. Clients refuse
// members that they do not know, and take anything else for an error.
func Inject(name, event, text string) ([]byte, error) {
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	return json.Marshal(c.inject(event, text))
}

// nested is the form that Claude Code introduced.
func nested(event, text string) any {
	type output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	return struct {
		Output output `json:"hookSpecificOutput"`
	}{output{event, text}}
}

func flat(_, text string) any {
	return struct {
		Context string `json:"additionalContext"`
	}{text}
}

func snake(_, text string) any {
	return struct {
		Context string `json:"additional_context"`
	}{text}
}

func plain(_, text string) any {
	return struct {
		Context string `json:"context"`
	}{text}
}
