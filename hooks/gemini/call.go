package gemini

import (
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// describe sets the tool, its main argument, and the files that it writes.
func (c *call) describe(e *agent.Event, dir string) {
	e.Tool, e.Argument = c.Name, agent.Argument(c.Args, dir)
	switch c.Name {
	case "run_shell_command":
		e.Class = agent.Shell
	case "write_file", "replace":
		e.Files = agent.Written(c.Args, dir)
	case "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search":
		e.Class = agent.Looks
	}
}

func (c *call) ended() bool {
	return c.Status == "success" || c.Status == "error" || c.Status == "cancelled"
}

// printed leaves out the frame around what a tool printed, the context of hooks, and the
// lines about a process that say nothing.
func printed(text string) string {
	text = strings.TrimSpace(agent.Strip(text, "hook_context"))
	if inner, ok := strings.CutPrefix(text, "<untrusted_context>\n"); ok {
		text = strings.TrimSuffix(inner, "\n</untrusted_context>")
	}
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && says(lines[len(lines)-1], "Process Group PGID: ", "Background PIDs: ", "Signal: (none)", "Error: (none)", "Exit Code: 0", "Exit Code: (none)") {
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
