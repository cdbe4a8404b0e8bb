package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/google/go-cmp/cmp"
)

const trajectory = `{
  "environment": "main",
  "history": [{"role": "system", "content": ["{", {"trajectory": []}]}],
  "trajectory": [
    {"action": "ls\n", "observation": "a\r\nb", "thought": "look", "response": "r", "state": {"open": null}},
    {"action": "", "observation": "", "thought": ""},
    {"action": null, "observation": "only this"}
  ],
  "info": {"exit_status": "submitted", "n": 1e3, "ok": true}
}
`

func traceFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.traj")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// readTrace reads the trajectory at path, as Import does, with an error that names file.
func readTrace(ctx context.Context, path, file string) ([]agent.Step, *agent.Report, error) {
	f := Given(SWEAgent, path, file)
	var steps []agent.Step
	in, err := f.Open(ctx)
	if err != nil {
		return nil, nil, Unread(SWEAgent, path, file, err)
	}
	defer func() { _ = in.Close() }() // nothing was written
	report, err := f.Decode(in, agent.Start{Session: f.Session}, func(s agent.Step) error {
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		err = Unread(SWEAgent, path, file, err)
	}
	return steps, report, err
}

func TestReadSWEAgent(t *testing.T) {
	got, report, err := readTrace(t.Context(), traceFile(t, trajectory), "x.traj")
	if err != nil {
		t.Fatal(err)
	}
	want := []agent.Step{
		{Session: "x", Action: "ls\n", Observation: "a\r\nb", Thought: "look", Source: "x.traj:0:f0d1ce752291af97"},
		{Session: "x", Observation: "only this", Source: "x.traj:2:c5b66be12c9a7090"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1}, report.Empty); diff != "" {
		t.Error(diff)
	}
}

// A trace that is cut off anywhere is refused: none of its steps come, and the
// error names the line where it ends.
func TestReadSWEAgentTruncated(t *testing.T) {
	for end := range len(trajectory) - 2 {
		cut := trajectory[:end]
		got, _, err := readTrace(t.Context(), traceFile(t, cut), "x.traj")
		if err == nil || len(got) > 0 {
			t.Fatalf("cut off at %d: %+v", end, got)
		}
		var at *lineError
		if !errors.As(err, &at) || at.line < 1 || at.line > strings.Count(cut, "\n")+1 {
			t.Fatalf("cut off at %d: %v", end, err)
		}
	}
}

func TestReadSWEAgentMalformed(t *testing.T) {
	for _, test := range []struct{ content, want string }{
		{"", "line 1: the file ends in the middle"},
		{"[]", "line 1: an object expected"},
		{"{\"history\":[]}", "line 1: no member \"trajectory\""},
		{"{\n\"trajectory\":{}}", "line 2: a list of steps expected"},
		{"{\n\"trajectory\":[\n{\"action\":[\"ls\"]}]}", "line 3: \"action\" is a JSON array, not a text"},
		{"{\n\"trajectory\":[\n7]}", "line 3: a step is a JSON object, not a number"},
		{"{\n\"trajectory\":[\n{\n\"thought\":1,\n\"action\":\"\"\n}]}", "line 4: \"thought\" is a JSON number"},
		{"{\n\"trajectory\":[\n{}\n{}]}", "line 4: "},
		{"{\n\"trajectory\":[],\n\"info\": nope}", "line 3: "},
		{"{\n\"trajectory\":[]}\n\n{}", "line 4: something follows"},
		{"{\n\"trajectory\":[\n{\"action\":\"a\nb\"}]}", "line 3: "},
	} {
		_, _, err := readTrace(t.Context(), traceFile(t, test.content), "x.traj")
		if err == nil || !strings.Contains(err.Error(), "'x.traj', "+test.want) {
			t.Errorf("%q: %v, want %s", test.content, err, test.want)
		}
	}
}

func TestReadSWEAgentAbsent(t *testing.T) {
	_, _, err := readTrace(t.Context(), filepath.Join(t.TempDir(), "no.traj"), "no.traj")
	if err == nil || err.Error() != "cannot read 'no.traj': no such file or directory" {
		t.Errorf("%v", err)
	}
}

func TestReadSWEAgentDirectory(t *testing.T) {
	_, _, err := readTrace(t.Context(), t.TempDir(), "x.traj")
	if err == nil || err.Error() != "cannot read 'x.traj': is a directory" {
		t.Errorf("%v", err)
	}
}

// Whatever a trajectory has, each of its steps is in a turn.
func FuzzReadSWEAgent(f *testing.F) {
	f.Add(trajectory)
	f.Add("{\"trajectory\":[{\"action\":\"\xff\"}]}")
	f.Add(`{"history":[{"role":"user","content":[{"text":"ISSUE:\nx"}]}],"trajectory":[{"action":"create a"},` +
		`{"action":"python a"},{"action":"cat a"},{"action":"sed -i x a","state":"{\"open_file\":7}"},{"action":"submit"}]}`)
	f.Fuzz(func(t *testing.T, content string) {
		steps, report, err := readTrace(t.Context(), traceFile(t, content), "x.traj")
		if err != nil {
			return
		}
		in := 0
		for _, turn := range report.Turns {
			if in += turn.Steps; turn.Steps < 1 {
				t.Errorf("a turn of %d steps", turn.Steps)
			}
		}
		if in != len(steps) {
			t.Errorf("%d of %d steps are in turns", in, len(steps))
		}
	})
}

// Secrets are replaced before the account of a milestone is cut of the texts, and before an edit is shortened.
func TestSWEAgentCleansBeforeItCuts(t *testing.T) {
	secret := "ACME-" + strings.Repeat("s3cr3t", 10)
	text := func(at int) string { return strings.Repeat("w ", at/2) + secret + strings.Repeat(" v", 2000) }
	var steps []map[string]any
	for _, at := range []int{80, 200, 280, 360, 2010} {
		steps = append(steps, map[string]any{"action": "create a.py", "thought": text(at), "observation": "ok"},
			map[string]any{"action": "edit 1:1\n" + text(60) + "\nend_of_edit", "observation": "ok", "state": map[string]any{"open_file": secret}},
			map[string]any{"action": "python a.py " + text(at), "observation": text(at)})
	}
	trace := map[string]any{"trajectory": steps, "info": map[string]any{"exit_status": text(200)},
		"history": []any{map[string]any{"role": "user", "content": text(2000)}}}
	data, err := json.Marshal(trace)
	if err != nil {
		t.Fatal(err)
	}
	var got []agent.Step
	f := Given(SWEAgent, "x.traj", "x.traj")
	report, err := f.Decode(bytes.NewReader(data), agent.Start{Session: f.Session, Clean: func(text string) string {
		return strings.ReplaceAll(text, secret, "[redacted:context.redact]")
	}}, func(s agent.Step) error { got = append(got, s); return nil })
	if err != nil || len(got) != len(steps) {
		t.Fatalf("%d steps, %v", len(got), err)
	}
	if all := fmt.Sprintf("%+v %+v", got, report); strings.Contains(all, secret[:8]) {
		t.Errorf("half of a secret is left: %.200s", all[max(0, strings.Index(all, secret[:8])-100):])
	}
}
