// Package cursor reads the events of a session of Cursor: the payloads of its hooks, and the files
// ~/.cursor/projects/PROJECT/agent-transcripts/SESSION.jsonl. The forms are those of its manual
// and of releases 2 and 3.
//
// A line of a file is {role, message: {content}}. The content is a list of blocks: text, and
// tool_use with a name and an input. There are no ids, times, models and results. The text of
// a user is in <user_query>; what Cursor keeps to itself is "[REDACTED]". An answer without a
// call ends the turn.
//
// A payload has a generation_id, one for each prompt, and what Events says.
package cursor

import (
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "cursor"

// Decode reads a file and calls emit for each finished step; see agent.Decode. A step's id is
// the number of its line and block, and its session is that of start.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{dir: start.Dir, sub: strings.Contains(start.Session, "/")}
	return agent.Decode(r, start, d.record, emit)
}

type decoder struct {
	dir  string
	sub  bool
	line int
}

type block struct {
	Type, Text, Name string
	Input            agent.Value
}

func (b *block) read(name []byte, v agent.Value) {
	switch string(name) {
	case "type":
		b.Type = v.Text()
	case "text":
		b.Text = v.Text()
	case "name":
		b.Name = v.Text()
	case "input":
		b.Input = v
	}
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var role, kind string
	var content []block
	ours := false
	d.line++
	whole := agent.Value(line).Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "role":
			role = v.Text()
		case "type":
			kind = v.Text()
		case "message":
			v.Members(func(name []byte, v agent.Value) {
				if string(name) == "content" {
					ours = v.Elements(func(v agent.Value) {
						var b block
						v.Members(b.read)
						content = append(content, b)
					})
				}
			})
		}
	})
	switch {
	case !whole:
		d.line--
		t.Broken()
	case kind != "" || !ours:
		t.Unknown(kind)
	case role == "user":
		t.Own()
		d.prompt(t, content)
	case role == "assistant":
		t.Own()
		d.answer(t, content)
	default:
		t.Unknown("message " + role)
	}
}

// event is an event of a block of the current line.
func (d *decoder) event(kind agent.Kind, block int) agent.Event {
	id := strconv.Itoa(d.line)
	e := agent.Event{Kind: kind, ID: id, Answer: id}
	if block > 0 {
		e.ID += "/" + strconv.Itoa(block)
	}
	return e
}

func (d *decoder) prompt(t *agent.Thread, content []block) {
	var texts []string
	for _, b := range content {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	e := d.event(agent.Prompt, 0)
	if e.Text, e.Task = typed(strings.Join(texts, "\n")), d.sub; e.Text != "" {
		t.Add(e)
	}
}

// typed is what the user typed.
func typed(text string) string {
	_, after, ok := strings.Cut(text, "<user_query>")
	if query, _, whole := strings.Cut(after, "</user_query>"); ok && whole {
		return strings.TrimSpace(query)
	}
	return strings.TrimSpace(agent.Strip(text, "timestamp", "system_reminder", "system-reminder"))
}

func (d *decoder) answer(t *agent.Thread, content []block) {
	ends := true
	for _, b := range content {
		ends = ends && b.Type != "tool_use"
	}
	for n, b := range content {
		switch b.Type {
		case "text":
			e := d.event(agent.Text, n)
			e.Text, e.Final = strings.TrimSpace(strings.ReplaceAll(b.Text, "[REDACTED]", "")), ends
			t.Add(e)
		case "tool_use":
			e := d.event(agent.Call, n)
			e.Call = e.ID
			describe(&e, b.Name, b.Input, d.dir)
			t.Add(e)
			// The file says no result: a call counts as one that did not fail, or no turn would have
			// written anything.
			e = d.event(agent.Result, n)
			e.Call = e.ID
			t.Add(e)
		case "thinking", "image":
		default:
			t.Unknown("block " + b.Type)
		}
	}
	if ends {
		t.Add(d.event(agent.Stop, 0))
	}
}

// describe says what a call does.
func describe(e *agent.Event, tool string, input agent.Value, dir string) {
	e.Tool, e.Argument = tool, agent.Argument(input, dir)
	switch tool {
	case "Shell", "run_terminal_cmd":
		e.Class = agent.Shell
	case "Read", "Grep", "Glob", "LS", "SemanticSearch", "ReadLints", "read_file", "grep", "list_dir", "codebase_search", "file_search":
		e.Class = agent.Looks
	case "Write", "StrReplace", "Edit", "MultiEdit", "Delete", "EditNotebook", "ApplyPatch", "write", "search_replace", "edit_file", "delete_file":
		e.Wrote(input, written(input, dir))
	}
}

// written is the path that a call writes, under the names that it had in several releases.
func written(input agent.Value, dir string) []string {
	if files := agent.Written(input, dir); files != nil {
		return files
	}
	var files []string
	input.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "target_file", "target_notebook", "filePath":
			files = []string{agent.Relative(v.Text(), dir)}
		}
	})
	return files
}
