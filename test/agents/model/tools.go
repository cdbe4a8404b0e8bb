package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// question is what a request asks, whatever the API.
type question struct {
	said   []string // by the user, oldest first
	tools  []tool
	stream bool
	model  string
	json   bool // the answer must be JSON
}

// tool is one that a request declares.
type tool struct {
	space  string // a namespace of the Responses API
	name   string
	text   bool // it takes a text in place of an object
	schema schema
}

// schema is what matters of a JSON schema.
type schema struct {
	Properties map[string]struct {
		Type any   `json:"type"`
		Enum []any `json:"enum"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// answer is what the model says and calls.
type answer struct {
	id     string
	say    string
	calls  []call
	tokens int
}

// call is one call of a tool.
type call struct {
	id    string
	tool  tool
	input any // an object, or the text of a tool that takes one
}

// arguments returns the input of a call as JSON.
func (c call) arguments() string {
	data, _ := json.Marshal(c.input) // an object of texts and numbers
	return string(data)
}

// names lists the tools of all clients that do a deed, the preferred one first.
func names(k kind) []string {
	switch k {
	case shell:
		return []string{"Bash", "exec_command", "shell_command", "run_shell_command", "bash", "shell"}
	case read:
		return []string{"Read", "read_file", "read", "view"}
	case write:
		return []string{"Write", "write_file", "write", "create"}
	}
	return []string{"Agent", "Task", "agent", "spawn_agent", "invoke_agent", "task"}
}

// declared returns the tool that a request declares for a name, or for the tool of a server; else the same
// tool, of which the client says that it has none. Clients put the server before the name, in their own ways.
func (q *question) declared(t tool) tool {
	plain := func(name string) string { return strings.ReplaceAll(name, "-", "_") }
	i := slices.IndexFunc(q.tools, func(u tool) bool {
		if t.space == "" {
			return u.space == "" && u.name == t.name
		}
		_, name, ours := strings.Cut(plain(u.space+"_"+u.name), plain(t.space))
		return ours && strings.Trim(name, "_") == t.name
	})
	if i < 0 {
		return t
	}
	return q.tools[i]
}

// call translates a deed.
func (q *question) call(d Deed) call {
	if d.kind == named {
		c := d.call
		c.tool = q.declared(c.tool)
		return c
	}
	for _, name := range names(d.kind) {
		i := slices.IndexFunc(q.tools, func(t tool) bool { return t.name == name && !t.text })
		if i >= 0 {
			return call{tool: q.tools[i], input: q.tools[i].input(d)}
		}
	}
	switch d.kind {
	case read:
		return q.call(Shell("cat '" + d.path + "'"))
	case write:
		if i := slices.IndexFunc(q.tools, func(t tool) bool { return t.name == "apply_patch" }); i >= 0 {
			return q.tools[i].patch(d)
		}
		return q.call(Shell(fmt.Sprintf("printf '%%s' '%s' >'%s'", d.text, d.path)))
	}
	// Codex declares the tools of subagents after a search only, and takes them without one. Where no
	// tool does it, the client says so.
	return call{tool: tool{space: "multi_agent_v1", name: "spawn_agent"},
		input: object{"message": d.text, "agent_type": "default"}}
}

// patch makes a file by a patch, with the tool of Codex and of OpenCode.
func (t tool) patch(d Deed) call {
	text := "*** Begin Patch\n*** Add File: " + d.path + "\n"
	for line := range strings.Lines(d.text) {
		text += "+" + strings.TrimSuffix(line, "\n") + "\n"
	}
	text += "*** End Patch\n"
	if t.text {
		return call{tool: t, input: text}
	}
	return call{tool: t, input: object{"patchText": text}}
}

// input fills the parameters of a tool: those of the deed, and what is required besides.
func (t tool) input(d Deed) object {
	in := object{}
	fill := func(value string, parameters ...string) {
		for _, p := range parameters {
			if _, has := t.schema.Properties[p]; has {
				in[p] = value
				return
			}
		}
		in[parameters[0]] = value
	}
	switch d.kind {
	case shell:
		fill(d.text, "command", "cmd")
		if p, has := t.schema.Properties["command"]; has && p.Type == "array" {
			in["command"] = []string{"sh", "-c", d.text}
		}
	case read:
		fill(d.path, "file_path", "filePath", "path", "absolute_path")
	case write:
		fill(d.path, "file_path", "filePath", "path", "absolute_path")
		fill(d.text, "content", "file_text")
	case spawn:
		fill(d.text, "prompt", "message", "task")
	}
	for _, p := range t.schema.Required {
		if _, set := in[p]; !set {
			in[p] = t.filler(p)
		}
	}
	return in
}

// filler is a value for a required parameter that means nothing here.
func (t tool) filler(parameter string) any {
	p := t.schema.Properties[parameter]
	if parameter == "subagent_type" || parameter == "agent_type" || parameter == "agent_name" {
		if len(p.Enum) == 0 {
			return map[string]string{"Agent": "general-purpose", "Task": "general-purpose", "agent": "general-purpose",
				"invoke_agent": "generalist", "task": "general", "spawn_agent": "default"}[t.name]
		}
	}
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.Type == "boolean":
		return false
	case p.Type == "integer", p.Type == "number":
		return 1
	case p.Type == "array":
		return []any{}
	case p.Type == "object":
		return object{}
	}
	return "scripted"
}
