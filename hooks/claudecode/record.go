package claudecode

import (
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// record is what is of interest of a line.
type record struct {
	Type, UUID, Session, Dir, AgentID, Mode string

	At time.Time

	Sidechain bool // of a subagent
	Meta      bool // added by the client
	Summary   bool // of the compacted session
	Shown     bool // to the user alone
	APIError  bool

	Origin     string // of a prompt
	Forked     struct{ Session, UUID string }
	Attachment struct {
		Type, Mode string
		Prompt     content
	}
	Message struct {
		ID, Model, StopReason string
		Content               content
		Tokens                int64
	}
}

type block struct {
	Type, Text, ID, Name string
	Input                agent.Value
	CallID               string // of a result
	Content              content
	Failed               bool
}

// content is a text or a list of blocks; a text is one block. Anything else has none.
type content []block

// read reads a line and reports whether it is a record.
func (r *record) read(line agent.Value) bool {
	return line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "type":
			r.Type = v.Text()
		case "uuid":
			r.UUID = v.Text()
		case "sessionId":
			r.Session = v.Text()
		case "timestamp":
			r.At = agent.ParseTime(v.Text())
		case "cwd":
			r.Dir = v.Text()
		case "permissionMode":
			r.Mode = v.Text()
		case "agentId":
			r.AgentID = v.Text()
		case "isSidechain":
			r.Sidechain = v.True()
		case "isMeta":
			r.Meta = v.True()
		case "isCompactSummary":
			r.Summary = v.True()
		case "isVisibleInTranscriptOnly":
			r.Shown = v.True()
		case "isApiErrorMessage":
			r.APIError = v.True()
		default:
			r.nested(name, v)
		}
	})
}

// nested reads a member that has members.
func (r *record) nested(name []byte, v agent.Value) {
	switch string(name) {
	case "message":
		v.Members(r.message)
	case "origin":
		v.Members(func(name []byte, v agent.Value) {
			if string(name) == "kind" {
				r.Origin = v.Text()
			}
		})
	case "forkedFrom":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "sessionId":
				r.Forked.Session = v.Text()
			case "messageUuid":
				r.Forked.UUID = v.Text()
			}
		})
	case "attachment":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "type":
				r.Attachment.Type = v.Text()
			case "commandMode":
				r.Attachment.Mode = v.Text()
			case "prompt":
				r.Attachment.Prompt = blocks(v)
			}
		})
	}
}

func (r *record) message(name []byte, v agent.Value) {
	m := &r.Message
	switch string(name) {
	case "id":
		m.ID = v.Text()
	case "model":
		m.Model = v.Text()
	case "stop_reason":
		m.StopReason = v.Text()
	case "content":
		m.Content = blocks(v)
	case "usage":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "input_tokens", "cache_creation_input_tokens", "output_tokens": // not what came from the cache
				m.Tokens += max(0, v.Int())
			}
		})
	}
}

// blocks reads a content.
func blocks(v agent.Value) content {
	if len(v) > 0 && v[0] == '"' {
		return content{{Type: "text", Text: v.Text()}}
	}
	all := content{}
	if !v.Elements(func(v agent.Value) {
		var b block
		v.Members(b.read)
		all = append(all, b)
	}) {
		return nil
	}
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
	case "input":
		b.Input = v
	case "tool_use_id":
		b.CallID = v.Text()
	case "content":
		b.Content = blocks(v)
	case "is_error":
		b.Failed = v.True()
	}
}

// text joins the texts of blocks. Pictures are only named.
func (c content) text() string {
	var all []string
	for _, b := range c {
		switch {
		case b.Type == "text" && !strings.HasPrefix(b.Text, "agentId: "): // how to address a subagent
			all = append(all, b.Text)
		case b.Type == "image":
			all = append(all, "[image]")
		}
	}
	return strings.Join(all, "\n")
}

// origin gives a record that a fork copied the names that it has in the origin.
func (r *record) origin() {
	if r.Forked.Session == "" {
		return
	}
	r.Session = r.Forked.Session
	if r.Forked.UUID != "" {
		r.UUID = r.Forked.UUID
	}
}
