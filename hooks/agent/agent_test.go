package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// events is a transcript whose records are events, with the ids e0, e1 and so on.
func events(all ...Event) string {
	var b strings.Builder
	for n, e := range all {
		if e.ID == "" {
			e.ID = fmt.Sprint("e", n)
		}
		line, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// decode decodes such a transcript.
func decode(t testing.TB, text string, start Start) ([]Step, *Report) {
	t.Helper()
	var steps []Step
	report, err := Decode(strings.NewReader(text), start, record, func(s Step) error {
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps, report
}

func record(t *Thread, line []byte) {
	var e Event
	switch err := json.Unmarshal(line, &e); {
	case err != nil:
		t.Broken()
	case e.ID == "":
		t.Unknown("other")
	default:
		t.Own()
		t.Add(e)
	}
}

// brief is the texts of steps, a line each: observation < thought < action.
func brief(steps []Step) (all []string) {
	for _, s := range steps {
		all = append(all, strings.Join([]string{s.Observation, s.Thought, s.Action}, " < "))
	}
	return all
}

func prompt(text string) Event { return Event{Kind: Prompt, Text: text} }
func says(text string) Event   { return Event{Kind: Text, Text: text} }

// call is a call with its result.
func call(id, tool, argument, result string) []Event {
	return []Event{
		{Kind: Call, Call: id, Tool: tool, Argument: argument, Class: map[string]Class{"Sh": Shell, "Read": Looks}[tool]},
		{Kind: Result, Call: id, Text: result},
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	var nine []Event
	for n := range 9 {
		nine = append(nine, call(fmt.Sprint(n), "Read", fmt.Sprint(n), "r")...)
	}
	tests := []struct {
		name   string
		events []Event
		steps  []string
		open   []string
	}{
		{"a prompt and a task", []Event{prompt("\nFix it\n"), {Kind: Prompt, Text: "Look", Task: true}}, []string{"User: Fix it <  < ", "Task: Look <  < "}, nil},
		{"a prompt without a text", []Event{prompt("\n")}, nil, nil},
		{"a text is the thought of the call after it",
			slices.Concat([]Event{says("One."), says("Two.")}, call("1", "Edit", "a.go", "done"), []Event{says("Three.")}),
			[]string{"done < One.\n\nTwo. < Edit: a.go"}, []string{" < Three. < "}},
		{"reads in a row are one step, of at most 8",
			slices.Concat(nine, call("w", "Edit", "a", "ok")),
			[]string{
				"1. r\n2. r\n3. r\n4. r\n5. r\n6. r\n7. r\n8. r <  < 1. Read: 0\n2. Read: 1\n3. Read: 2\n4. Read: 3\n5. Read: 4\n6. Read: 5\n7. Read: 6\n8. Read: 7",
				"r <  < Read: 8", "ok <  < Edit: a",
			}, nil},
		{"a shell only reads if its commands do",
			slices.Concat(call("1", "Sh", "cd x && git log | head -3", "a"), call("2", "Sh", "cat a", "b"), call("3", "Sh", "cat a > b", "")),
			[]string{"1. a\n2. b <  < 1. Sh: cd x && git log | head -3\n2. Sh: cat a", " <  < Sh: cat a > b"}, nil},
		{"parallel results in any order",
			[]Event{{Kind: Call, Call: "1", Tool: "A"}, {Kind: Call, Call: "2", Tool: "B"}, {Kind: Result, Call: "2", Text: "b"}, {Kind: Result, Call: "1", Text: "a"}},
			[]string{"a <  < A", "b <  < B"}, nil},
		{"a repeated step of a turn is dropped, and one of another is not",
			slices.Concat(call("1", "A", "", "a"), call("2", "A", "", "a"), []Event{prompt("p")}, call("3", "A", "", "a")),
			[]string{"a <  < A", "User: p <  < ", "a <  < A"}, nil},
		{"calls of git-context are left out",
			slices.Concat(call("1", "Sh", "git -C x context commit -m y | head -1", "z"), call("2", "mcp__git-context__record", "", "z"),
				call("3", "mcp_git_context_record", "", "z"), call("4", "Sh", "git context commit; rm x", "z")),
			[]string{"z <  < Sh: git context commit; rm x"}, nil},
		{"searches for tools are left out", slices.Concat(call("1", "ToolSearch", "select:X", "z"), call("2", "tool_search", "x", "z")), nil, nil},
		{"a copied call is left out", slices.Concat(call("1", "A", "", "a"), call("1", "B", "", "b")), []string{"a <  < A"}, nil},
		{"a call without a result is not finished", []Event{{Kind: Call, Call: "1", Tool: "A"}, prompt("p")}, nil, []string{" <  < A", "User: p <  < "}},
		{"until the turn ends", []Event{{Kind: Call, Call: "1", Tool: "A"}, {Kind: Stop}}, []string{" <  < A"}, nil},
		{"or the next answer begins",
			[]Event{{Kind: Call, Call: "1", Tool: "A", Answer: "x"}, {Kind: Text, Text: "t", Answer: "y"}}, []string{" <  < A"}, []string{" < t < "}},
		{"a text that grew",
			[]Event{{Kind: Text, Text: "Half", Answer: "x"}, {Kind: Text, Text: "Half a word", Answer: "x", Final: true}}, []string{" < Half a word < "}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			steps, report := decode(t, events(test.events...), Start{})
			if diff := cmp.Diff(test.steps, brief(steps)); diff != "" {
				t.Error("finished:", diff)
			}
			if diff := cmp.Diff(test.open, brief(report.Open)); diff != "" {
				t.Error("open:", diff)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	used := func(answer string, n int64) Event { return Event{Kind: Usage, Answer: answer, Tokens: n} }
	one, two := call("1", "A", "", "a"), call("2", "B", "", "b")
	one[0].Answer, two[0].Answer = "x", "y"
	steps, _ := decode(t, events(slices.Concat([]Event{used("x", 5), used("x", 7)}, one, []Event{used("y", 3)}, two)...), Start{})
	if len(steps) != 2 || steps[0].Tokens != 7 || steps[1].Tokens != 3 {
		t.Errorf("%+v", steps)
	}
}

// A turn has at most 32 KiB, a field 2 KiB; what is cut says so, and the last words have room.
func TestSizes(t *testing.T) {
	t.Parallel()
	all := []Event{prompt(strings.Repeat("ä", 3000))}
	for n := range 2000 {
		all = append(all, call(fmt.Sprint(n), "Make", fmt.Sprint(n), fmt.Sprint(n, strings.Repeat(" long", 1000)))...)
	}
	all = append(all, Event{Kind: Text, Text: strings.Repeat("At the end. ", 120), Final: true})
	steps, report := decode(t, events(all...), Start{})
	size := 0
	for _, s := range steps {
		size += len(s.Observation + s.Thought + s.Action)
	}
	if size > maxTurn || report.LeftOut == 0 || len(steps)+report.LeftOut != 2002 {
		t.Errorf("%d steps of %d bytes, %d left out", len(steps), size, report.LeftOut)
	}
	first, last := steps[0].Observation, steps[len(steps)-1].Thought
	if len(first) > maxField || !strings.Contains(first, " bytes more, sha256 ") || strings.ContainsRune(first, '\uFFFD') {
		t.Errorf("the prompt is %d bytes: %q", len(first), first)
	}
	if last != strings.TrimSpace(strings.Repeat("At the end. ", 120)) {
		t.Errorf("the end is %q", last)
	}
}

func TestTurns(t *testing.T) {
	t.Parallel()
	write := func(id string, failed bool, files ...string) []Event {
		return []Event{{Kind: Call, Call: id, Tool: "W", Argument: id, Files: files}, {Kind: Result, Call: id, Text: id, Failed: failed}}
	}
	var many []string
	for n := range 300 {
		many = append(many, fmt.Sprint("f", n))
	}
	all := slices.Concat(
		[]Event{says("Before any prompt"), prompt("One")}, write("1", false, "a", "b"), write("2", true, "c"), write("3", false, "b", strings.Repeat("x", 2000)),
		[]Event{{Kind: Prompt, Text: "Beside", Beside: true}, {Kind: Text, Text: "Done with one.", Final: true}},
		[]Event{{Kind: Prompt, Text: "Two", Beside: true}}, write("4", false, many...), []Event{{Kind: Stop, Cut: true}},
		[]Event{says("Alone"), {Kind: Stop}, {Kind: Stop}, prompt("Three"), {Kind: Call, Call: "5", Tool: "W"}})
	text := events(all...)
	steps, report := decode(t, text, Start{})
	for i := range report.Turns {
		turn := &report.Turns[i]
		if at := text[turn.Offset:]; turn.Offset > 0 && text[turn.Offset-1] != '\n' || at == "" {
			t.Errorf("turn %d begins at %q", i, at)
		}
		turn.Offset = 0
	}
	want := []Turn{
		{Final: "Before any prompt", Steps: 1, Done: true},
		{Prompt: "One", Final: "Done with one.", Files: []string{"a", "b"}, Calls: 3, Steps: 6, Done: true},
		{Prompt: "Two", Files: many[:maxFiles], Calls: 1, Steps: 2, Done: true, Cut: true},
		{Final: "Alone", Steps: 1, Done: true},
		{Prompt: "Three", Calls: 1, Steps: 2},
	}
	if diff := cmp.Diff(want, report.Turns); diff != "" || report.Final != "" || len(steps) != 11 {
		t.Errorf("%d steps, final '%s': %s", len(steps), report.Final, diff)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	one, two := events(Event{Kind: Stop, ID: "1"}), events(prompt("p"))
	long := `{"ID":"3","Text":"` + strings.Repeat("x", MaxRecord) + "\"}\n"
	tests := []struct {
		name, text               string
		steps, broken, long, end int
	}{
		{"whole", one + two, 1, 0, 0, len(one + two)},
		{"torn", one + two + two[:20], 1, 0, 0, len(one + two)},
		{"without the last newline", one + two[:len(two)-1], 1, 0, 0, len(one+two) - 1},
		{"no JSON", one + "what\n{\"ID\":\n" + two, 1, 2, 0, len(one+two) + 12},
		{"torn, and no object", one + "what", 0, 1, 0, len(one)},
		{"empty lines, CR LF, a mark of order", "\uFEFF" + one + "\n \r\n" + strings.TrimSpace(two) + "\r\n", 1, 0, 0, len(one+two) + 8},
		{"a record that is too long", one + long + two, 1, 0, 1, len(one + long + two)},
		{"torn and too long", one + two + long[:len(long)-3], 1, 0, 1, len(one + two)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			steps, r := decode(t, test.text, Start{})
			if len(steps)+len(r.Open) != test.steps || r.Broken != test.broken || r.TooLong != test.long || r.End != int64(test.end) {
				t.Errorf("%d steps, %+v, want %+v", len(steps)+len(r.Open), r, test.end)
			}
		})
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	none := func(Step) error { return nil }
	for text, want := range map[string]error{"": nil, "\n": nil, "{}\n": ErrForeign, "text\n": ErrForeign, strings.Repeat("x\n", 2000): ErrForeign} {
		if r, err := Decode(strings.NewReader(text), Start{}, record, none); err != want || r == nil {
			t.Errorf("%.20q: %v", text, err)
		}
		if _, err := Decode(strings.NewReader(text), Start{Middle: true}, record, none); err != nil {
			t.Errorf("%.20q in the middle: %v", text, err)
		}
	}
	failed := errors.New("failed")
	if _, err := Decode(io.MultiReader(strings.NewReader(events(prompt("p"))), errReader{failed}), Start{}, record, none); err != failed {
		t.Error(err)
	}
	if _, err := Decode(strings.NewReader(events(prompt("p"), prompt("q"))), Start{}, record, func(Step) error { return failed }); err != failed {
		t.Error(err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// Whatever happens, in whatever order: a transcript that is cut off gives a prefix of the
// steps, turns count their steps, and the sizes are kept.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SampledFrom([]string{"", "a", "b", "c"})
		var all []Event
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			all = append(all, Event{
				Kind: Kind(rapid.IntRange(0, int(Stop)).Draw(t, "kind")), Text: few.Draw(t, "text") + strings.Repeat("x", rapid.SampledFrom([]int{0, 5000}).Draw(t, "more")),
				Answer: few.Draw(t, "answer"), Call: few.Draw(t, "call") + few.Draw(t, "call"), Tool: "T" + few.Draw(t, "tool"),
				Class: Class(rapid.IntRange(0, int(Shell)).Draw(t, "class")), Argument: rapid.SampledFrom([]string{"", "cat x", "make", "git context"}).Draw(t, "argument"),
				Final: rapid.Bool().Draw(t, "final"), Beside: rapid.Bool().Draw(t, "beside"), Failed: rapid.Bool().Draw(t, "failed"),
				Tokens: int64(rapid.IntRange(-1, 9).Draw(t, "tokens")), Files: []string{few.Draw(t, "file")},
			})
		}
		text := events(all...)
		whole, report := laws(t, text)
		end := 0
		for line := range strings.Lines(text) {
			end += len(line)
			part, r := laws(t, text[:end])
			if len(part) > len(whole) || !slices.Equal(part, whole[:len(part)]) {
				t.Fatalf("cut off at %d: %q, want a prefix of %q", end, brief(part), brief(whole))
			}
			if len(r.Turns) > len(report.Turns) {
				t.Fatalf("cut off at %d: %d turns, of %d", end, len(r.Turns), len(report.Turns))
			}
		}
	})
}

func laws(t *rapid.T, text string) (steps []Step, _ *Report) {
	report, err := Decode(strings.NewReader(text), Start{}, record, func(s Step) error {
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(steps, report.Open)
	for n, turn := range report.Turns {
		size := 0
		for _, s := range all[:turn.Steps] {
			if s.Observation+s.Thought+s.Action == "" || max(len(s.Observation), len(s.Thought), len(s.Action)) > maxField {
				t.Fatalf("%+v", s)
			}
			size += len(s.Observation + s.Thought + s.Action)
		}
		if all = all[turn.Steps:]; size > maxTurn {
			t.Fatalf("turn %d has %d bytes", n, size)
		}
		if !turn.Done && n < len(report.Turns)-1 {
			t.Fatalf("turn %d of %d is not done", n, len(report.Turns))
		}
	}
	if len(all) > 0 {
		t.Fatalf("%d steps of no turn", len(all))
	}
	return steps, report
}
