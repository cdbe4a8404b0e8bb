package payload

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/settings"
)

// captured are payloads of released clients, by client and event.
const captured = "../../../shared/agents"

// samples are payloads as the clients write them, without what nothing depends on.
func samples() map[string]map[string]string {
	return map[string]map[string]string{
		ClaudeCode: {
			"SessionStart": `{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"SessionStart","source":"startup"}`,
			"Stop":         `{"session_id":"s","transcript_path":"/t","cwd":"/r","permission_mode":"default","hook_event_name":"Stop","last_assistant_message":"Done."}`,
			"SubagentStop": `{"session_id":"s","transcript_path":"/t","cwd":"/r","permission_mode":"default","hook_event_name":"SubagentStop","agent_id":"a","agent_transcript_path":"/a"}`,
			"SessionEnd":   `{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"SessionEnd","reason":"other"}`,
		},
		Codex: {
			"SessionStart": `{"session_id":"s","transcript_path":null,"cwd":"/r","hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"resume"}`,
			"Stop":         `{"session_id":"s","turn_id":"t","transcript_path":"/t","cwd":"/r","hook_event_name":"Stop","model":"m","last_assistant_message":"Done."}`,
			"Interrupt":    `{"session_id":"s","turn_id":"t","transcript_path":"/t","cwd":"/r","hook_event_name":"Interrupt","model":"m"}`,
		},
		Gemini: {
			"BeforeAgent": `{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"BeforeAgent","timestamp":"2026-11-22T19:05:20.747Z","prompt":"Go"}`,
			"AfterAgent":  `{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"AfterAgent","timestamp":"2026-11-22T19:05:20.747Z","prompt":"Go","prompt_response":"Done."}`,
		},
		Cursor: {
			"sessionStart":       `{"conversation_id":"s","hook_event_name":"sessionStart","cursor_version":"3.1","workspace_roots":["/r"]}`,
			"beforeSubmitPrompt": `{"conversation_id":"s","hook_event_name":"beforeSubmitPrompt","cursor_version":"3.1","workspace_roots":["/r"],"prompt":"Go"}`,
			"postToolUse":        `{"conversation_id":"s","hook_event_name":"postToolUse","cursor_version":"3.1","workspace_roots":["/r"],"cwd":"/other","tool_name":"Shell"}`,
			"stop":               `{"conversation_id":"s","hook_event_name":"stop","cursor_version":"3.1","workspace_roots":["/r"],"status":"aborted"}`,
		},
		OpenCode: {
			"activity": `{"session_id":"s","parent_id":null,"cwd":"/r","messages":[]}`,
		},
		Pi: {
			"start":    `{"session_id":"s","parent_id":"","cwd":"/r","transcript_path":"/t","prompt":"","messages":[]}`,
			"turn-end": `{"session_id":"s","cwd":"/r","prompt":"Go","messages":[]}`,
		},
		Copilot: {
			"sessionStart": `{"sessionId":"s","timestamp":1795375260361,"cwd":"/r","source":"new","initialPrompt":"Go"}`,
			"agentStop":    `{"sessionId":"s","timestamp":1795375261251,"cwd":"/r","transcriptPath":"/t","stopReason":"end_turn"}`,
			"subagentStop": `{"sessionId":"s","timestamp":1795375261251,"cwd":"/r","transcriptPath":"/t","agentId":"a","parentAgentId":"s"}`,
		},
		Qwen: {
			"UserPromptSubmit": `{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"UserPromptSubmit","timestamp":"2026-11-22T19:12:53.091Z","prompt":"Go"}`,
			"Stop":             `{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"Stop","timestamp":"2026-11-22T19:13:10.556Z","stop_hook_active":true,"last_assistant_message":"I think.I am done."}`,
		},
	}
}

func TestSamples(t *testing.T) {
	for client, events := range samples() {
		for event, data := range events {
			e, err := Read(client, event, []byte(data))
			if err != nil || e.Kind == Other || e.Session != "s" || e.Dir != "/r" || e.Name != event {
				t.Errorf("%s %s: %+v, %v", client, event, e, err)
			}
			if strings.Contains(data, "Done.") && e.Final != "Done." || strings.Contains(data, `"/t"`) && e.Transcript != "/t" {
				t.Errorf("%s %s: %+v", client, event, e)
			}
		}
	}
}

// A subagent's event names the session of the user, too.
func TestSubagents(t *testing.T) {
	for _, test := range []struct{ client, event, data, session, subagent string }{
		{OpenCode, "prompt", `{"session_id":"child","parent_id":"s","cwd":"/r"}`, "s", "child"},
		{OpenCode, "prompt", `{"session_id":"s","parent_id":null,"cwd":"/r"}`, "s", ""},
		{Cursor, "subagentStop", `{"conversation_id":"s","cursor_version":"3","subagent_id":"a","tool_call_id":"t"}`, "s", "a"},
		{Cursor, "subagentStop", `{"conversation_id":"c","parent_conversation_id":"s","cursor_version":"3","tool_call_id":"t"}`, "s", "t"},
		{Cursor, "subagentStop", `{"conversation_id":"s","cursor_version":"3"}`, "s", "subagent"},
		{Cursor, "postToolUse", `{"conversation_id":"s","cursor_version":"3","tool_call_id":"t"}`, "s", ""},
		{ClaudeCode, "SubagentStop", samples()[ClaudeCode]["SubagentStop"], "s", "a"},
	} {
		if e, err := Read(test.client, test.event, []byte(test.data)); err != nil || e.Session != test.session || e.Subagent != test.subagent {
			t.Errorf("%s %s: %+v, %v", test.client, test.data, e, err)
		}
	}
}

