package gemini

import (
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Describe sets the tool of a call, its main argument, and the files that it writes. Qwen Code has
// these tools, and edit.
func Describe(e *agent.Event, name string, args agent.Value, dir string) {
	e.Tool, e.Argument = name, agent.Argument(args, dir)
	switch name {
	case "run_shell_command":
		e.Class = agent.Shell
	case "write_file", "replace", "edit":
		e.Wrote(args, agent.Written(args, dir))
	case "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search":
		e.Class = agent.Looks
	}
}

func (c *call) ended() bool {
	return c.Status == "success" || c.Status == "error" || c.Status == "cancelled"
}

// Printed leaves out the frame around what a tool printed, the context of hooks, and the
// lines about a process that say nothing. Qwen Code writes the same frame.
func Printed(text string) string {
	text = strings.TrimSpace(agent.Strip(text, "hook_context"))
	if inner, ok := strings.CutPrefix(text, "<untrusted_context>\n"); ok {
		text = strings.TrimSuffix(inner, "\n</untrusted_context>")
	}
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && says(lines[len(lines)-1], "Process Group PGID: ", "Background PIDs: ", "Signal: (none)", "Signal: 0", "Error: (none)", "Exit Code: 0", "Exit Code: (none)") {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && says(lines[0], "Command: ", "Directory: ") && len(lines) > 1 {
		lines = lines[1:]
	}
	text = strings.Join(lines, "\n")
	if rest, ok := strings.CutPrefix(text, "Output: "); ok {
		text = strings.TrimPrefix(rest, "(empty)")
	}
	return text
}

func says(line string, begins ...string) bool {
	for _, begin := range begins {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}
