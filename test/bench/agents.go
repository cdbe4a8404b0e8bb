package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// agentEvent is an event of an agent's hook, and how long it may take at the 95th percentile.
type agentEvent struct {
	name, event string
	budget      time.Duration
	transcript  bool // a megabyte of it is new
}

func agentEvents() []agentEvent {
	return []agentEvent{
		{"a tool", "PreToolUse", 15 * time.Millisecond, false},
		{"a prompt", "UserPromptSubmit", 15 * time.Millisecond, false},
		{"a session begins", "SessionStart", 60 * time.Millisecond, false},
		{"a turn ends, 1 MB of transcript", "Stop", 80 * time.Millisecond, true},
	}
}

// printAgents measures the hooks of an agent as whole processes, on memories of each length.
func (b *bench) printAgents(w io.Writer) error {
	list := agentEvents()
	cells := make([]string, len(list))
	head, rule := "| event | p95 budget |", "|---|---|"
	for _, n := range b.commits {
		r, err := b.newRepo(fmt.Sprint("agents", n), 0)
		if err != nil {
			return err
		}
		if err := r.fill(n); err != nil {
			return err
		}
		head, rule = head+fmt.Sprintf(" %d commits |", n), rule+"---|"
		for i, e := range list {
			took, err := r.agentEvent(e)
			if err != nil {
				return err
			}
			p95 := took[len(took)*95/100]
			cells[i] += fmt.Sprintf(" %.1f ms, p95 %.1f |", millis(took[len(took)/2]), millis(p95))
		}
	}
	fmt.Fprintf(w, "\nThe hooks of an agent, whole processes (median and 95th percentile of %d):\n\n%s\n%s\n",
		b.runs, head, rule)
	for i, e := range list {
		if _, err := fmt.Fprintf(w, "| %s | %.0f ms |%s\n", e.name, millis(e.budget), cells[i]); err != nil {
			return err
		}
	}
	return nil
}

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }

// agentEvent runs the hook of an event, each time in a session of its own, and returns how long
// each run took, sorted.
func (r *repo) agentEvent(e agentEvent) (took []time.Duration, err error) {
	for i := range r.b.runs + 1 {
		session := fmt.Sprint(e.event, i)
		path := filepath.Join(r.dir, ".git", session+".jsonl")
		if _, err := r.hook("SessionStart", session, path); err != nil {
			return nil, err
		}
		if e.transcript {
			if err := os.WriteFile(path, transcript(session), 0o666); err != nil {
				return nil, err
			}
		}
		t, err := r.hook(e.event, session, path)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first warms the caches
			took = append(took, t)
		}
	}
	slices.Sort(took)
	return took, nil
}

// hook runs the hook of an event as Claude Code does.
func (r *repo) hook(event, session, path string) (time.Duration, error) {
	payload, err := json.Marshal(map[string]string{"session_id": session, "transcript_path": path, "cwd": r.dir,
		"hook_event_name": event, "prompt": "Why does the parser fail on dates with a fraction of a second?",
		"last_assistant_message": "It is done."})
	if err != nil {
		return 0, err
	}
	cmd := r.command(r.b.bin, "hook", "claude-code", event)
	cmd.Stdin = bytes.NewReader(payload)
	start := time.Now()
	err = cmd.Run()
	return time.Since(start), err
}

// transcript returns a megabyte of a turn that edits and tests.
func transcript(session string) []byte {
	var b bytes.Buffer
	record := func(kind, message string) {
		fmt.Fprintf(&b, `{"type":"%s","uuid":"%d","sessionId":"%s","timestamp":"2026-11-24T10:00:00.000Z","message":%s}`+"\n",
			kind, b.Len(), session, message)
	}
	record("user", `{"role":"user","content":"Make the parser faster"}`)
	for i := 0; b.Len() < 1e6; i++ {
		record("assistant", fmt.Sprintf(`{"id":"m%d","stop_reason":"tool_use","content":[`+
			`{"type":"text","text":"I change part %d now."},`+
			`{"type":"tool_use","id":"t%d","name":"Edit","input":{"file_path":"f%d.go","old_string":"%s"}}]}`,
			i, i, i, i%9, lorem[:300]))
		record("user", fmt.Sprintf(`{"content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]}`,
			i, strings.Repeat("a line of output with words\\n", 80)))
	}
	record("assistant", `{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"It is done."}]}`)
	return b.Bytes()
}
