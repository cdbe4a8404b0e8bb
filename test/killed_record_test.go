//go:build unix

package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordKillings write the journal, roadmap, topics, metadata and notes.
func recordKillings() []killing {
	record := []string{"record", "-a", "unacknowledged", "--json"}
	return []killing{
		{name: "record", args: record, holds: recordedAgain},
		{name: "record into no journal", prepare: journal(os.Remove), args: record, holds: recordedAgain},
		{name: "record into an empty journal", prepare: journal(func(path string) error { return os.Truncate(path, 0) }), args: record, holds: recordedAgain},
		{name: "record behind a torn line", prepare: journal(tear), args: record, holds: recordedAgain},
		{name: "record --attach", prepare: func(w *killWorld) { w.write("kept.txt", "kept bytes\n") },
			args: append(record[:len(record):len(record)], "--attach", "kept.txt"), holds: func(k *killed) {
				recordedAgain(k)
				k.says("kept bytes", 1, "show", "artifacts/kept.txt")
			}},
		{name: "record lines", args: []string{"record", "--stdin", "--json"}, stdin: lines("", 3), acked: answers},
		{name: "record lines with ids", args: []string{"record", "--stdin", "--json"}, stdin: lines("session:", 3), acked: answers,
			holds: func(k *killed) { k.says(`"unacknowledged"`, 3, "--log", "--steps", "100", "--json") }},
		{name: "exec", args: []string{"exec", "--", "true"}, holds: onceOrTwice("true")},
		{name: "record --undo", args: []string{"record", "--undo"}, again: []int{1}, prepare: func(w *killWorld) {
			w.ok("record", "-a", "unwanted")
			w.ok("record", "-a", "unwanted")
		}, holds: func(k *killed) { k.once("main", k.kept["main"]) }},
		{name: "hook of an agent", prepare: transcribed(true), args: []string{"hook", "claude-code", "Stop"}, stdin: turnEnd, holds: capturedOnce},
		{name: "hook of an agent that is new", prepare: transcribed(false), args: []string{"hook", "claude-code", "Stop"}, stdin: turnEnd, holds: capturedOnce},
		{name: "roadmap", args: []string{"roadmap", "todo", "add", "Think"}, holds: func(k *killed) { k.says("- [ ] Think", 1, "roadmap") }},
		{name: "roadmap answer", prepare: func(w *killWorld) { w.ok("roadmap", "ask", "Which lock?") }, args: []string{"roadmap", "answer", "Which", "--with", "A mutex"}, again: []int{1},
			holds: func(k *killed) { k.says("Which lock? — A mutex", 1, "roadmap") }},
		{name: "todo done", args: []string{"todo", "done", "Look", "--outcome", "Seen"}, holds: func(k *killed) { k.says("  Outcome: Seen", 1, "roadmap") }},
		{name: "remember", args: []string{"remember", "pool", "none at all"}, holds: func(k *killed) { k.says("none at all", 1, "topic", "pool") }},
		{name: "remember --pin", args: []string{"remember", "--pin", "pool"}, holds: func(k *killed) { k.says("[pinned]", 1, "topics") }},
		{name: "remember --confirm", args: []string{"remember", "--confirm", "pool"}, holds: func(k *killed) { k.says(`"stale":true`, 0, "topics", "--json") }},
		{name: "forget", args: []string{"forget", "pool"}, again: []int{1}, holds: func(k *killed) { k.says("pool", 0, "topics") }},
		{name: "restore", prepare: func(w *killWorld) { w.ok("tag", "known", "main"); w.ok("forget", "pool") }, args: []string{"restore", "known"},
			holds: func(k *killed) { k.says("one per process", 1, "topic", "pool") }},
		{name: "metadata set", args: []string{"metadata", "set", "interfaces.http", "one"},
			holds: func(k *killed) { k.is("one", "metadata", "get", "interfaces.http") }},
		{name: "note", args: []string{"note", "good", "--score", "0.75"}, holds: func(k *killed) { k.says(`"score":0.75`, 1, "--commit", "good", "--json") }},
	}
}

