package gemini

import (
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// record is a line: a header, an update, or a message.
type record struct {
	Session, Project, Kind string      // of a header
	Set                    agent.Value // of an update
	Rewind                 string      // of an update
	message
}

type message struct {
	ID, Timestamp, Type, Content, Model string

	Tokens int64 // without those from a cache
	Calls  []call
}

// read reads a line and reports whether it is a record.
func (r *record) read(line agent.Value) bool {
	return line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "sessionId":
			r.Session = v.Text()
		case "projectHash":
			r.Project = v.Text()
		case "kind":
			r.Kind = v.Text()
		case "$set":
			r.Set = v
		case "$rewindTo":
			r.Rewind = v.Text()
		default:
			r.message.read(name, v)
		}
	})
}

func (m *message) read(name []byte, v agent.Value) {
	switch string(name) {
	case "id":
		m.ID = v.Text()
	case "timestamp":
		m.Timestamp = v.Text()
	case "type":
		m.Type = v.Text()
	case "content":
		m.Content = content(v)
	case "model":
		m.Model = v.Text()
	case "tokens":
		var input, cached int64
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "input":
				input = v.Int()
			case "cached":
				cached = v.Int()
			case "output", "thoughts":
				m.Tokens += v.Int()
			}
		})
		m.Tokens += max(0, input-cached)
	case "toolCalls":
		v.Elements(func(v agent.Value) {
			var c call
			v.Members(c.read)
			m.Calls = append(m.Calls, c)
		})
	}
}

// content joins the texts of a text, a part, or a list of parts.
func content(v agent.Value) string {
	if text := v.Text(); text != "" {
		return text
	}
	var all []string
	text := func(name []byte, v agent.Value) {
		if string(name) != "text" {
			return
		}
		if text := v.Text(); text != "" {
			all = append(all, text)
		}
	}
	v.Members(text)
	v.Elements(func(v agent.Value) { v.Members(text) })
	return strings.Join(all, "\n")
}

type call struct {
	ID, Name, Status, Timestamp string

	Args   agent.Value
	Result []string // what it printed, without what the client writes around it
}

func (c *call) read(name []byte, v agent.Value) {
	switch string(name) {
	case "id":
		c.ID = v.Text()
	case "name":
		c.Name = v.Text()
	case "status":
		c.Status = v.Text()
	case "timestamp":
		c.Timestamp = v.Text()
	case "args":
		c.Args = v
	case "result":
		v.Elements(func(v agent.Value) { v.Members(c.part) })
	}
}

// part reads a part of the result: {"text"}, or {"functionResponse": {"response": {...}}}.
func (c *call) part(name []byte, v agent.Value) {
	switch string(name) {
	case "functionResponse", "response":
		v.Members(c.part)
	case "text", "output":
		if text := v.Text(); text != "" {
			c.Result = append(c.Result, Printed(text))
		}
	case "error":
		if text := v.Text(); text != "" {
			c.Result = append(c.Result, "Error: "+strings.TrimPrefix(Printed(text), "Error: "))
		}
	}
}
