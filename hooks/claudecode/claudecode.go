// Package claudecode decodes the transcripts of Claude Code, the files
// ~/.claude/projects/PROJECT/SESSION.jsonl. Their format is undocumented and changes; it was
// read off releases 1.0 to 2.1.
//
// A line is a record. Those of the types user and assistant have a uuid, a sessionId, a
// timestamp, and a message as the API knows it, whose content is a text or a list of blocks:
// text, tool_use, tool_result, thinking. An answer of the model becomes a record for each
// block, with the same message.id and the same usage; an earlier record may have a part of a
// block, and smaller numbers. message.stop_reason tells whether an answer ends the turn;
// older releases write null.
//
// What a user record contains is not always the user's: tool results are user records,
// isMeta marks what the client added, isCompactSummary the summary that begins a compacted
// session, and elements such as <command-name> and <system-reminder> wrap what else is not
// typed. Records with isSidechain are a subagent's; a file of its own has nothing else.
// Records that a fork copied name their origin in forkedFrom, those of older releases repeat
// the uuid.
//
// After a rewind, the records of both attempts follow each other: both happened, and both
// become steps.
package claudecode

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "claude-code"

// Decode reads a transcript and calls emit for each finished step; see agent.Decode. The
// session of a step of a subagent is "SESSION/AGENT".
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{start: start, begun: start.Middle, sub: strings.Contains(start.Session, "/"), dir: start.Dir}
	return agent.Decode(r, start, d.record, emit)
}

type decoder struct {
	start agent.Start
	begun bool
	sub   bool   // the file is a subagent's
	dir   string // where the session began
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var r record
	if !r.read(line) {
		t.Broken()
		return
	}
	switch r.Type {
	case "user", "assistant":
		if r.Message.Content == nil || r.UUID == "" && r.Session == "" {
			t.Unknown(r.Type)
			return
		}
		t.Own()
		d.message(t, &r)
	case "attachment":
		d.queued(t, &r)
	case "system", "summary", "queue-operation", "last-prompt", "mode", "permission-mode", "progress",
		"file-history-snapshot", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "tag",
		"pr-link", "cost-state", "saved_hook_context", "content-replacement", "attribution-snapshot", "speculation-accept",
		"worktree-state", "marble-origami-commit", "marble-origami-snapshot", "task-summary":
	default:
		t.Unknown(r.Type)
	}
}

// message decides whose thread a record belongs to.
func (d *decoder) message(t *agent.Thread, r *record) {
	if !d.begun {
		d.begun, d.sub = true, r.Sidechain
	}
	d.dir = cmp.Or(d.dir, r.Dir)
	t.In(r.Dir)
	if r.Mode != "" {
		t.Set("permissions", strings.TrimPrefix(r.Mode, "default"))
	}
	if r.Sidechain != d.sub {
		t.Subagent()
		return
	}
	r.origin()
	if t.Seen(r.UUID) {
		return
	}
	if r.Type == "assistant" {
		d.answer(t, r)
		return
	}
	d.user(t, r)
}

// event is an event of the record's block n.
func (d *decoder) event(r *record, kind agent.Kind, n int) agent.Event {
	e := agent.Event{Kind: kind, ID: r.UUID, Session: r.Session, Time: r.At, Copied: r.Forked.Session != ""}
	if n > 0 {
		e.ID += "/" + strconv.Itoa(n)
	}
	if r.Sidechain && r.Session != "" && r.AgentID != "" {
		e.Session += "/" + r.AgentID
	} else if d.sub && strings.Contains(d.start.Session, "/") {
		e.Session = d.start.Session
	}
	return e
}

