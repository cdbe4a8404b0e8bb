package agent

import (
	"strings"
	"testing"
)

func TestChange(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		want     string
	}{
		{"new", "", "package a\n\nfunc A() {}\n", "+ package a\n+ func A() {}"},
		{"one line", "a\nb\nc\n", "a\nB\nc\n", "+ B\n- b"},
		{"only moved and indented", "a\nb\n", "\tb\n\ta\n", ""},
		{"only braces", "a", "a\n\n{\n}\n----\n", ""},
		{"removed", "a\nb\nc", "a", "- b\n- c"},
		{"nothing", "", "", ""},
		{"twice", "a\n", "a\na\n", "+ a"},
	}
	for _, test := range tests {
		if got := Change(Edit{test.old, test.new}); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Of a text that has no room, what names its parts is there, and then its beginning.
func TestChangeOfLongTexts(t *testing.T) {
	body := strings.Repeat("\tx = y + z // and this is only how it is done\n", 20)
	code := "package a\n\nimport \"fmt\"\n\n// A sorts.\nfunc A() {\n" + body + "}\n\ntype B struct {\n" + body + "}\n"
	text := "Shows of a time\n===============\n\nWhat is in it, and why.\n\n-----\nDRAMA\n-----\n" + strings.Repeat("A name of a show (1999)\n", 30) +
		"-----\nCOMEDY\n-----\n" + strings.Repeat("B name of a show (1999)\n", 30)
	for _, test := range []struct {
		text string
		has  []string
		not  string
	}{
		{code, []string{"+ // A sorts.\n+ func A() {\n", "+ type B struct {\n", " lines more"}, "import"},
		{text, []string{"+ Shows of a time\n+ What is in it, and why.\n+ DRAMA\n", "+ COMEDY", " lines more"}, "==="},
	} {
		got := Change(Edit{New: test.text})
		for _, want := range test.has {
			if !strings.Contains(got, want) {
				t.Errorf("%q lacks %q", got, want)
			}
		}
		if strings.Contains(got, test.not) || len(got) > MaxChange || len(got) < MaxChange/2 {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}

// Of several edits, the shortest is whole.
func TestChangeOfSeveralEdits(t *testing.T) {
	long := Edit{Old: strings.Repeat("old line\n", 50), New: ".name {\n" + strings.Repeat("  rule: one value of many;\n", 50) + "}\n"}
	got := Change(long, Edit{Old: "color: red;", New: "color: green;"})
	for _, want := range []string{"+ .name {\n", "+ color: green;", " lines more"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if short := Shorten(got, 60); len(short) > 60 || !strings.HasPrefix(short, "+ .name {\n") || !strings.Contains(short, " lines more") {
		t.Errorf("%q", short)
	}
}

func TestEdits(t *testing.T) {
	for input, want := range map[string]string{
		`{"file_path":"a","old_string":"x","new_string":"y"}`:                            "+ y\n- x",
		`{"path":"a","contents":"y"}`:                                                    "+ y",
		`{"edits":[{"old_string":"x","new_string":"y"},{"oldText":"v","newText":"w"}]}`:  "+ y\n- x\n+ w\n- v",
		`{"patch":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n z\n*** End Patch"}`: "+ y\n- x",
		`{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n"}`:                             "+ y\n- x",
		`{"content":"a ` + strings.Repeat(`\\\u00e9`, 20<<10) + `"}`:                     "",
		`{"content":"first\n` + strings.Repeat("é", 20<<10) + `"}`:                       "+ first\n+ " + strings.Repeat("é", mostChanged-1) + "…",
		`{"command":"make"}`: "",
		`["a"]`:              "",
	} {
		var e Event
		e.Wrote(Value(input), nil)
		if e.Clean(Start{}.Cleaner()); want != "" && e.Change != want {
			t.Errorf("%.80s: got %q, want %q", input, e.Change, want)
		}
	}
}

// The change is in the action of a call that did not fail, and nowhere else of one that did.
func TestActionHasTheChange(t *testing.T) {
	for _, failed := range []bool{false, true} {
		var steps []Step
		th := newThread(Start{}, func(s Step) error { steps = append(steps, s); return nil })
		th.Add(Event{Kind: Prompt, ID: "p", Text: "Do it"})
		th.Add(Event{Kind: Call, ID: "c", Call: "c", Tool: "Edit", Argument: "a.go", Files: []string{"a.go"}, Change: "+ x"})
		th.Add(Event{Kind: Result, ID: "r", Call: "c", Text: "done", Failed: failed})
		s, edits := steps[1], th.report.Turns[0].Edits
		if failed && (s.Action != "Edit: a.go" || s.Change != "" || len(edits) > 0) {
			t.Errorf("a failed call: %+v, %v", s, edits)
		}
		if !failed && (s.Action != "Edit: a.go\n+ x" || s.Change != "+ x" || s.File != "a.go" || len(edits) != 1 || edits[0] != Edited{"a.go", "+ x"}) {
			t.Errorf("%+v, %v", s, edits)
		}
	}
}

// Edits of one file are one entry, the newest first.
func TestAddEdited(t *testing.T) {
	var list []Edited
	for _, e := range []Edited{{"a", "+ 1"}, {"b", "+ 2"}, {"a", "+ 3"}, {"c", "+ 4"}} {
		list = AddEdited(list, e, 2)
	}
	if len(list) != 2 || list[0] != (Edited{"a", "+ 3\n+ 1"}) || list[1] != (Edited{"b", "+ 2"}) {
		t.Errorf("%v", list)
	}
}
