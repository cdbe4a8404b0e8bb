// Package codex decodes the rollouts of Codex CLI, the files
// ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl. Their format is undocumented and
// changes; it was read off releases 0.40 to 0.169. What `codex exec --json` prints is
// another format.
//
// A line is a record {timestamp, type, payload}, since 2026 with an ordinal. The types:
//
//   - session_meta is the header: the session, its directory, and whose subagent or fork it is.
//   - turn_context names the model of a turn.
//   - response_item is what the model was sent and what it answered, as its API has it:
//     messages, function_call and custom_tool_call, their outputs, reasoning. Messages of the
//     role user are mostly the client's, such as <environment_context>.
//   - event_msg is what a user interface shows. What the user typed is in user_message, or in
//     item_completed with a UserMessage; task_started, task_complete and turn_aborted begin
//     and end a turn, token_count sums the tokens of the session.
//   - token_usage_record is the tokens of one answer.
//   - compacted has the summary that replaces the history. The model wrote it as a message.
//
// The output of a command begins with lines such as "Process exited with code 0", which
// become "Exit code 1", or nothing if it is 0.
//
// A subagent has a file of its own, whose session_meta names the session of its parent. A
// fork begins with a copy of its origin's records; their turns are older than the session,
// which their ids tell: they are UUIDs of version 7, which are in the order of time.
package codex

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "codex"

// Decode reads a rollout and calls emit for each finished step; see agent.Decode. The session
// of a step of a subagent is "SESSION/AGENT".
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{session: start.Session, dir: start.Dir, begun: start.Middle, sub: strings.Contains(start.Session, "/")}
	return agent.Decode(r, start, d.record, emit)
}

type record struct {
	Timestamp string  `json:"timestamp"`
	Ordinal   *int64  `json:"ordinal"`
	Type      string  `json:"type"`
	Payload   payload `json:"payload"`
}

// payload has the members of all types of records.
type payload struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	TurnID string `json:"turn_id"`

	// Of session_meta and turn_context.
	Session string          `json:"session_id"`
	Parent  string          `json:"parent_thread_id"`
	Forked  string          `json:"forked_from_id"`
	Thread  string          `json:"thread_source"`
	Source  json.RawMessage `json:"source"`
	Dir     string          `json:"cwd"`
	Model   string          `json:"model"`

	// Of response_item.
	Role      string          `json:"role"`
	Content   []part          `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"` // JSON
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`

	// Of event_msg, compacted and token_usage_record.
	Message string `json:"message"`
	Item    struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Content []part `json:"content"`
	} `json:"item"`
	Info struct {
		Total usage `json:"total_token_usage"`
		Last  usage `json:"last_token_usage"`
	} `json:"info"`
	Usage usage `json:"usage"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type usage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
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

type decoder struct {
	session, dir, model string

	begun  bool   // the header was read
	sub    bool   // the session is a subagent's
	fork   string // the id of the session, if it is a fork
	copied bool   // the records are those of the fork's origin

	turns    bool   // there are records of the beginning and the end of turns
	prompted bool   // the turn has a prompt
	said     string // the prompt, which two types of records may have

	tokens int64 // so far
	total  int64 // the sum of token_count before
	each   bool  // there are token_usage_records
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	if skipped(line) {
		return
	}
	var r record
	if agent.Unmarshal(line, &r) != nil {
		t.Broken()
		return
	}
	p := &r.Payload
	switch r.Type {
	case "session_meta":
		t.Own()
		d.header(t, p)
	case "turn_context":
		t.Own()
		d.turn(t, p)
	case "response_item", "event_msg", "compacted", "token_usage_record":
		t.Own()
		if r.Type == "event_msg" && (p.Type == "task_started" || p.Type == "turn_started") {
			d.turn(t, p)
		}
		if d.copied {
			t.Copied()
			return
		}
		t.Time(agent.ParseTime(r.Timestamp))
		d.content(t, &r, line)
	case "world_state", "inter_agent_communication", "inter_agent_communication_metadata", "realtime_item",
		"security_risk_score", "ghost_snapshot":
	default:
		t.Unknown(r.Type)
	}
}

// skipped passes over records that are long and without interest before they are decoded.
func skipped(line []byte) bool {
	begin := line[:min(len(line), 200)]
	return line[len(line)-1] == '}' && (bytes.Contains(begin, []byte(`"type":"world_state"`)) ||
		bytes.Contains(begin, []byte(`"type":"exec_command_end"`)))
}

