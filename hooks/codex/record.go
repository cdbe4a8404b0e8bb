package codex

import (
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// record is a line, of whose payload only the type is read.
type record struct {
	Type, Kind, Timestamp string
	Ordinal, Payload      agent.Value
}

// read reads a line and reports whether it is a record.
func (r *record) read(line agent.Value) bool {
	whole := line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "type":
			r.Type = v.Text()
		case "timestamp":
			r.Timestamp = v.Text()
		case "ordinal":
			r.Ordinal = v
		case "payload":
			r.Payload = v
		}
	})
	r.Payload.Members(func(name []byte, v agent.Value) {
		if string(name) == "type" {
			r.Kind = v.Text()
		}
	})
	return whole
}

// payload has the members of all types of records.
type payload struct {
	Type, ID, TurnID string

	// Of session_meta and turn_context.
	Session, Parent, Forked, Thread, Dir, Model string
	Source                                      agent.Value
	Approval, Sandbox                           string

	// Of response_item.
	Role, CallID, Name, Namespace, Input string
	Arguments                            string // JSON
	Content                              []part
	Action, Output                       agent.Value

	// Of event_msg, compacted and token_usage_record.
	Message     string
	Item        struct{ Type, ID string }
	Said        []part // of the Item
	Total, Last usage
	Usage       usage
}

func (p *payload) read(name []byte, v agent.Value) {
	if text := p.text(name); text != nil {
		*text = v.Text()
		return
	}
	switch string(name) {
	case "source":
		p.Source = v
	case "sandbox_policy":
		p.Sandbox = v.Text()
		v.Members(func(name []byte, v agent.Value) {
			if string(name) == "type" || string(name) == "mode" {
				p.Sandbox = v.Text()
			}
		})
	case "content":
		p.Content = parts(v)
	case "action":
		p.Action = v
	case "output":
		p.Output = v
	case "item":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "type":
				p.Item.Type = v.Text()
			case "id":
				p.Item.ID = v.Text()
			case "content":
				p.Said = parts(v)
			}
		})
	case "info":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "total_token_usage":
				v.Members(p.Total.read)
			case "last_token_usage":
				v.Members(p.Last.read)
			}
		})
	case "usage":
		v.Members(p.Usage.read)
	}
}

// text is the text of that name, or nil.
func (p *payload) text(name []byte) *string {
	switch string(name) {
	case "type":
		return &p.Type
	case "id":
		return &p.ID
	case "turn_id":
		return &p.TurnID
	case "session_id":
		return &p.Session
	case "parent_thread_id":
		return &p.Parent
	case "forked_from_id":
		return &p.Forked
	case "thread_source":
		return &p.Thread
	case "cwd":
		return &p.Dir
	case "model":
		return &p.Model
	case "approval_policy":
		return &p.Approval
	case "role":
		return &p.Role
	case "call_id":
		return &p.CallID
	case "name":
		return &p.Name
	case "namespace":
		return &p.Namespace
	case "input":
		return &p.Input
	case "arguments":
		return &p.Arguments
	case "message":
		return &p.Message
	}
	return nil
}

type part struct{ Type, Text string }

func parts(v agent.Value) (all []part) {
	v.Elements(func(v agent.Value) {
		var p part
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "type":
				p.Type = v.Text()
			case "text":
				p.Text = v.Text()
			}
		})
		all = append(all, p)
	})
	return all
}

type usage struct{ Input, Cached, Output int64 }

func (u *usage) read(name []byte, v agent.Value) {
	switch string(name) {
	case "input_tokens":
		u.Input = v.Int()
	case "cached_input_tokens":
		u.Cached = v.Int()
	case "output_tokens":
		u.Output = v.Int()
	}
}

func (u usage) sum() int64 { return max(0, u.Input-u.Cached) + u.Output }

// text joins the texts of parts. Pictures are only named.
func text(parts []part) string {
	var all []string
	for _, p := range parts {
		switch {
		case strings.HasSuffix(p.Type, "image"):
			all = append(all, "[image]")
		case p.Text != "":
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}
