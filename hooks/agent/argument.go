package agent

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
)

// Argument returns the main argument of a call from its input, a JSON object: the command,
// path, pattern, address or description, or else the whole input on one line. Paths below
// dir become relative to it.
func Argument(input []byte, dir string) string {
	members := map[string]Value{}
	if !Value(input).Members(func(name []byte, v Value) { members[string(name)] = v }) || len(members) == 0 {
		return ""
	}
	if pattern, ok := text(members["pattern"]); ok {
		if where, ok := text(members["path"]); ok && where != "" && where != dir {
			return pattern + " in " + Relative(where, dir)
		}
		return pattern
	}
	for _, key := range []string{"command", "cmd", "file_path", "notebook_path", "filePath", "absolute_path", "path", "dir_path"} {
		if value, ok := text(members[key]); ok && value != "" {
			return Relative(value, dir)
		}
	}
	for _, key := range []string{"query", "search_term", "url", "skill", "todos", "plan", "questions", "description", "prompt", "message"} {
		if value, ok := text(members[key]); ok && value != "" {
			return value
		}
		if value := list(members[key]); value != "" {
			return value
		}
	}
	var line bytes.Buffer
	if json.Compact(&line, input) != nil {
		return ""
	}
	return line.String()
}

// Written returns the path that a call writes, by its input: that of the file.
func Written(input []byte, dir string) []string {
	name := ""
	Value(input).Members(func(key []byte, v Value) {
		switch string(key) {
		case "file_path", "notebook_path", "path":
			name = v.Text()
		}
	})
	if name == "" {
		return nil
	}
	return []string{Relative(name, dir)}
}

// Patched returns the paths that a patch in the form of apply_patch writes, such as those of
// lines "*** Update File: x".
func Patched(patch, dir string) (files []string) {
	for line := range strings.Lines(patch) {
		rest, ok := strings.CutPrefix(line, "*** ")
		if !ok {
			continue
		}
		for _, begin := range []string{"Add File: ", "Update File: ", "Delete File: ", "Move to: "} {
			if name, ok := strings.CutPrefix(rest, begin); ok {
				files = append(files, Relative(strings.TrimSpace(name), dir))
			}
		}
	}
	return files
}

// Relative returns the path relative to dir if it is below it: shorter, and without the home
// directory of the user.
func Relative(name, dir string) string {
	if below, ok := strings.CutPrefix(name, strings.TrimRight(dir, "/")+"/"); ok && dir != "" && !strings.Contains(name, "\n") {
		return path.Clean(below)
	}
	return name
}

// text reads a string, or a list of words as a command line; that of `sh -c` is its script.
func text(value Value) (string, bool) {
	if len(value) == 0 {
		return "", false
	}
	if value[0] == '"' {
		return value.Text(), true
	}
	var words []string
	if value[0] != '[' || json.Unmarshal(value, &words) != nil {
		return "", false
	}
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") {
		return words[2], true
	}
	return strings.Join(words, " "), true
}

// list reads a list of to-dos, steps of a plan, or questions.
func list(value Value) string {
	var entries []struct{ Content, Step, Question, Status string }
	if len(value) == 0 || value[0] != '[' || Unmarshal(value, &entries) != nil {
		return ""
	}
	var lines []string
	for _, e := range entries {
		if line := e.Content + e.Step + e.Question; line != "" {
			lines = append(lines, marks[e.Status]+line)
		}
	}
	return strings.Join(lines, "\n")
}

// marks are what the lines of a plan begin with, by the state of their entries.
var marks = map[string]string{"completed": "[x] ", "in_progress": "[>] ", "pending": "[ ] "}

// IsPlan reports whether an action wrote a list of to-dos or a plan: the argument that it has then.
func IsPlan(action string) bool {
	_, argument, _ := strings.Cut(action, ": ")
	if argument == "" {
		return false
	}
	for line := range strings.Lines(argument) {
		if len(line) < len(marks["pending"]) || line[0] != '[' || line[2:4] != "] " || !strings.ContainsRune("x> ", rune(line[1])) {
			return false
		}
	}
	return true
}
