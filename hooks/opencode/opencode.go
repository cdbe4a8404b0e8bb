// Package opencode reads the events of a session of OpenCode: what our plugin gives to its hooks,
// and what `opencode export SESSION` prints. OpenCode itself keeps sessions in a database. The
// forms were read off release 1.18.
//
// An export is an object {info, messages}; info has the id of the session, that of its parent
// and the directory. A message is {info, parts}: its info has an id, a role, a modelID; a part
// has an id and a type:
//
//   - text: of the user's or of the agent. What a program added is synthetic or ignored.
//   - tool: a call, {tool, callID, state}. The state has a status (pending, running, completed,
//     error), the input, and the output or error.
//   - step-finish: the tokens of an answer, and the reason of its end, stop for the last of a turn.
//
// Decode takes the same as lines, too: the first of {info}, and one for each message.
package opencode

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "opencode"

// mostExport is the size in bytes above which an export is not read.
const mostExport = 256 << 20

// Decode reads an export and calls emit for each finished step; see agent.Decode. The session
// of a subagent is "PARENT/SESSION".
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostExport))
	if err != nil {
		return &agent.Report{}, err
	}
	d := &decoder{session: start.Session, dir: start.Dir}
	report, err := agent.Decode(bytes.NewReader(lines(text)), start, d.record, emit)
	if err == nil && !d.own && len(bytes.TrimSpace(text)) > 0 { // a document of another kind looks as if it were torn
		err = agent.ErrForeign
	}
	return report, err
}

// lines are the lines of an export; another text is what it is.
func lines(text []byte) []byte {
	var all [][]byte
	add := func(prefix string, v agent.Value, suffix string) {
		all = append(all, slices.Concat([]byte(prefix), bytes.ReplaceAll(v, []byte("\n"), nil), []byte(suffix+"\n")))
	}
	isExport := false
	whole := agent.Value(bytes.TrimSpace(text)).Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "info":
			add(`{"info":`, v, "}")
		case "messages":
			isExport = v.Elements(func(v agent.Value) { add("", v, "") })
		}
	})
	if !whole || !isExport {
		return text
	}
	return slices.Concat(all...)
}

type decoder struct {
	session, dir string
	own          bool // there was a record of the client
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var m message
	if !m.read(line) {
		t.Broken()
		return
	}
	switch {
	case m.Role != "" && m.ID != "":
		t.Own()
		d.own = true
		if t.Seen(m.ID) {
			return
		}
		for _, e := range m.events(d.dir, func(kind string) { t.Unknown(kind) }) {
			e.Session, e.Task = d.session, e.Kind == agent.Prompt && strings.Contains(d.session, "/")
			t.Add(e)
		}
	case strings.HasPrefix(m.ID, "ses_"):
		t.Own()
		d.own = true
		t.In(m.Dir)
		if d.dir == "" {
			d.dir = m.Dir
		}
		if d.session = m.ID; m.Parent != "" {
			d.session = m.Parent + "/" + m.ID
		}
	default:
		t.Unknown(m.Role)
	}
}

// Events are those of a hook that our plugin calls: of a prompt {prompt, message_id}, at other
// events {messages}, with the parts that are new or have ended, and at the end of a turn its end.
func Events(event string, payload []byte) (events []agent.Event) {
	var dir, prompt, id string
	var messages []message
	agent.Value(bytes.TrimSpace(payload)).Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "cwd":
			dir = v.Text()
		case "prompt":
			prompt = v.Text()
		case "message_id":
			id = v.Text()
		case "messages":
			v.Elements(func(v agent.Value) {
				var m message
				if m.read(v) {
					messages = append(messages, m)
				}
			})
		}
	})
	if event == "prompt" {
		if prompt = typed(prompt); prompt != "" && id != "" {
			events = append(events, agent.Event{Kind: agent.Prompt, ID: id, Text: prompt})
		}
		return events
	}
	for _, m := range messages {
		events = append(events, m.events(dir, func(string) {})...)
	}
	if n := len(events); event == "turn-end" && (n == 0 || events[n-1].Kind != agent.Stop) {
		events = append(events, agent.Event{Kind: agent.Stop})
	}
	return events
}

// typed is what the user typed: `opencode run` puts a prompt of several words in quotes.
func typed(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	if inner, ok := strings.CutPrefix(prompt, `"`); ok && strings.HasSuffix(inner, `"`) && strings.Count(inner, `"`) == 1 {
		return strings.TrimSpace(strings.TrimSuffix(inner, `"`))
	}
	return prompt
}
