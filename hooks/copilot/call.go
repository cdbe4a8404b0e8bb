package copilot

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// call is a request of a tool.
type call struct {
	ID, Name     string
	Server, Tool string // of an MCP server
	Arguments    agent.Value
}

func (c *call) read(name []byte, v agent.Value) {
	switch string(name) {
	case "toolCallId":
		c.ID = v.Text()
	case "name":
		c.Name = v.Text()
	case "mcpServerName":
		c.Server = v.Text()
	case "mcpToolName":
		c.Tool = v.Text()
	case "arguments":
		if c.Arguments = v; len(v) > 0 && v[0] == '"' { // older releases write JSON in a string
			c.Arguments = agent.Value(v.Text())
		}
	}
}

// describe sets the tool, its main argument, and the files that it writes.
func (c *call) describe(e *agent.Event, dir string) {
	e.Tool, e.Argument = c.Name, agent.Argument(c.Arguments, dir)
	if c.Server != "" && c.Tool != "" { // the name is "SERVER-TOOL", which others may have too
		e.Tool = "mcp__" + c.Server + "__" + c.Tool
	}
	switch c.Name {
	case "bash", "powershell":
		e.Class = agent.Shell
	case "create", "edit":
		e.Wrote(c.Arguments, agent.Written(c.Arguments, dir))
	case "apply_patch":
		patch := c.Arguments
		c.Arguments.Members(func(name []byte, v agent.Value) {
			if string(name) == "input" || string(name) == "patch" {
				patch = agent.Value(v.Text())
			}
		})
		e.Argument = string(patch)
		e.Patches(string(patch), dir)
	case "view", "grep", "glob", "rg", "ls", "read_bash", "list_bash", "read_powershell", "list_powershell", "read_agent", "list_agents",
		"report_intent", "fetch_copilot_cli_documentation", "lsp":
		e.Class = agent.Looks
	}
}

// failed reports whether the call had no effect.
func (r *record) failed() bool {
	return r.Failed || r.Exit != 0 || r.ResultType != "" && r.ResultType != "success"
}

// result is what a call printed, without the line about the shell.
func (r *record) result() string {
	text := strings.TrimRight(r.Result, "\n")
	if at := strings.LastIndexByte(text, '\n') + 1; strings.HasPrefix(text[at:], "<shellId: ") && strings.HasSuffix(text, ">") {
		text = strings.TrimRight(text[:at], "\n")
	}
	switch {
	case r.Error != "":
		return "Error: " + strings.TrimPrefix(r.Error, "Error: ")
	case r.Exit != 0:
		return strings.TrimSuffix(fmt.Sprintf("Exit code %d\n%s", r.Exit, text), "\n")
	}
	return text
}