// turnEnd is the payload of the hook at the end of a turn.
const turnEnd = `{"session_id":"S","transcript_path":"turn.jsonl","hook_event_name":"Stop"}`

// transcribed writes the transcript of a turn; known tells the hooks of its session before.
func transcribed(known bool) func(*killWorld) {
	return func(w *killWorld) {
		if known {
			start := strings.Replace(turnEnd, "Stop", "SessionStart", 1)
			cmd := w.command(nil, w.bin, "hook", "claude-code", "SessionStart")
			cmd.Stdin = strings.NewReader(start)
			if out, err := cmd.Output(); err != nil || len(out) == 0 {
				w.t.Fatalf("the hook SessionStart: %v, %q", err, out)
			}
		}
		w.write("turn.jsonl", `{"type":"user","uuid":"u1","sessionId":"S","message":{"role":"user","content":"Fix it, said the user"}}
{"type":"assistant","uuid":"u2","sessionId":"S","message":{"id":"m1","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"captured.go"}}]}}
{"type":"user","uuid":"u3","sessionId":"S","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}}
{"type":"assistant","uuid":"u4","sessionId":"S","message":{"id":"m2","stop_reason":"end_turn","content":[{"type":"text","text":"It is fixed, said the agent."}]}}
`)
	}
}

// capturedOnce holds that the turn is recorded once, and committed once.
func capturedOnce(k *killed) {
	k.says("User: Fix it, said the user", 1, "--log", "--steps", "100", "--json")
	k.says("Edit: captured.go", 1, "--log", "--steps", "100", "--json")
	k.says(`"thought":"It is fixed, said the agent."`, 1, "--log", "--steps", "100", "--json")
	k.says(`"contribution":"It is fixed, said the agent.`, 1, "--branch", "main", "--json")
}

// recordedAgain holds that a step that nobody asked for twice by an id of its own
// stands once for each time that it was asked for, at most.
func recordedAgain(k *killed) { onceOrTwice("unacknowledged")(k) }

// onceOrTwice holds that of a step that was asked for twice.
func onceOrTwice(action string) func(*killed) {
	return func(k *killed) {
		n := 0
		for _, s := range k.steps("main") {
			if s.Action == action {
				n++
			}
		}
		if n < 1 || n > 2 {
			k.t.Errorf("a step that was recorded twice stands %d times", n)
		}
	}
}

// journal does something to the journal of main, once nothing is pending in it.
func journal(do func(path string) error) func(*killWorld) {
	return func(w *killWorld) {
		w.ok("commit", "-m", "Nothing pending")
		if err := do(filepath.Join(w.dir, ".git", "context", "journal", "main.jsonl")); err != nil {
			w.t.Fatal(err)
		}
	}
}

// tear leaves what a crash in the middle of a write would.
func tear(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(`{"time":"2026-11-21T01:37:05Z","action":"half a st`)
	return err
}

// lines are steps for record --stdin.
func lines(source string, n int) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for i := range n {
		step := map[string]string{"action": "unacknowledged"}
		if source != "" {
			step["id"] = fmt.Sprint(source, i)
		}
		if err := enc.Encode(step); err != nil {
			panic(err) // a map of strings
		}
	}
	return b.String()
}

// answers are the steps that were acknowledged before the kill.
func answers(w *killWorld, out []byte) {
	w.kept["main"] = append(w.kept["main"], answered(bufio.NewScanner(bytes.NewReader(out)))...)
}

// TestTornLine would otherwise prove nothing: what is torn must be set aside.
func TestTornLineIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("record", "-a", "whole")
	path := filepath.Join(w.dir, ".git", "context", "journal", "main.jsonl")
	if err := tear(path); err != nil {
		t.Fatal(err)
	}
	w.ok("record", "-a", "next")
	if torn, err := os.ReadFile(path + ".torn"); err != nil || !bytes.Contains(torn, []byte("half a st")) {
		t.Errorf("set aside is %q, %v", torn, err)
	}
}
