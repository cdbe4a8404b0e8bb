//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Whatever a client gives to a hook, in whatever order, beside other hooks and until it is
// killed: the hook ends with 0 and prints nothing but one JSON object, and in the end each step
// of a transcript is in memory once, and in the memory of its repository. In a soak there are
// ten thousand payloads.
func TestHooksOfAgentsTakeAnyPayload(t *testing.T) {
	t.Parallel()
	calls := 250
	if soaking() {
		calls = 10_000
	}
	p := newPayloads(t)
	for range calls {
		p.play()
	}
	p.finish()
	t.Logf("figures: %d payloads, %d of them killed, %d steps", calls, p.killed, p.steps)
}

// payloads are sessions of Claude Code in all kinds of places.
type payloads struct {
	*world
	random   *rand.Rand
	module   *world // a submodule, which has a memory of its own
	sessions []*agentSession
	killed   int
	steps    int
}

// agentSession is a session with its whole transcript; the file may have less of it.
type agentSession struct {
	id, dir, file string
	in            *world // whose memory it belongs to; nil: none
	text          string
	turn          int
	actions       []string
}

func newPayloads(t *testing.T) *payloads {
	t.Helper()
	p := &payloads{world: newWorld(t), random: rand.New(rand.NewPCG(1, 20))}
	library := newWorld(t)
	p.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library.dir, "module")
	p.git("commit", "-q", "-m", "module")
	module := *p.world
	module.dir = filepath.Join(p.dir, "module")
	p.module = &module
	p.module.ok("init", "--goal", "Apart")
	linked, gone, bare := p.dir+"-linked", p.dir+"-gone", p.dir+"-bare"
	p.git("worktree", "add", "-q", linked)
	p.git("init", "-q", "--bare", bare)
	deep := filepath.Join(p.dir, "deep", "er")
	if err := errors.Join(os.MkdirAll(deep, 0o777), os.Mkdir(gone, 0o777)); err != nil {
		t.Fatal(err)
	}
	for dir, in := range map[string]*world{p.dir: p.world, deep: p.world, linked: p.world, module.dir: p.module, bare: nil, gone: nil, t.TempDir(): nil} {
		p.sessions = append(p.sessions, &agentSession{dir: dir, in: in})
	}
	slices.SortFunc(p.sessions, func(a, b *agentSession) int { return strings.Compare(a.dir, b.dir) })
	for i, s := range p.sessions {
		s.id, s.file = fmt.Sprintf("%08d-aaaa-bbbb-cccc-dddddddddddd", i), filepath.Join(t.TempDir(), "s.jsonl")
		p.call("claude-code", "SessionStart", p.payload(s, "SessionStart"))
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *payloads) one(list ...string) string { return list[p.random.IntN(len(list))] }

// often is true in n of a hundred cases.
func (p *payloads) often(n int) bool { return p.random.IntN(100) < n }

// play makes one thing happen to a session, and calls a hook for it.
func (p *payloads) play() {
	s := p.sessions[p.random.IntN(len(p.sessions))]
	if p.often(40) {
		s.grow()
	}
	p.show(s)
	event := p.one("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Stop", "Stop", "Stop", "StopFailure",
		"SubagentStop", "PreCompact", "SessionEnd", "NoSuchEvent")
	client := "claude-code"
	if p.often(10) {
		client = p.one("codex", "gemini", "copilot", "cursor", "opencode", "pi", "qwen", "nobody")
	}
	payload := p.payload(s, event)
	if p.often(40) {
		payload = p.broken(payload)
	}
	switch n := p.random.IntN(100); {
	case n < 70:
		p.call(client, event, payload)
	case n < 80:
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { p.call(client, event, payload) })
		}
		all.Wait()
	default:
		p.kill(client, event, payload)
	}
}

