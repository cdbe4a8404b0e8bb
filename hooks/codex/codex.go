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
//     and end a turn, token_count sums the tokens of the session. Some programs write rollouts
//     without these: there, what the user typed is in the messages of the role user.
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

type decoder struct {
	session, dir, model string

	begun  bool   // the header was read
	sub    bool   // the session is a subagent's
	fork   string // the id of the session, if it is a fork
	copied bool   // the records are those of the fork's origin

	shows   bool        // there are records of a user interface, which have the prompts
	asked   agent.Event // a message of the role user that no such record followed so far
	askedAt int64       // where its record begins

	turns    bool   // there are records of the beginning and the end of turns
	prompted bool   // the turn has a prompt
	said     string // the prompt, which two types of records may have

	tokens int64 // so far
	total  int64 // the sum of token_count before
	each   bool  // there are token_usage_records
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var r record
	if !r.read(line) {
		t.Broken()
		return
	}
	switch r.Type {
	case "session_meta", "turn_context", "response_item", "event_msg", "compacted", "token_usage_record":
		t.Own()
	case "world_state", "inter_agent_communication", "inter_agent_communication_metadata", "realtime_item",
		"security_risk_score", "ghost_snapshot":
		return
	default:
		t.Unknown(r.Type)
		return
	}
	t.Time(agent.ParseTime(r.Timestamp))
	if r.Type == "event_msg" {
		d.shows, d.asked = true, agent.Event{}
	}
	if shown(&r) {
		return
	}
	var p payload
	r.Payload.Members(p.read)
	switch r.Type {
	case "session_meta":
		d.header(t, &p)
		return
	case "turn_context":
		d.turn(&p)
		if !d.copied {
			t.Set("approval", p.Approval)
			t.Set("sandbox", p.Sandbox)
		}
		return
	}
	if r.Kind == "task_started" || r.Kind == "turn_started" {
		d.turn(&p)
	}
	if d.copied {
		t.Copied()
		return
	}
	d.content(t, &r, &p, line)
}

// shown reports whether a record only shows what another has: most of a rollout's bytes.
func shown(r *record) bool {
	switch r.Type {
	case "event_msg":
		switch r.Kind {
		case "user_message", "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted",
			"thread_rolled_back", "token_count":
			return false
		case "item_completed":
			return !bytes.Contains(r.Payload, []byte("UserMessage"))
		}
		return true
	case "response_item":
		return r.Kind == "reasoning"
	}
	return false
}

// header reads the first session_meta; others are those of a fork's origin, or repeat it.
func (d *decoder) header(t *agent.Thread, p *payload) {
	if d.begun {
		if d.fork != "" && p.ID != d.fork {
			t.Copied()
		}
		return
	}
	d.begun = true
	d.dir = cmp.Or(d.dir, p.Dir)
	t.In(p.Dir)
	d.session = cmp.Or(p.ID, p.Session, d.session)
	if d.sub = p.Thread == "subagent" || p.Parent != "" || bytes.Contains(p.Source, []byte(`"subagent"`)); d.sub {
		if parent := cmp.Or(p.Parent, p.Session); parent != "" && parent != p.ID {
			d.session = parent + "/" + p.ID
		}
	}
	if p.Forked != "" {
		d.fork = p.ID
	}
}

// turn notes the turn that begins: its model, and whether it is a copy.
func (d *decoder) turn(p *payload) {
	d.model = cmp.Or(p.Model, d.model)
	if d.fork != "" && ordered(p.TurnID) && ordered(d.fork) {
		d.copied = p.TurnID < d.fork
	}
}

// ordered reports whether an id is a UUID of version 7.
func ordered(id string) bool { return len(id) == 36 && id[14] == '7' }

// content decodes what belongs to the thread.
func (d *decoder) content(t *agent.Thread, r *record, p *payload, line []byte) {
	e := agent.Event{ID: id(r, p, line), Session: d.session, Time: agent.ParseTime(r.Timestamp), Model: d.model}
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
func id(r *record, p *payload, line []byte) string {
	switch {
	case p.Item.ID != "":
		return p.Item.ID
	case p.ID != "":
		return p.ID
	case p.CallID != "":
		return p.CallID
	case r.Ordinal != nil:
		return string(r.Ordinal)
	}
	return fmt.Sprintf("%.8x", sha256.Sum256(line))
}

func (d *decoder) used(t *agent.Thread, e agent.Event) {
	e.Kind, e.Tokens = agent.Usage, d.tokens
	t.Add(e)
}

// item decodes what the model was sent, or answered.
func (d *decoder) item(t *agent.Thread, p *payload, e agent.Event) {
	if p.Role == "user" && !d.shows {
		d.ask(t, p, e)
		return
	}
	if e.Call = p.CallID; d.asked.Text != "" {
		asked := d.asked
		d.asked = agent.Event{}
		t.Since(d.askedAt, func() { d.prompt(t, asked, asked.Text) })
	}
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

// ask remembers a message of the role user: it is the prompt, unless the client wrote it, or a record of the
// user interface follows, which has it too.
func (d *decoder) ask(t *agent.Thread, p *payload, e agent.Event) {
	said := strings.TrimSpace(text(p.Content))
	if !strings.HasPrefix(said, "<") && !strings.HasPrefix(said, "# AGENTS.md instructions") {
		d.asked, d.askedAt = e, t.At()
		d.asked.Text = said
	}
}

// message decodes what the user interface shows, as far as it is nowhere else.
func (d *decoder) message(t *agent.Thread, p *payload, e agent.Event) {
	switch p.Type {
	case "user_message":
		d.prompt(t, e, p.Message)
	case "item_completed":
		if p.Item.Type == "UserMessage" {
			d.prompt(t, e, text(p.Said))
		}
	case "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted", "thread_rolled_back":
		d.turns, d.prompted, d.said = true, false, ""
		e.Kind, e.Cut = agent.Stop, p.Type == "turn_aborted"
		t.Add(e)
	case "token_count":
		if d.each {
			return
		}
		total := p.Total.sum()
		if total != d.total { // the same numbers come again
			d.tokens += p.Last.sum()
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
