package agent

import (
	"encoding/json"
	"testing"
)

// What is valid JSON is read as encoding/json reads it; nothing makes it fail.
func FuzzValue(f *testing.F) {
	for _, s := range []string{
		`{"a":"b\n\u001b\u00e4\ud83d\ude00\ud800","c":{"d":[1,{"e":"}"}]},"f":null}`, `["\\\"", "\\", -1.5e3 , true,[] ]`, ` {}`, `{"a" : 1 , }`, `{"a":"\`, `{"a":bad}`,
		`"\q"`, `[`, `{"a":1}x`, `"` + "\xff" + `"`, `{"":"\u12"}`, `[1,]`, `[,1]`, `{"a"}`, `"\/\b\f\n\r\t"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members := map[string]Value{}
		object := Value(data).Members(func(name []byte, v Value) { members[string(name)] = v })
		var elements []Value
		array := Value(data).Elements(func(v Value) { elements = append(elements, v) })
		text := Value(data).Text()
		var want any
		if json.Unmarshal(data, &want) != nil || len(data) > 0 && spaces(data)+spaces(reversed(data)) > 0 {
			return
		}
		switch want := want.(type) {
		case map[string]any:
			if !object || len(members) < len(want) { // a name may be written in two ways
				t.Errorf("%q: %q", data, members)
			}
			for name, v := range want {
				same(t, members[name], v)
			}
		case []any:
			if !array || len(elements) != len(want) {
				t.Fatalf("%q: %q", data, elements)
			}
			for i, v := range want {
				same(t, elements[i], v)
			}
		case string:
			if text != want {
				t.Errorf("%q: %q, want %q", data, text, want)
			}
		}
	})
}

func same(t *testing.T, v Value, want any) {
	t.Helper()
	s, ok := want.(string)
	if ok && v != nil && v.Text() != s {
		t.Errorf("%q: %q, want %q", v, v.Text(), s)
	}
	if b, ok := want.(bool); ok && v != nil && v.True() != b {
		t.Errorf("%q is not %t", v, b)
	}
}

func reversed(data []byte) []byte {
	back := make([]byte, len(data))
	for i, c := range data {
		back[len(data)-1-i] = c
	}
	return back
}

// A plan is what Argument makes of a list of to-dos, and nothing else that has a bracket.
func TestIsPlan(t *testing.T) {
	for action, want := range map[string]bool{
		"TodoWrite: " + Argument([]byte(`{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}`), ""): true,
		"update_plan: " + Argument([]byte(`{"plan":[{"step":"a","status":"in_progress"}]}`), ""):                                    true,
		"Bash: [ ] a\nmake": false, "Bash: [ -f a ] && make": false, "Bash: make": false, "TodoWrite": false, "TodoWrite: ": false, "": false,
	} {
		if got := IsPlan(action); got != want {
			t.Errorf("%q: %v", action, got)
		}
	}
}