func alike(a, b string) bool {
	for _, pair := range [][]string{{ClaudeCode, Codex}, {OpenCode, Pi}} {
		if slices.Contains(pair, a) && slices.Contains(pair, b) {
			return true
		}
	}
	return false
}

// Qwen Code runs the hook of a prompt again after each call of a tool, and mixes its reasoning into its
// last message; a subagent of Copilot CLI has a session of its own in some events.
func TestOwnWays(t *testing.T) {
	again := strings.Replace(samples()[Qwen]["UserPromptSubmit"], `"Go"`, `""`, 1)
	if e, err := Read(Qwen, "UserPromptSubmit", []byte(again)); err != nil || e.Kind != Other {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := Read(Qwen, "Stop", []byte(samples()[Qwen]["Stop"])); err != nil || e.Final != "" {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := Read(Copilot, "subagentStop", []byte(samples()[Copilot]["subagentStop"])); err != nil || e.Subagent != "a" || e.SubagentTranscript != "/t" {
		t.Errorf("%+v, %v", e, err)
	}
	if Starts(Qwen) || !Starts(Copilot) || Starts("unknown") {
		t.Error("only Qwen Code begins a session with a prompt")
	}
}

// The hooks of one client that another one runs say nothing of it: only Codex and Claude Code,
// and the two plugins, share a form, and none of them runs the other's hooks.
func TestForeign(t *testing.T) {
	for client, events := range samples() {
		for event, data := range events {
			for _, other := range Clients() {
				if other == client || alike(client, other) {
					continue
				}
				if e, err := Read(other, event, []byte(data)); !errors.Is(err, ErrForeign) {
					t.Errorf("%s takes %s of %s: %+v, %v", other, event, client, e, err)
				}
			}
		}
	}
	for _, data := range []string{
		`{"hook_event_name":"Stop","session_id":"s","timestamp":"2026-11-22T19:21:04.619Z","cwd":"/r","transcript_path":"/t"}`, // Copilot
		`{"conversation_id":"s","cursor_version":"3.1","hook_event_name":"Stop","session_id":"s","transcript_path":"/t"}`,
		`{"sessionId":"s","hookEventName":"Stop"}`, `{}`,
	} {
		if _, err := Read(ClaudeCode, "Stop", []byte(data)); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// Each event for which hooks are installed does something: a process that does nothing costs the user time.
func TestInstalledEventsAreKnown(t *testing.T) {
	for _, s := range settings.Clients() {
		c, err := find(s.Name)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		for _, e := range s.Events {
			if c.events[e.Name] == Other {
				t.Errorf("%s: nothing is done at %s", s.Name, e.Name)
			}
		}
	}
	if len(settings.Clients()) != len(Clients()) {
		t.Errorf("hooks are installed for %v, and known of %v", settings.Names(), Clients())
	}
}

func TestOddPayloads(t *testing.T) {
	for _, data := range []string{"", "null", "[]", `"x"`, `{"session_id":`, "{\"session_id\":\"s\"}{}", "\x00"} {
		if e, err := Read(ClaudeCode, "Stop", []byte(data)); err == nil {
			t.Errorf("%q: %+v", data, e)
		}
	}
	odd := `{"session_id":"s","hook_event_name":"Stop","transcript_path":"/t","cwd":7,"prompt":{"text":"x"},"last_assistant_message":null,"more":[1]}`
	if e, err := Read(ClaudeCode, "Stop", []byte(odd)); err != nil || e.Session != "s" || e.Dir != "" || e.Final != "" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := Read("unknown", "Stop", []byte("{}")); !errors.Is(err, ErrClient) {
		t.Error(err)
	}
	if e, err := Read(ClaudeCode, "PreToolUse", []byte(samples()[ClaudeCode]["Stop"])); err != nil || e.Kind != Other {
		t.Errorf("%+v, %v", e, err)
	}
}

// What released clients write is understood, each event that is installed and no other.
func TestCaptured(t *testing.T) {
	found := 0
	qwen, err := find(Qwen)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(clients()[:4], qwen) { // the others have no payloads there
		folder := strings.TrimSuffix(c.name, "-code")
		files, err := filepath.Glob(filepath.Join(captured, folder, "payloads", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			name := strings.TrimSuffix(filepath.Base(path), ".json")
			if strings.HasPrefix(name, "via-") {
				continue // of another client's hooks
			}
			event, _, _ := strings.Cut(name, "-")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			e, err := Read(c.name, event, data)
			if c.events[event] == Other && errors.Is(err, ErrForeign) {
				continue
			}
			if err != nil || e.Kind != c.events[event] || e.Session == "" || e.Dir != "/home/dev/project" {
				t.Errorf("%s: %+v, %v", path, e, err)
			}
			found++
		}
	}
	foreign, err := filepath.Glob(filepath.Join(captured, "*", "payloads", "via-claude-settings--*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range foreign {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := Read(ClaudeCode, "Stop", data); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %+v, %v", path, e, err)
		}
	}
	if found == 0 {
		t.Skipf("NOT RUN: no payloads in %s", captured)
	}
}

func FuzzRead(f *testing.F) {
	for client, events := range samples() {
		for event, data := range events {
			f.Add(client, event, []byte(data))
		}
	}
	f.Fuzz(func(t *testing.T, client, event string, data []byte) {
		if _, err := Read(client, event, data); err != nil {
			return
		}
		if _, err := Inject(client, event, string(data)); err != nil {
			t.Error(err)
		}
	})
}
