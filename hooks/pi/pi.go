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
	"io"
	"strconv"
	"strings"
	"time"

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
	Type, ID, Dir string

	At time.Time

	Message struct {
		Role, Model, Stop string
		Content           content
		Call              string // of a result
		Failed            bool
		Tokens            int64
	}
}

type block struct {
	Type, Text, ID, Name string
	Arguments            agent.Value
}

// content is a list of blocks, or a text, which is one block.
type content []block

// read reads a line and reports whether it is a record.
func (r *record) read(line agent.Value) bool {
	return line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "type":
			r.Type = v.Text()
		case "id":
			r.ID = v.Text()
		case "timestamp":
			r.At = agent.ParseTime(v.Text())
		case "cwd":
			r.Dir = v.Text()
		case "message":
			v.Members(r.message)
		}
	})
}

func (r *record) message(name []byte, v agent.Value) {
	m := &r.Message
	switch string(name) {
	case "role":
		m.Role = v.Text()
	case "model":
		m.Model = v.Text()
	case "stopReason":
		m.Stop = v.Text()
	case "toolCallId":
		m.Call = v.Text()
	case "isError":
		m.Failed = v.True()
	case "content":
		m.Content = blocks(v)
	case "usage":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "input", "output", "cacheWrite": // not what came from the cache
				m.Tokens += max(0, v.Int())
			}
		})
	}
}

func blocks(v agent.Value) (all content) {
	if len(v) > 0 && v[0] == '"' {
		return content{{Type: "text", Text: v.Text()}}
	}
	v.Elements(func(v agent.Value) {
		var b block
		v.Members(b.read)
		all = append(all, b)
	})
	return all
}

func (b *block) read(name []byte, v agent.Value) {
	switch string(name) {
	case "type":
		b.Type = v.Text()
	case "text":
		b.Text = v.Text()
	case "id":
		b.ID = v.Text()
	case "name":
		b.Name = v.Text()
	case "arguments":
		b.Arguments = v
	}
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
	if !r.read(line) {
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
	e := agent.Event{Kind: kind, ID: r.ID, Session: d.session, Time: r.At}
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
				e.Wrote(b.Arguments, agent.Written(b.Arguments, d.dir))
			}
		default: // thinking
			continue
		}
		e.Answer, e.Model = r.ID, m.Model
		t.Add(e)
	}
	e := d.event(r, agent.Usage, 0)
	e.Answer, e.Tokens = r.ID, m.Tokens
	t.Add(e)
	if ends {
		e := d.event(r, agent.Stop, 0)
		e.Cut = m.Stop == "aborted"
		t.Add(e)
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
