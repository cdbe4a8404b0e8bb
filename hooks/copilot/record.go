package copilot

import (
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// record is what is of interest of a line, and of its data.
type record struct {
	Type, ID string
	Agent    string // whose record it is; empty: the session's own
	At       time.Time
	Data     agent.Value

	Session, Dir string // of a header

	Content, Transformed, Source, Delivery string // of a prompt
	Continues                              bool   // the client wrote it, to go on

	Message, Answer, Model string // of an answer
	Requests               []call
	Chunk, Chunks          int64
	Tokens                 int64

	Call       string // of a result
	Failed     bool
	Exit       int64
	Result     string // what the tool printed
	ResultType string // of older releases
	Error      string
}

// read reads a line and reports whether it is a record.
func (r *record) read(line agent.Value) bool {
	return line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "type":
			r.Type = v.Text()
		case "id":
			r.ID = v.Text()
		case "agentId":
			r.Agent = v.Text()
		case "timestamp":
			r.At = agent.ParseTime(v.Text())
		case "data":
			if len(v) > 0 && v[0] == '{' {
				r.Data = v
			}
		}
	})
}

// datum reads a member of the data.
func (r *record) datum(name []byte, v agent.Value) {
	switch string(name) {
	case "sessionId":
		r.Session = v.Text()
	case "content":
		r.Content = v.Text()
	case "transformedContent":
		r.Transformed = v.Text()
	case "source":
		r.Source = v.Text()
	case "delivery":
		r.Delivery = v.Text()
	case "isAutopilotContinuation":
		r.Continues = v.True()
	case "messageId":
		r.Message = v.Text()
	case "apiCallId":
		r.Answer = v.Text()
	case "model":
		r.Model = v.Text()
	case "chunkIndex":
		r.Chunk = v.Int()
	case "chunkCount":
		r.Chunks = v.Int()
	case "outputTokens":
		r.Tokens = max(0, v.Int())
	case "toolCallId":
		r.Call = v.Text()
	case "parentToolCallId": // older releases name a subagent by the call that began it
		if r.Agent == "" {
			r.Agent = v.Text()
		}
	case "success":
		r.Failed = string(v) == "false"
	default:
		r.nested(name, v)
	}
}

// nested reads a member of the data that has members.
func (r *record) nested(name []byte, v agent.Value) {
	switch string(name) {
	case "context":
		v.Members(func(name []byte, v agent.Value) {
			if string(name) == "cwd" {
				r.Dir = v.Text()
			}
		})
	case "usage":
		v.Members(r.used)
	case "toolRequests":
		v.Elements(func(v agent.Value) {
			var c call
			v.Members(c.read)
			r.Requests = append(r.Requests, c)
		})
	case "shellExecution":
		v.Members(func(name []byte, v agent.Value) {
			if string(name) == "exitCode" {
				r.Exit = v.Int()
			}
		})
	case "error":
		v.Members(func(name []byte, v agent.Value) {
			if string(name) == "message" {
				r.Error = v.Text()
			}
		})
	case "result":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "content", "text_result_for_llm":
				r.Result = v.Text()
			case "result_type":
				r.ResultType = v.Text()
			}
		})
	}
}

// used reads the tokens of a usage: the client counts those from its cache as input, too.
func (r *record) used(name []byte, v agent.Value) {
	switch string(name) {
	case "inputTokens", "outputTokens":
		r.Tokens += max(0, v.Int())
	case "cacheReadTokens":
		r.Tokens -= max(0, v.Int())
	case "apiCallId":
		r.Answer = v.Text()
	}
}
