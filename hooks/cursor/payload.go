package cursor

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// payload is that of any hook.
type payload struct {
	Generation, Model, Dir   string
	Prompt, Said, Text       string
	Tool, Call, Output, Fail string
	Task, Summary            string

	Input agent.Value
}

func (p *payload) read(name []byte, v agent.Value) {
	switch string(name) {
	case "generation_id":
		p.Generation = v.Text()
	case "model":
		p.Model = v.Text()
	case "workspace_roots":
		v.Elements(func(v agent.Value) {
			if p.Dir == "" {
				p.Dir = v.Text()
			}
		})
	case "prompt":
		p.Prompt = v.Text()
	case "agent_message":
		p.Said = v.Text()
	case "text":
		p.Text = v.Text()
	case "tool_name":
		p.Tool = v.Text()
	case "tool_use_id":
		p.Call = v.Text()
	case "tool_input":
		if p.Input = v; len(v) > 0 && v[0] == '"' { // JSON in a string, in some releases
			p.Input = agent.Value(v.Text())
		}
	case "tool_output":
		p.Output = output(v)
	case "error_message":
		p.Fail = v.Text()
	case "task":
		p.Task = v.Text()
	case "summary":
		p.Summary = v.Text()
	}
}

// Events are those of a hook:
//
//   - beforeSubmitPrompt: the prompt.
//   - postToolUse and postToolUseFailure: what the agent said before, the call and its result.
//   - afterAgentResponse: the text.
//   - stop: the end of the turn, whatever its status.
//   - subagentStop: the task of a subagent, and its summary, for the subagent's own session.
//
// An id is that of the call, or the generation's with a hash of the text: the client may repeat
// an event.
func Events(event string, data []byte) []agent.Event {
	var p payload
	if !agent.Value(bytes.TrimSpace(data)).Members(p.read) {
		return nil
	}
	switch event {
	case "beforeSubmitPrompt":
		return p.texts(agent.Prompt, typed(p.Prompt))
	case "afterAgentResponse":
		return p.texts(agent.Text, p.Text)
	case "postToolUse", "postToolUseFailure":
		return append(p.texts(agent.Text, p.Said), p.call(event == "postToolUseFailure")...)
	case "subagentStop":
		p.Generation = cmp.Or(p.Generation, "subagent")
		return append(append(p.texts(agent.Prompt, p.Task), p.texts(agent.Text, p.Summary)...), agent.Event{Kind: agent.Stop})
	case "stop":
		return []agent.Event{{Kind: agent.Stop}}
	}
	return nil
}

// texts is the event of a text, if there is one.
func (p *payload) texts(kind agent.Kind, text string) []agent.Event {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	e := p.event(kind)
	e.ID, e.Text = fmt.Sprintf("%s/%.6x", p.Generation, sha256.Sum256([]byte(text))), text
	return []agent.Event{e}
}

func (p *payload) event(kind agent.Kind) agent.Event {
	return agent.Event{Kind: kind, Answer: p.Generation, Model: p.Model}
}

func (p *payload) call(failed bool) []agent.Event {
	if p.Tool == "" {
		return nil
	}
	id := p.Call
	if id == "" { // the same call of another moment is another one, and of the same is a repeated event
		id = fmt.Sprintf("%s/%.6x", p.Generation, sha256.Sum256([]byte(p.Tool+"\x00"+string(p.Input)+"\x00"+p.Output+p.Fail)))
	}
	e := p.event(agent.Call)
	e.ID, e.Call = id, id
	describe(&e, p.Tool, p.Input, p.Dir)
	result := p.event(agent.Result)
	result.ID, result.Call, result.Text, result.Failed = id+"/result", id, p.Output, failed
	if failed {
		result.Text = strings.TrimSpace(p.Fail + "\n" + p.Output)
	}
	return []agent.Event{e, result}
}

// output is the text of a result: of an object, which may be in a string, what its members say.
func output(v agent.Value) string {
	text := v.Text()
	if text == "" {
		text = string(v)
	}
	var said []string
	code := ""
	object := agent.Value(strings.TrimSpace(text)).Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "stdout", "stderr", "output", "content", "contents", "result", "text", "message", "error":
			if part := strings.TrimRight(v.Text(), "\n"); part != "" {
				said = append(said, part)
			}
		case "exitCode", "exit_code":
			if code = string(v); code == "0" || code == "null" {
				code = ""
			}
		}
	})
	if object && code != "" {
		said = append(said, "exit code "+code)
	}
	if len(said) > 0 {
		return strings.Join(said, "\n")
	}
	if object && text == "{}" || text == "null" {
		return ""
	}
	return text
}
