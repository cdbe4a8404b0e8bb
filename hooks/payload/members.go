package payload

import (
	"cmp"
	"encoding/json"
)

// members are those of the payloads of all clients that are of interest, in both spellings.
type members struct {
	Session    string   `json:"session_id"`
	SessionID  string   `json:"sessionId"`
	Talk       string   `json:"conversation_id"`
	Parent     string   `json:"parent_id"`
	Dir        string   `json:"cwd"`
	Began      string   `json:"began"` // of our plugins
	Roots      []string `json:"workspace_roots"`
	Transcript string   `json:"transcript_path"`
	CopilotLog string   `json:"transcriptPath"`
	Name       string   `json:"hook_event_name"`
	Model      string   `json:"model"`
	Source     string   `json:"source"`
	Prompt     string   `json:"prompt"`
	Final      string   `json:"last_assistant_message"`
	Response   string   `json:"prompt_response"`
	Agent      string   `json:"agent_id"`
	AgentLog   string   `json:"agent_transcript_path"`
	AgentID    string   `json:"agentId"`
	ParentTalk string   `json:"parent_conversation_id"`
	SubID      string   `json:"subagent_id"`
	ToolCall   string   `json:"tool_call_id"`

	// What only some clients have, by which they are told apart.
	Timestamp  json.RawMessage `json:"timestamp"`
	Permission json.RawMessage `json:"permission_mode"`
	Turn       json.RawMessage `json:"turn_id"`
	Cursor     json.RawMessage `json:"cursor_version"`
	Result     json.RawMessage `json:"tool_result"`
	Reason     json.RawMessage `json:"stop_reason"`
}

func (m *members) event(kind Kind, name string) Event {
	dir := m.Dir
	if len(m.Roots) > 0 && (dir == "" || m.Cursor != nil) { // Cursor's cwd is that of a command
		dir = m.Roots[0]
	}
	session, sub := m.thread(kind)
	return Event{
		Kind: kind, Name: name, Session: session, Dir: dir, Began: m.Began, Transcript: cmp.Or(m.Transcript, m.CopilotLog),
		Model: m.Model, Source: m.Source, Prompt: m.Prompt, Final: cmp.Or(m.Final, m.Response),
		Cut:      kind == TurnEnd && name == "Interrupt",
		Subagent: sub, SubagentTranscript: cmp.Or(m.AgentLog, m.CopilotLog),
	}
}

// thread is the session of the user, and the subagent, if the event is of one.
func (m *members) thread(kind Kind) (session, sub string) {
	session = cmp.Or(m.Session, m.SessionID, m.Talk)
	switch {
	case m.Parent != "": // of our plugins
		return m.Parent, session
	case m.Cursor != nil && kind == SubagentEnd:
		return cmp.Or(m.ParentTalk, session), cmp.Or(m.SubID, m.ToolCall, "subagent")
	}
	return session, cmp.Or(m.Agent, m.AgentID)
}

// notClaude: Copilot's payload for the same hooks has a timestamp and mostly no transcript,
// Codex a turn, Cursor its version, Grok its own spelling.
func notClaude(m *members) bool {
	return m.Session == "" || m.Transcript == "" || m.Name == "" || m.Timestamp != nil || m.Turn != nil || m.Cursor != nil || m.Result != nil
}

func notCodex(m *members) bool {
	return m.Session == "" || m.Timestamp != nil || m.Cursor != nil || m.Name == ""
}

func notGemini(m *members) bool {
	return m.Session == "" || m.Timestamp == nil || m.Name == "" || m.Permission != nil || m.Name == "UserPromptSubmit" || m.Name == "Stop"
}

// notQwen: Gemini, of which it was made, has other names for the same events.
func notQwen(m *members) bool {
	return m.Session == "" || m.Timestamp == nil || m.Transcript == "" || m.Permission != nil || m.Reason != nil ||
		m.Name != "UserPromptSubmit" && m.Name != "Stop"
}

func notCopilot(m *members) bool { return m.SessionID == "" || m.Timestamp == nil }

func notCursor(m *members) bool { return cmp.Or(m.Session, m.Talk) == "" || m.Cursor == nil }

func notPlugin(m *members) bool { return m.Session == "" || m.Name != "" || m.Timestamp != nil }
