package codex

import (
	"strconv"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// call sets the tool, its main argument, and the files that it writes.
func (d *decoder) call(p *payload, e *agent.Event) {
	e.Tool = p.Name
	if strings.HasPrefix(p.Namespace, "mcp__") {
		e.Tool = p.Namespace + "__" + p.Name
	}
	switch p.Type {
	case "function_call":
		e.Argument = agent.Argument([]byte(p.Arguments), d.dir)
		if e.Argument == "" && p.Arguments != "{}" {
			e.Argument = p.Arguments
		}
	case "custom_tool_call":
		e.Argument = p.Input
	case "local_shell_call":
		e.Tool, e.Argument = "shell", agent.Argument(p.Action, d.dir)
	}
	e.Class = class(e.Tool)
	if !strings.Contains(e.Argument, "*** Begin Patch") {
		return
	}
	argument, patch := e.Argument, e.Argument
	agent.Value(p.Arguments).Members(func(name []byte, v agent.Value) {
		if string(name) == "input" || string(name) == "patch" {
			patch = v.Text()
		}
	})
	e.Patches(patch, d.dir)
	if e.Tool != "apply_patch" { // a command line has it
		e.Argument = argument
	}
}

func class(tool string) agent.Class {
	switch tool {
	case "exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec":
		return agent.Shell
	case "read_file", "list_dir", "grep_files", "view_image", "list_mcp_resources", "list_mcp_resource_templates",
		"read_mcp_resource":
		return agent.Looks
	}
	return agent.Other
}

// output is the text of a result, and whether a command failed.
func output(value agent.Value) (result string, failed bool) {
	if result = value.Text(); result == "" {
		result = text(parts(value))
	}
	var old struct {
		Output   *string `json:"output"`
		Metadata struct {
			Code int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(result, `{"output":`) && agent.Unmarshal([]byte(result), &old) == nil && old.Output != nil {
		return coded(old.Metadata.Code, *old.Output), old.Metadata.Code != 0
	}
	return printed(result)
}

// printed leaves out the lines that the client writes above what a command printed, but for
// the exit code of a failure.
func printed(result string) (string, bool) {
	code, kept := 0, ""
	for rest := result; ; {
		line, after, _ := strings.Cut(rest, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch number, exited := strings.CutPrefix(line, "Process exited with code "); {
		case exited:
			code, _ = strconv.Atoi(number)
		case name == "Exit code":
			code, _ = strconv.Atoi(value)
		case strings.HasPrefix(line, "Process running with session ID "):
			kept = line + "\n"
		case name == "Chunk ID", name == "Wall time", name == "Original token count", name == "Total output lines":
		case line == "Output:":
			return coded(code, kept+after), code != 0
		default: // no such lines
			return result, false
		}
		rest = after
	}
}

func coded(code int, text string) string {
	if code == 0 {
		return text
	}
	return "Exit code " + strconv.Itoa(code) + "\n" + text
}
