package opencode_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/git-context/git-context/hooks/opencode"
)

// Hooks never read an export, so it is not read in parts.
func TestGolden(t *testing.T) { golden.Decode(opencode.Decode).Whole(t) }

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The document that the client prints gives what its messages give as lines.
func TestExport(t *testing.T) {
	t.Parallel()
	decode := golden.Decode(opencode.Decode)
	steps, report := decode.Run(t, read(t, "testdata/export.json"), agent.Start{})
	want, lines := decode.Run(t, read(t, "testdata/main.jsonl"), agent.Start{})
	if diff := cmp.Diff(golden.Show(want, lines), golden.Show(steps, report)); diff != "" || len(steps) == 0 {
		t.Error(diff)
	}
	for _, text := range []string{`{"type":"user","message":{}}` + "\n", "\x00\n", `{"info":{"id":"ses_a"},"messages":7}` + "\nno\n"} {
		if _, err := opencode.Decode(strings.NewReader(text), agent.Start{}, func(agent.Step) error { return nil }); (err == nil) != strings.Contains(text, "ses_a") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What the plugin gives to the hooks part by part is what the client exports.
func TestEvents(t *testing.T) {
	t.Parallel()
	show := func(events []agent.Event) (all []string) {
		for _, e := range events {
			all = append(all, fmt.Sprintf("%d %s %q %s %q %q %v %t %d", e.Kind, e.ID, e.Text, e.Tool, e.Argument, e.Call, e.Files, e.Failed, e.Tokens))
		}
		return all
	}
	const common = `{"session_id":"s","cwd":"/home/dev/project"`
	var got []agent.Event
	for line := range strings.Lines(read(t, "testdata/main.jsonl")) {
		if strings.Contains(line, `"role": "assistant"`) {
			got = append(got, opencode.Events("activity", []byte(common+`,"messages":[`+line+`]}`))...)
		}
	}
	if len(got) != 17 {
		t.Errorf("%d events: %s", len(got), strings.Join(show(got), "\n"))
	}
	for name, test := range map[string]struct {
		event, payload string
		want           []string
	}{
		"prompt":         {"prompt", `,"message_id":"msg_1","prompt":"\"fix it\""}`, []string{`0 msg_1 "fix it"  "" "" [] false 0`}},
		"quoted words":   {"prompt", `,"message_id":"msg_1","prompt":"\"a\" or \"b\""}`, []string{`0 msg_1 "\"a\" or \"b\""  "" "" [] false 0`}},
		"no prompt":      {"prompt", `,"message_id":"msg_1","prompt":""}`, nil},
		"nothing":        {"activity", `,"messages":[]}`, nil},
		"end":            {"turn-end", `,"messages":[]}`, []string{`5  ""  "" "" [] false 0`}},
		"of a later one": {"activity", `,"messages":{"a":[]}}`, nil},
		"torn":           {"activity", `,"messages":[{"info":{"id":"m","role":"assistant"},"parts":[`, nil},
	} {
		if got := show(opencode.Events(test.event, []byte(common+test.payload))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
