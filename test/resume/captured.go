package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// capturedRepo is the name of the repository in a captured transcript.
const capturedRepo = "/repo"

// turnsOf cuts a transcript behind each message that ends a turn.
func turnsOf(transcript string) []string {
	turns := []string{""}
	for line := range strings.Lines(transcript) {
		turns[len(turns)-1] += line
		if strings.Contains(line, `"stop_reason": "end_turn"`) {
			turns = append(turns, "")
		}
	}
	if n := len(turns) - 1; turns[n] == "" {
		turns = turns[:n]
	}
	return turns
}

// capture has the hooks of Claude Code called as it calls them in the session. A last turn without
// an end is one in which the client was killed; the next session finds it.
func (r repository) capture(m *memory) error {
	if _, err := r.run("", r.bin, "init", "-q", "--goal", "Keep the library small and right"); err != nil {
		return err
	}
	transcript := filepath.Join(r.dir, ".git", "transcript.jsonl")
	hook := func(event, session string) error {
		payload, err := json.Marshal(map[string]string{"session_id": session, "transcript_path": transcript, "cwd": r.dir,
			"permission_mode": "default", "hook_event_name": event, "source": "startup"})
		if err == nil {
			_, err = r.run(string(payload), r.bin, "hook", "claude-code", event)
		}
		return err
	}
	if err := hook("SessionStart", m.name); err != nil {
		return err
	}
	shown := ""
	for _, turn := range m.turns {
		shown += strings.ReplaceAll(turn, capturedRepo, r.dir)
		if err := os.WriteFile(transcript, []byte(shown), 0o666); err != nil {
			return err
		}
		if !strings.Contains(turn, `"stop_reason": "end_turn"`) {
			break
		}
		if err := hook("Stop", m.name); err != nil {
			return err
		}
	}
	if err := r.edit(m.files); err != nil {
		return err
	}
	long := time.Now().Add(-time.Hour) // the killed client writes no more
	if err := os.Chtimes(transcript, long, long); err != nil {
		return err
	}
	return hook("SessionStart", "the next")
}
