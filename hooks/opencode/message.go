package opencode

import (
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// message is a message with its parts, or the info of a session.
type message struct {
	ID, Role, Model, Parent, Dir string

	Summary bool // of what was compacted
	At      time.Time
	Parts   []part
}

type part struct {
	ID, Type, Text, Tool, Call, Status, Output, Reason string

	Input   agent.Value
	Exit    string
	At      time.Time // of its end, if it has one
	Added   bool      // by a program
	Tokens  int64
	Written string // the path that the tool reports
}

// read reads a message and reports whether it is one, or the info of a session.
func (m *message) read(line agent.Value) bool {
	info := false
	whole := line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "info":
			info = v.Members(m.info)
		case "parts":
			v.Elements(func(v agent.Value) {
				var p part
				v.Members(p.read)
				m.Parts = append(m.Parts, p)
			})
		}
	})
	return whole && info
}

func (m *message) info(name []byte, v agent.Value) {
	switch string(name) {
	case "id":
		m.ID = v.Text()
	case "role":
		m.Role = v.Text()
	case "modelID":
		m.Model = v.Text()
	case "parentID":
		m.Parent = v.Text()
	case "directory":
		m.Dir = v.Text()
	case "summary":
		m.Summary = v.True()
	case "time":
		m.At = times(v)
	}
}

// times is the first of the times of a message or part, in milliseconds since 1970.
func times(v agent.Value) (at time.Time) {
	v.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "created", "start":
			if n := v.Int(); n > 0 {
				at = time.UnixMilli(n).UTC()
			}
		}
	})
	return at
}

func (p *part) read(name []byte, v agent.Value) {
	switch string(name) {
	case "id":
		p.ID = v.Text()
	case "type":
		p.Type = v.Text()
	case "text":
		p.Text = v.Text()
	case "tool":
		p.Tool = v.Text()
	case "callID":
		p.Call = v.Text()
	case "reason":
		p.Reason = v.Text()
	case "synthetic", "ignored":
		p.Added = p.Added || v.True()
	case "time":
		p.At = times(v)
	case "state":
		v.Members(p.state)
	case "tokens":
		v.Members(p.tokens)
	}
}

func (p *part) state(name []byte, v agent.Value) {
	switch string(name) {
	case "status":
		p.Status = v.Text()
	case "input":
		p.Input = v
	case "output", "error":
		p.Output = v.Text()
	case "time":
		p.At = times(v)
	case "metadata":
		v.Members(func(name []byte, v agent.Value) {
			switch string(name) {
			case "exit":
				p.Exit = string(v)
			case "filepath":
				p.Written = v.Text()
			}
		})
	}
}

// tokens are new input and output, without what came from the cache.
func (p *part) tokens(name []byte, v agent.Value) {
	switch string(name) {
	case "input", "output", "reasoning":
		p.Tokens += max(0, v.Int())
	case "cache":
		v.Members(func(name []byte, v agent.Value) {
			if string(name) == "write" {
				p.Tokens += max(0, v.Int())
			}
		})
	}
}

// events are those of a message. Parts that are not finished come later, and are left out.
func (m *message) events(dir string, unknown func(kind string)) (events []agent.Event) {
	switch {
	case m.Role == "user":
		return m.prompt()
	case m.Role != "assistant":
		unknown("message " + m.Role)
		return nil
	case m.Summary:
		return nil
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		e := agent.Event{ID: p.ID, Time: p.At, Answer: m.ID, Model: m.Model}
		if e.Time.IsZero() {
			e.Time = m.At
		}
		switch p.Type {
		case "text":
			if e.Kind, e.Text = agent.Text, p.Text; !p.Added {
				events = append(events, e)
			}
		case "tool":
			events = append(events, p.call(e, dir)...)
		case "step-finish":
			e.Kind, e.Tokens = agent.Usage, p.Tokens
			events = slices.Insert(events, 0, e) // it is of the steps before it
			if p.Reason == "stop" {
				events = append(events, agent.Event{Kind: agent.Stop, ID: p.ID + "/stop", Time: e.Time})
			}
		case "step-start", "reasoning", "patch", "snapshot", "file", "agent", "retry", "subtask", "compaction":
		default:
			unknown("part " + p.Type)
		}
	}
	return events
}

// prompt is what the user wrote, which is none where a program wrote all of it.
func (m *message) prompt() []agent.Event {
	var texts []string
	for _, p := range m.Parts {
		if p.Type == "text" && !p.Added {
			texts = append(texts, p.Text)
		}
	}
	text := typed(strings.Join(texts, "\n"))
	if text == "" {
		return nil
	}
	return []agent.Event{{Kind: agent.Prompt, ID: m.ID, Text: text, Time: m.At}}
}

// call is a call, and its result if it has ended.
func (p *part) call(e agent.Event, dir string) []agent.Event {
	failed := p.Status == "error"
	if !failed && p.Status != "completed" && p.Status != "running" {
		return nil
	}
	e.Kind, e.Call, e.Tool, e.Class = agent.Call, p.Call, p.Tool, class(p.Tool)
	if rest, ok := strings.CutPrefix(strings.ReplaceAll(p.Tool, "-", "_"), "git_context_"); ok {
		e.Tool = "mcp__git_context__" + rest // ours, as the rules of package agent know them
	}
	e.Argument = agent.Argument(p.Input, dir)
	switch p.Tool {
	case "write", "edit", "multiedit":
		e.Wrote(p.Input, []string{agent.Relative(p.Written, dir)})
		p.Input.Members(func(name []byte, v agent.Value) {
			if string(name) == "filePath" {
				e.Files = []string{agent.Relative(v.Text(), dir)}
			}
		})
	case "patch", "apply_patch":
		p.Input.Members(func(name []byte, v agent.Value) {
			if string(name) == "patchText" {
				e.Patches(v.Text(), dir)
			}
		})
	}
	if p.Status == "running" {
		return []agent.Event{e}
	}
	result := agent.Event{Kind: agent.Result, ID: e.ID + "/result", Time: e.Time, Call: e.Call, Text: p.Output, Failed: failed}
	if p.Exit != "" && p.Exit != "0" && p.Exit != "null" {
		result.Text = strings.TrimRight(result.Text, "\n") + "\nexit code " + p.Exit
	}
	return []agent.Event{e, result}
}

func class(tool string) agent.Class {
	switch tool {
	case "bash":
		return agent.Shell
	case "read", "grep", "glob", "list", "ls", "lsp", "codesearch", "todoread":
		return agent.Looks
	}
	return agent.Other
}