func (d *decoder) answer(t *agent.Thread, r *record) {
	m := &r.Message
	if r.APIError || m.Model == "<synthetic>" {
		return // words of the client
	}
	ends := m.StopReason != "" && m.StopReason != "tool_use" && m.StopReason != "pause_turn"
	used := d.event(r, agent.Usage, 0)
	used.Answer, used.Tokens = m.ID, m.Tokens
	t.Add(used)
	for n, b := range m.Content {
		var e agent.Event
		switch b.Type {
		case "text":
			e = d.event(r, agent.Text, n)
			e.Text, e.Final = b.Text, ends
		case "tool_use":
			e = d.event(r, agent.Call, n)
			e.Call, e.Tool, e.Class = b.ID, b.Name, class(b.Name)
			e.Argument = agent.Argument(b.Input, d.dir)
			if writes(b.Name) {
				e.Wrote(b.Input, agent.Written(b.Input, d.dir))
			}
		default: // thinking, and what the API ran itself
			continue
		}
		e.Answer, e.Model = m.ID, m.Model
		t.Add(e)
	}
}

func class(tool string) agent.Class {
	switch tool {
	case "Bash", "PowerShell":
		return agent.Shell
	case "Read", "Grep", "Glob", "LS", "NotebookRead", "LSP", "BashOutput", "TaskOutput", "TaskList", "TaskGet",
		"ListMcpResourcesTool", "ReadMcpResourceTool":
		return agent.Looks
	}
	return agent.Other
}

func writes(tool string) bool {
	return tool == "Write" || tool == "Edit" || tool == "MultiEdit" || tool == "NotebookEdit"
}

// user adds the results of tools and what the user wrote.
func (d *decoder) user(t *agent.Thread, r *record) {
	var typed content
	for n, b := range r.Message.Content {
		if b.Type != "tool_result" {
			typed = append(typed, b)
			continue
		}
		e := d.event(r, agent.Result, n)
		e.Call, e.Text, e.Failed = b.CallID, result(b), b.Failed
		t.Add(e)
	}
	if len(typed) > 0 && !r.Meta && !r.Summary && !r.Shown && (r.Origin == "" || r.Origin == "human") {
		d.prompt(t, r, typed, false)
	}
}

// result is the text of a tool's result; that of a failed one says so.
func result(b block) string {
	text := agent.Strip(b.Content.text(), "system-reminder")
	text = strings.TrimSuffix(text, " (file state is current in your context — no need to Read it back)")
	if inner, ok := strings.CutPrefix(text, "<tool_use_error>"); ok {
		text = strings.TrimSuffix(inner, "</tool_use_error>")
	}
	if b.Failed && !strings.HasPrefix(text, "Exit code") && !strings.HasPrefix(text, "Error") {
		text = "Error: " + text
	}
	return text
}

// prompt adds what the user typed, if that is what it is. An interruption and a command of
// the client still end the turn before.
func (d *decoder) prompt(t *agent.Thread, r *record, typed content, beside bool) {
	e := d.event(r, agent.Prompt, 0)
	whole := typed.text()
	text := strings.TrimSpace(agent.Strip(whole, "system-reminder", "command-name", "command-message", "command-args",
		"command-contents", "local-command-caveat", "local-command-stdout", "local-command-stderr", "bash-input", "bash-stdout",
		"bash-stderr", "task-notification", "user-prompt-submit-hook", "new-diagnostics", "ide_opened_file", "ide_selection",
		"ide_diagnostics", "teammate-message"))
	e.Cut = strings.HasPrefix(text, "[Request interrupted by user")
	switch {
	case e.Cut, text == "" && strings.Contains(whole, "<command-name>"):
		e.Kind = agent.Stop
	case text == "", clients(text):
		return
	}
	e.Text, e.Task, e.Beside = text, r.Sidechain, beside
	t.Add(e)
}

// clients reports whether the client wrote a text that older releases do not mark.
func clients(text string) bool {
	for _, begin := range []string{
		"Caveat: The messages below were generated by the user", "Stop hook feedback:",
		"This session is being continued from a previous conversation",
	} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// queued adds a prompt that the user typed while the agent worked. It is nowhere else.
func (d *decoder) queued(t *agent.Thread, r *record) {
	r.origin()
	a := &r.Attachment
	if a.Type != "queued_command" || a.Mode != "" && a.Mode != "prompt" || r.Meta || d.sub != r.Sidechain || t.Seen(r.UUID) {
		return
	}
	if r.Origin == "" || r.Origin == "human" {
		d.prompt(t, r, a.Prompt, true)
	}
}
