package agent

import (
	"slices"
	"strings"
)

// Clean replaces secrets by marks in the texts of an event, each as a whole, and makes the Change of what it
// edits. What is cut of an event is cut after that.
func (e *Event) Clean(clean func(text string) string) {
	e.Text, e.Argument = clean(e.Text), clean(e.Argument)
	e.Files = slices.Clone(e.Files)
	for i, name := range e.Files {
		e.Files[i] = clean(name)
	}
	if len(e.Edits) > 0 {
		edits := make([]Edit, len(e.Edits))
		for i, edit := range e.Edits {
			edits[i] = Edit{Old: clean(edit.Old), New: clean(edit.New)}
		}
		e.Edits, e.Change = nil, Change(edits...)
	}
	e.Change = clean(e.Change)
}

// Wrote notes what a call writes, by its input: the files, and what it changes in them.
func (e *Event) Wrote(input Value, files []string) {
	e.Files, e.Edits = files, edits(input)
}

// Patches notes what a call writes by a patch in the form of apply_patch, whose files become its argument.
func (e *Event) Patches(patch, dir string) {
	if e.Files = Patched(patch, dir); len(e.Files) == 0 {
		return
	}
	e.Argument, e.Edits = strings.Join(e.Files, ", "), patched(patch)
}

// edits reads what the input of a call changes, under the names that the clients' tools have. A list of
// edits has the same names within.
func edits(input Value) (list []Edit) {
	var one Edit
	input.Members(func(name []byte, v Value) {
		switch string(name) {
		case "old_string", "old_str", "oldString", "oldText", "old_text":
			one.Old = v.Text()
		case "new_string", "new_str", "newString", "newText", "new_text", "content", "contents", "file_text",
			"new_source", "code_edit", "insert_text":
			one.New = v.Text()
		case "edits":
			v.Elements(func(v Value) { list = append(list, edits(v)...) })
		case "patch", "patchText", "input", "diff":
			list = append(list, patched(v.Text())...)
		}
	})
	if one != (Edit{}) {
		list = append(list, one)
	}
	return list
}

// patched are the edits of a patch: the lines that begin with "-" and "+", between two that do not.
func patched(patch string) (list []Edit) {
	var before, after strings.Builder
	end := func() {
		if before.Len()+after.Len() > 0 {
			list = append(list, Edit{Old: before.String(), New: after.String()})
		}
		before.Reset()
		after.Reset()
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
			end()
		case line[0] == '+':
			after.WriteString(line[1:])
		case line[0] == '-':
			before.WriteString(line[1:])
		default:
			end()
		}
	}
	end()
	return list
}
