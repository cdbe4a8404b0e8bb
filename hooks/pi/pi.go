// Package pi reads the sessions of pi, ~/.pi/agent/sessions/--PATH--/TIME_ID.jsonl.
//
// A line is a record. The first is of the type session and names the session and its
// directory. Those of the type message have an id, a timestamp, and a message of the role user,
// assistant or toolResult, whose content is a list of blocks: text, thinking, toolCall. A
// stopReason other than toolUse ends the turn. What extensions inject is of the type
// custom_message, and left out. The records are a tree by parentId: after a rewind, those of
// both attempts follow each other, and both happened.
package pi

import (
	"cmp"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "pi"

// Decode reads a session and calls emit for each finished step; see agent.Decode.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{session: start.Session, dir: start.Dir}
	return agent.Decode(r, start, d.record, emit)
}

type decoder struct{ session, dir string }

type record struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Dir       string `json:"cwd"`
	Message   struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
		Model   string  `json:"model"`
		Stop    string  `json:"stopReason"`
		Call    string  `json:"toolCallId"`
		Failed  bool    `json:"isError"`
		Usage   struct {
			Input  int64 `json:"input"`
			Output int64 `json:"output"`
			Cached int64 `json:"cacheWrite"`
		} `json:"usage"`
	} `json:"message"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// content is a list of blocks, or a text, which is one block.
type content []block

// UnmarshalJSON never fails: a record of another shape still has its other members.
func (c *content) UnmarshalJSON(data []byte) error {
	*c = nil
	switch data[0] {
	case '"':
		*c = content{{Type: "text"}}
		_ = json.Unmarshal(data, &(*c)[0].Text)
	case '[':
		var blocks []block
		_ = agent.Unmarshal(data, &blocks)
		*c = blocks
	}
	return nil
}

func (c content) text() string {
	var all []string
	for _, b := range c {
		switch b.Type {
		case "text":
			all = append(all, b.Text)
		case "image":
			all = append(all, "[image]")
		}
	}
	return strings.Join(all, "\n")
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var r record
	if agent.Unmarshal(line, &r) != nil {
		t.Broken()
		return
	}
	switch r.Type {
	case "session":
		if r.ID == "" {
			t.Unknown(r.Type)
			return
		}
		t.Own()
		t.In(r.Dir)
		d.session, d.dir = cmp.Or(d.session, r.ID), cmp.Or(d.dir, r.Dir)
	case "message":
		if !t.Seen(r.ID) {
			d.message(t, &r)
		}
	case "custom_message", "custom", "model_change", "thinking_level_change", "compaction", "branch_summary", "label", "session_info":
	default:
		t.Unknown(r.Type)
	}
}

// event is an event of the record's block n.
func (d *decoder) event(r *record, kind agent.Kind, n int) agent.Event {
	e := agent.Event{Kind: kind, ID: r.ID, Session: d.session, Time: agent.ParseTime(r.Timestamp)}
	if n > 0 {
		e.ID += "/" + strconv.Itoa(n)
	}
	return e
}

func (d *decoder) message(t *agent.Thread, r *record) {
	m := &r.Message
	switch m.Role {
	case "user":
		if text := strings.TrimSpace(m.Content.text()); text != "" {
			e := d.event(r, agent.Prompt, 0)
			e.Text = text
			t.Add(e)
		}
	case "assistant":
		d.answer(t, r)
	case "toolResult":
		e := d.event(r, agent.Result, 0)
		e.Call, e.Text, e.Failed = m.Call, m.Content.text(), m.Failed
		t.Add(e)
	case "bashExecution", "custom", "branchSummary", "compactionSummary":
	default:
		t.Unknown("message " + m.Role)
	}
}

func (d *decoder) answer(t *agent.Thread, r *record) {
	m := &r.Message
	ends := m.Stop != "" && m.Stop != "toolUse"
	for n, b := range m.Content {
		var e agent.Event
		switch b.Type {
		case "text":
			e = d.event(r, agent.Text, n)
			e.Text, e.Final = b.Text, ends
		case "toolCall":
			e = d.event(r, agent.Call, n)
			e.Call, e.Tool, e.Class = b.ID, b.Name, class(b.Name)
			e.Argument = agent.Argument(b.Arguments, d.dir)
			if b.Name == "write" || b.Name == "edit" {
				e.Files = agent.Written(b.Arguments, d.dir)
			}
		default: // thinking
			continue
		}
		e.Answer, e.Model = r.ID, m.Model
		t.Add(e)
	}
	e := d.event(r, agent.Usage, 0)
	e.Answer, e.Tokens = r.ID, m.Usage.Input+m.Usage.Output+m.Usage.Cached
	t.Add(e)
	if ends {
		t.Add(d.event(r, agent.Stop, 0))
	}
}

func class(tool string) agent.Class {
	switch tool {
	case "bash":
		return agent.Shell
	case "read", "grep", "find", "ls":
		return agent.Looks
	}
	return agent.Other
}
