package agent

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Wrote notes what a call writes, by its input: the files, and the short form of what it changes in
// them, see Change.
func (e *Event) Wrote(input Value, files []string) {
	e.Files, e.Change = files, Change(edits(input)...)
}

// Patches notes what a call writes by a patch in the form of apply_patch, whose files become its argument.
func (e *Event) Patches(patch, dir string) {
	if e.Files = Patched(patch, dir); len(e.Files) == 0 {
		return
	}
	e.Argument, e.Change = strings.Join(e.Files, ", "), Change(patched(patch)...)
}

// edits reads what the input of a call changes, under the names that the clients' tools have. A list of
// edits has the same names within.
func edits(input Value) (list []Edit) {
	var one Edit
	input.Members(func(name []byte, v Value) {
		switch string(name) {
		case "old_string", "old_str", "oldString", "oldText", "old_text":
			one.Old = v.beginning()
		case "new_string", "new_str", "newString", "newText", "new_text", "content", "contents", "file_text",
			"new_source", "code_edit", "insert_text":
			one.New = v.beginning()
		case "edits":
			v.Elements(func(v Value) { list = append(list, edits(v)...) })
		case "patch", "patchText", "input", "diff":
			list = append(list, patched(v.beginning())...)
		}
	})
	if one != (Edit{}) {
		list = append(list, one)
	}
	return list
}

// patched are the edits of a patch: the lines that begin with "-" and "+", between two that do not.
func patched(patch string) (list []Edit) {
	var one Edit
	end := func() {
		if one != (Edit{}) {
			list = append(list, one)
		}
		one = Edit{}
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
			end()
		case line[0] == '+':
			one.New += line[1:]
		case line[0] == '-':
			one.Old += line[1:]
		default:
			end()
		}
	}
	end()
	return list
}

// beginning is the beginning of a string, as much of it as Change looks at: a file that is written may
// have megabytes.
func (v Value) beginning() string {
	if len(v) <= 2*mostEdited {
		return v.Text()
	}
	v = v[:2*mostEdited]
	if at := bytes.LastIndexByte(v, '\\'); at >= len(v)-len(`\u0000`) { // which may not be whole
		for at > 0 && v[at-1] == '\\' {
			at--
		}
		v = v[:at]
	}
	for range utf8.UTFMax - 1 { // a character may not be whole, either
		if c, size := utf8.DecodeLastRune(v); c != utf8.RuneError || size != 1 {
			break
		}
		v = v[:len(v)-1]
	}
	return append(v[:len(v):len(v)], '"').Text()
}
