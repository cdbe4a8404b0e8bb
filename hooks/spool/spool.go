// Package spool reads and writes the events of a session as lines of JSON, for the clients that
// keep no transcript that could be read: what their hooks are told is collected in a file,
// which then is the transcript.
//
// A line is an object. The member "kind" is one of:
//
//	prompt   text, and beside if it came while the agent worked
//	text     text of the agent; answer, model
//	call     of a tool: call, tool, argument, class (looks or shell), files, change; answer, model
//	result   of the call of that id: text, failed
//	usage    tokens of answer
//	stop     the turn has ended
//	seen     ids: of lines that were read and dropped
//
// Each has the id of its record in the client and a time, see agent.Event for their meaning.
// The session is that of the reader. Members that are empty are left out.
package spool

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// line is one line.
type line struct {
	Kind     string    `json:"kind"`
	ID       string    `json:"id,omitempty"`
	Time     time.Time `json:"time,omitzero"`
	Text     string    `json:"text,omitempty"`
	Beside   bool      `json:"beside,omitempty"`
	Answer   string    `json:"answer,omitempty"`
	Model    string    `json:"model,omitempty"`
	Call     string    `json:"call,omitempty"`
	Tool     string    `json:"tool,omitempty"`
	Argument string    `json:"argument,omitempty"`
	Class    string    `json:"class,omitempty"`
	Files    []string  `json:"files,omitempty"`
	Change   string    `json:"change,omitempty"`
	Failed   bool      `json:"failed,omitempty"`
	Tokens   int64     `json:"tokens,omitempty"`
	IDs      []string  `json:"ids,omitempty"`
}

// seen is the kind of the line that Seen returns.
const seen = "seen"

func kinds() map[string]agent.Kind {
	return map[string]agent.Kind{"prompt": agent.Prompt, "text": agent.Text, "call": agent.Call, "result": agent.Result,
		"usage": agent.Usage, "stop": agent.Stop}
}

func classes() map[string]agent.Class {
	return map[string]agent.Class{"": agent.Other, "looks": agent.Looks, "shell": agent.Shell}
}

// name returns the key of a value.
func name[V comparable](names map[string]V, value V) string {
	for n, v := range names {
		if v == value {
			return n
		}
	}
	return ""
}

// Line returns the line of an event, with its newline.
func Line(e agent.Event) ([]byte, error) {
	return encode(line{Kind: name(kinds(), e.Kind), ID: e.ID, Time: e.Time, Text: e.Text, Beside: e.Beside, Answer: e.Answer, Model: e.Model,
		Call: e.Call, Tool: e.Tool, Argument: e.Argument, Class: name(classes(), e.Class), Files: e.Files, Change: e.Change,
		Failed: e.Failed, Tokens: e.Tokens})
}

// Seen returns a line that keeps the ids of lines that are dropped, so that IDs still reports them.
func Seen(ids []string) ([]byte, error) { return encode(line{Kind: seen, IDs: ids}) }

func encode(l line) ([]byte, error) {
	data, err := json.Marshal(l)
	return append(data, '\n'), err
}

// IDs returns the ids of all lines, those of dropped ones first.
func IDs(data []byte) (ids []string) {
	for text := range strings.Lines(string(data)) {
		var l struct {
			ID  string   `json:"id"`
			IDs []string `json:"ids"`
		}
		if agent.Unmarshal([]byte(text), &l) != nil {
			continue // torn
		}
		if ids = append(ids, l.IDs...); l.ID != "" {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// Has reports whether IDs reports an id, which is all that is looked at: a file may be a megabyte,
// and a client waits.
func Has(data []byte, id string) bool {
	quoted, err := json.Marshal(id)
	if err != nil {
		return false
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if ids, ok := bytes.CutPrefix(first, []byte(`{"kind":"`+seen+`","ids":`)); ok && bytes.Contains(ids, quoted) {
		return true
	}
	return bytes.Contains(data, append([]byte(`"id":`), quoted...)) // a text has no quote without an escape
}

// Decode reads lines and calls emit for each finished step; see agent.Decode.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	sub := strings.Contains(start.Session, "/")
	return agent.Decode(r, start, func(t *agent.Thread, text []byte) { add(t, text, sub) }, emit)
}

// add adds the event of a line. Prompts of a subagent's are tasks.
func add(t *agent.Thread, text []byte, sub bool) {
	var l line
	if agent.Unmarshal(text, &l) != nil {
		t.Broken()
		return
	}
	kind, known := kinds()[l.Kind]
	switch {
	case l.Kind == seen:
		t.Own()
		return
	case !known:
		t.Unknown(l.Kind)
		return
	}
	t.Own()
	if t.Seen(l.ID) {
		return
	}
	t.Add(agent.Event{Kind: kind, ID: l.ID, Time: l.Time, Text: l.Text, Task: sub && kind == agent.Prompt, Beside: l.Beside,
		Answer: l.Answer, Model: l.Model, Call: l.Call, Tool: l.Tool, Argument: l.Argument, Class: classes()[l.Class],
		Files: l.Files, Change: l.Change, Failed: l.Failed, Tokens: l.Tokens})
}
