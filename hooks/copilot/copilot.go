// Package copilot decodes the transcripts of Copilot CLI, the files
// ~/.copilot/session-state/SESSION/events.jsonl. Their format was read off releases 1.0.45 and
// 1.0.102, and off the schema of session events that the latter installs.
//
// A line is a record {type, data, id, timestamp, parentId}. Those of a subagent are in the file of
// its session, and have its agentId. The types that become steps:
//
//   - session.start and session.resume name the session and its directory.
//   - user.message is a prompt, unless its source is the client, a skill or another agent. Its
//     content is what the user typed; transformedContent is what the model was sent, with the
//     context of hooks. Its delivery is idle, or steering or queued while the agent works.
//   - assistant.message is an answer, or a chunk of one: a text and toolRequests. One without
//     requests ends the turn. assistant.turn_start and turn_end are about single answers.
//   - tool.execution_complete is the result of a call.
//   - session.usage_record has the tokens of the answer that follows; older releases only have
//     outputTokens in the answer.
//   - abort and session.shutdown end a turn.
//
// The client writes the file about half a second late: at the end of a turn it may lack the end of
// the answer, and in a short session it may not exist.
package copilot

import (
	"cmp"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "copilot"

// Transcript returns the path of a session's transcript below the client's directory, such as
// ~/.copilot; "" for a session that is no name of a directory.
func Transcript(home, session string) string {
	if home == "" || session == "" || session == "." || session == ".." || strings.ContainsAny(session, "/\\:\x00") {
		return ""
	}
	return filepath.Join(home, "session-state", session, "events.jsonl")
}

// Decode reads a transcript and calls emit for each finished step; see agent.Decode. It gives the
// steps of a subagent where start.Session is "SESSION/AGENT", and otherwise those of the user.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{session: start.Session, dir: start.Dir}
	_, d.sub, _ = strings.Cut(start.Session, "/")
	return agent.Decode(r, start, d.record, emit)
}

type decoder struct{ session, sub, dir string }

func (d *decoder) record(t *agent.Thread, line []byte) {
	var r record
	if !r.read(line) {
		t.Broken()
		return
	}
	if r.Data == nil || r.ID == "" {
		t.Unknown(r.Type)
		return
	}
	switch r.Type {
	case "session.start", "session.resume", "user.message", "assistant.message", "tool.execution_complete", "session.usage_record",
		"abort", "session.shutdown":
		t.Own()
	default:
		if !passed(r.Type) {
			t.Unknown(r.Type)
		}
		return
	}
	r.Data.Members(r.datum)
	d.header(t, &r)
	if r.Agent != d.sub {
		t.Subagent()
		return
	}
	if !t.Seen(r.ID) {
		d.event(t, &r)
	}
}

// passed reports whether records of a type have nothing that becomes a step.
func passed(name string) bool {
	switch name {
	case "assistant.turn_start", "assistant.turn_end", "assistant.reasoning", "tool.execution_start", "tool.user_requested",
		"tool_search.activated", "human_response.recorded", "blob", "image", "audio":
		return true
	}
	family, _, _ := strings.Cut(name, ".")
	switch family { // new types of these appear with each release
	case "session", "hook", "permission", "mcp", "skill", "subagent", "system", "external_tool":
		return true
	}
	return strings.HasPrefix(name, "assistant.fusion_")
}

// header notes the session and its directory.
func (d *decoder) header(t *agent.Thread, r *record) {
	d.session = cmp.Or(d.session, r.Session)
	t.In(r.Dir)
	d.dir = cmp.Or(d.dir, r.Dir)
}

func (d *decoder) event(t *agent.Thread, r *record) {
	switch r.Type {
	case "user.message":
		d.prompt(t, r)
	case "assistant.message":
		d.answer(t, r)
	case "tool.execution_complete":
		e := d.of(r, agent.Result, 0)
		e.Call, e.Text, e.Failed = r.Call, r.result(), r.failed()
		t.Add(e)
	case "session.usage_record":
		e := d.of(r, agent.Usage, 0)
		e.Answer, e.Tokens = r.Answer, r.Tokens
		t.Add(e)
	case "abort", "session.shutdown":
		e := d.of(r, agent.Stop, 0)
		e.Cut = r.Type == "abort"
		t.Add(e)
	}
}

// of is an event of the record's part n.
func (d *decoder) of(r *record, kind agent.Kind, n int) agent.Event {
	e := agent.Event{Kind: kind, ID: r.ID, Session: d.session, Time: r.At}
	if n > 0 {
		e.ID += "/" + strconv.Itoa(n)
	}
	return e
}

// prompt adds what the user wrote, or what the subagent was told.
func (d *decoder) prompt(t *agent.Thread, r *record) {
	if r.Continues || d.sub == "" && injected(r.Source) {
		return
	}
	text := r.Content
	if strings.TrimSpace(text) == "" {
		text = agent.Strip(r.Transformed, "current_datetime", "system_reminder", "system_notification", "reminder", "tagged_files")
	}
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	e := d.of(r, agent.Prompt, 0)
	e.Text, e.Task, e.Beside = text, d.sub != "", r.Delivery == "steering" || r.Delivery == "queued"
	t.Add(e)
}

// injected reports whether a message of this source is not the user's.
func injected(source string) bool {
	for _, begin := range []string{"skill", "agent-", "system", "autopilot", "hook"} {
		if strings.HasPrefix(source, begin) {
			return true
		}
	}
	return false
}

func (d *decoder) answer(t *agent.Thread, r *record) {
	answer := cmp.Or(r.Answer, r.Message, r.ID)
	used := d.of(r, agent.Usage, 0)
	used.Answer, used.Tokens = answer, r.Tokens
	t.Add(used)
	said := d.of(r, agent.Text, 0)
	said.Text, said.Answer, said.Model = r.Content, answer, r.Model
	said.Final = len(r.Requests) == 0 && r.Chunk+1 >= r.Chunks
	t.Add(said)
	for n, c := range r.Requests {
		e := d.of(r, agent.Call, n+1)
		e.Call, e.Answer, e.Model = c.ID, answer, r.Model
		c.describe(&e, d.dir)
		t.Add(e)
	}
}