// grow adds a turn of two calls to a transcript.
func (s *agentSession) grow() {
	s.turn++
	add := func(kind, message string) {
		s.text += fmt.Sprintf(`{"type":%q,"uuid":"%s-%d","sessionId":%q,"timestamp":"2026-11-24T10:00:00.000Z","cwd":%q,"message":%s}`+"\n",
			kind, s.id, len(s.text), s.id, s.dir, message)
	}
	add("user", fmt.Sprintf(`{"role":"user","content":"Do part %d"}`, s.turn))
	for i := range 2 {
		call := fmt.Sprintf("toolu_%s_%d_%d", s.id, s.turn, i)
		action := fmt.Sprintf("make part-%s-%d-%d", s.id, s.turn, i)
		add("assistant", fmt.Sprintf(`{"id":"msg_%s","role":"assistant","stop_reason":"tool_use","content":[{"type":"text","text":"Now %d."},`+
			`{"type":"tool_use","id":"%[1]s","name":"Bash","input":{"command":%[3]q}}]}`, call, i, action))
		add("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"made %d"}]}`, call, i))
		s.actions = append(s.actions, "Bash: "+action)
	}
	add("assistant", fmt.Sprintf(`{"id":"msg_%s_%d","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Part %d is done."}]}`,
		s.id, s.turn, s.turn))
}

// show writes the transcript, or what a client that was killed, or that rewrites it, leaves of it.
func (p *payloads) show(s *agentSession) {
	text := s.text
	switch n := p.random.IntN(100); {
	case n < 15: // cut anywhere
		text = text[:p.random.IntN(len(text)+1)]
	case n < 18:
		text = "no transcript\n\x00\xff{"
	case n < 20:
		if err := os.Remove(s.file); err != nil && !errors.Is(err, os.ErrNotExist) {
			p.t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(s.file, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *payloads) payload(s *agentSession, event string) []byte {
	data, err := json.Marshal(map[string]any{"session_id": s.id, "transcript_path": s.file, "cwd": s.dir, "permission_mode": "default",
		"hook_event_name": event, "prompt": "Do the next part", "source": "startup", "tool_name": "Bash", "tool_use_id": "toolu_1",
		"tool_input": map[string]string{"command": "make"}, "last_assistant_message": fmt.Sprintf("Part %d is done.", s.turn)})
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// broken spoils a payload.
func (p *payloads) broken(payload []byte) []byte {
	var members map[string]any
	if err := json.Unmarshal(payload, &members); err != nil {
		p.t.Fatal(err)
	}
	name := p.one("session_id", "transcript_path", "cwd", "hook_event_name", "prompt", "last_assistant_message", "permission_mode")
	other := p.sessions[p.random.IntN(len(p.sessions))]
	switch p.random.IntN(10) {
	case 0: // torn
		return payload[:p.random.IntN(len(payload))]
	case 1:
		delete(members, name)
	case 2:
		members[name] = []any{7, nil, map[string]any{"a": true}}
	case 3:
		if name != "session_id" { // that is another session
			members[name] = strings.Repeat("long ", 1<<p.random.IntN(18))
		}
	case 4: // another session's directory; where a session starts is where it belongs
		if members["hook_event_name"] != "SessionStart" {
			members["cwd"] = other.dir
		}
	case 5:
		return bytes.Replace(payload, []byte("a"), []byte("\xff\x00"), 3)
	case 6: // twice, one behind the other
		return slices.Concat(payload, payload)
	case 7:
		return []byte(p.one("", " ", "null", "[]", "7", `"text"`, "{", "\xef\xbb\xbf{}", strings.Repeat("[", 20_000), "{}"))
	case 8: // Copilot's, which runs the hooks of Claude Code
		delete(members, "permission_mode")
		delete(members, "transcript_path")
		members["timestamp"] = "2026-11-24T10:00:00.000Z"
	case 9:
		members["agent_id"], members["agent_transcript_path"] = "sub", p.one("/nowhere", p.dir, "relative")
	}
	data, err := json.Marshal(members)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// hook is the process of a hook, in a directory that is no repository.
func (p *payloads) hook(client, event string, payload []byte) *exec.Cmd {
	cmd := p.command(nil, p.bin, "hook", client, event)
	cmd.Dir, cmd.Stdin = os.TempDir(), bytes.NewReader(payload)
	return cmd
}

func (p *payloads) call(client, event string, payload []byte) {
	var out, errs bytes.Buffer
	cmd := p.hook(client, event, payload)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var object map[string]any
	switch {
	case err != nil:
		p.t.Errorf("hook %s %s: %v\n%s\n%.500s", client, event, err, &errs, payload)
	case errs.Len() > 0:
		p.t.Errorf("hook %s %s prints an error: %s\n%.500s", client, event, &errs, payload)
	case out.Len() > 0 && json.Unmarshal(out.Bytes(), &object) != nil:
		p.t.Errorf("hook %s %s prints what is no object: %s", client, event, &out)
	}
}

// kill kills a hook and what it has started.
func (p *payloads) kill(client, event string, payload []byte) {
	cmd := p.hook(client, event, payload)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	time.Sleep(time.Duration(p.random.IntN(30_000)) * time.Microsecond)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err == nil {
		p.killed++
	} else if !errors.Is(err, syscall.ESRCH) {
		p.t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	p.removeStaleLocks()
	p.module.removeStaleLocks()
}

// finish shows each transcript as it is, ends the sessions, and compares memory with them.
func (p *payloads) finish() {
	for _, s := range p.sessions {
		if err := os.WriteFile(s.file, []byte(s.text), 0o666); err != nil {
			p.t.Fatal(err)
		}
		p.call("claude-code", "Stop", p.payload(s, "Stop"))
		p.call("claude-code", "Stop", p.payload(s, "Stop"))
	}
	for _, w := range []*world{p.world, p.module} {
		var want, got []string
		for _, s := range p.sessions {
			if s.in == w {
				want = append(want, s.actions...)
			}
		}
		for _, step := range w.steps("main") {
			if step.Action != "" {
				got = append(got, step.Action)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			p.t.Errorf("%s: %d steps of %d, and not these:\n%s", w.dir, len(got), len(want), differing(got, want))
		}
		p.steps += len(got)
		w.sound()
		w.ok("fsck", "--fix") // of hooks that failed, and what killed ones left
		w.ok("fsck")
	}
}

// differing lists what one of two sorted lists has more often than the other.
func differing(got, want []string) string {
	n := map[string]int{}
	for _, s := range got {
		n[s]++
	}
	for _, s := range want {
		n[s]--
	}
	var b strings.Builder
	for s, more := range n {
		if more != 0 {
			fmt.Fprintf(&b, "%+d %s\n", more, s)
		}
	}
	return b.String()
}