func (d *decoder) header(t *agent.Thread, p *payload) {
	if d.begun {
		if d.fork != "" && p.ID != d.fork {
			t.Copied()
		}
		return
	}
	d.begun = true
	d.dir = cmp.Or(d.dir, p.Dir)
	if d.sub = p.Thread == "subagent" || p.Parent != "" || bytes.Contains(p.Source, []byte(`"subagent"`)); d.sub {
		if parent := cmp.Or(p.Parent, p.Session); parent != "" && parent != p.ID {
			d.session = parent + "/" + p.ID
		}
	}
	d.session = cmp.Or(d.session, p.ID, p.Session)
	if p.Forked != "" {
		d.fork = p.ID
	}
}

// turn notes the turn that begins: its model, and whether it is a copy.
func (d *decoder) turn(t *agent.Thread, p *payload) {
	d.model = cmp.Or(p.Model, d.model)
	if d.fork != "" && ordered(p.TurnID) && ordered(d.fork) {
		d.copied = p.TurnID < d.fork
	}
}

// ordered reports whether an id is a UUID of version 7.
func ordered(id string) bool { return len(id) == 36 && id[14] == '7' }

// content decodes what is no header.
func (d *decoder) content(t *agent.Thread, r *record, line []byte) {
	p := &r.Payload
	e := agent.Event{ID: d.id(r, line), Session: d.session, Time: agent.ParseTime(r.Timestamp), Model: d.model}
	switch r.Type {
	case "response_item":
		d.item(t, p, e)
	case "event_msg":
		d.message(t, p, e)
	case "compacted":
		t.DropText(func(text string) bool { return strings.Contains(p.Message, strings.TrimSpace(text)) })
	case "token_usage_record":
		d.each = true
		d.tokens += p.Usage.sum()
		d.used(t, e)
	}
}

// id is the record's own id, or its number, or else the hash of its line.
func (d *decoder) id(r *record, line []byte) string {
	p := &r.Payload
	switch {
	case p.Item.ID != "":
		return p.Item.ID
	case p.ID != "":
		return p.ID
	case p.CallID != "":
		return p.CallID
	case r.Ordinal != nil:
		return fmt.Sprint(*r.Ordinal)
	}
	return fmt.Sprintf("%.8x", sha256.Sum256(line))
}

func (d *decoder) used(t *agent.Thread, e agent.Event) {
	e.Kind, e.Tokens = agent.Usage, d.tokens
	t.Add(e)
}

// item decodes what the model was sent, or answered.
func (d *decoder) item(t *agent.Thread, p *payload, e agent.Event) {
	e.Call = p.CallID
	switch p.Type {
	case "message":
		if p.Role == "assistant" {
			e.Kind, e.Text = agent.Text, text(p.Content)
			t.Add(e)
		}
	case "function_call", "custom_tool_call", "local_shell_call":
		e.Kind = agent.Call
		d.call(p, &e)
		t.Add(e)
	case "function_call_output", "custom_tool_call_output":
		e.Kind = agent.Result
		e.Text, e.Failed = output(p.Output)
		t.Add(e)
	case "web_search_call": // has no output
		e.Kind, e.Call, e.Tool = agent.Call, e.ID, "web_search"
		e.Argument = agent.Argument(p.Action, d.dir)
		t.Add(e)
		t.Add(agent.Event{Kind: agent.Result, Call: e.ID, Time: e.Time})
	case "reasoning", "ghost_snapshot", "tool_search_call", "tool_search_output", "compaction", "compaction_summary",
		"context_compaction", "image_generation_call":
	default:
		t.Unknown(p.Type)
	}
}

// message decodes what the user interface shows, as far as it is nowhere else.
func (d *decoder) message(t *agent.Thread, p *payload, e agent.Event) {
	switch p.Type {
	case "user_message":
		d.prompt(t, e, p.Message)
	case "item_completed":
		if p.Item.Type == "UserMessage" {
			d.prompt(t, e, text(p.Item.Content))
		}
	case "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted", "thread_rolled_back":
		d.turns, d.prompted, d.said = true, false, ""
		e.Kind = agent.Stop
		t.Add(e)
	case "token_count":
		if d.each {
			return
		}
		total := p.Info.Total.sum()
		if total != d.total { // the same numbers come again
			d.tokens += p.Info.Last.sum()
			d.total = total
			d.used(t, e)
		}
	}
}

// prompt adds what the user typed.
func (d *decoder) prompt(t *agent.Thread, e agent.Event, text string) {
	if _, request, ok := strings.Cut(text, "## My request for Codex:"); ok { // what an editor adds is before it
		text = request
	}
	text = strings.TrimSpace(text)
	if text == "" || d.turns && text == d.said {
		return
	}
	e.Kind, e.Text, e.Task, e.Beside = agent.Prompt, text, d.sub, d.turns && d.prompted
	d.said, d.prompted = text, true
	t.Add(e)
}
