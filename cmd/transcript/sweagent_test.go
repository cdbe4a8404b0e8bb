package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/store"
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

func TestReadSWEAgent(t *testing.T) {
	got, err := ReadSWEAgent(t.Context(), traceFile(t, trajectory), "x.traj", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Trace{
		Steps: []store.NewStep{
			{Action: "ls\n", Observation: "a\r\nb", Thought: "look", Source: "x.traj:0:f0d1ce752291af97"},
			{Observation: "only this", Source: "x.traj:2:c5b66be12c9a7090"},
		},
		Empty: []int{1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A trace that is cut off anywhere is refused: none of its steps come, and the
// error names the line where it ends.
func TestReadSWEAgentTruncated(t *testing.T) {
	for end := range len(trajectory) - 2 {
		cut := trajectory[:end]
		got, err := ReadSWEAgent(t.Context(), traceFile(t, cut), "x.traj", nil)
		if err == nil {
			t.Fatalf("cut off at %d: %+v", end, got)
		}
		trace, ok := err.(*traceError)
		if !ok || trace.line < 1 || trace.line > strings.Count(cut, "\n")+1 {
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
		_, err := ReadSWEAgent(t.Context(), traceFile(t, test.content), "x.traj", nil)
		if err == nil || !strings.Contains(err.Error(), "'x.traj', "+test.want) {
			t.Errorf("%q: %v, want %s", test.content, err, test.want)
		}
	}
}

func TestReadSWEAgentAbsent(t *testing.T) {
	_, err := ReadSWEAgent(t.Context(), filepath.Join(t.TempDir(), "no.traj"), "no.traj", nil)
	if err == nil || err.Error() != "cannot read 'no.traj': no such file or directory" {
		t.Errorf("%v", err)
	}
}

func TestReadSWEAgentDirectory(t *testing.T) {
	_, err := ReadSWEAgent(t.Context(), t.TempDir(), "x.traj", nil)
	if err == nil || err.Error() != "cannot read 'x.traj': is a directory" {
		t.Errorf("%v", err)
	}
}

func FuzzReadSWEAgent(f *testing.F) {
	f.Add(trajectory)
	f.Add("{\"trajectory\":[{\"action\":\"\xff\"}]}")
	f.Fuzz(func(t *testing.T, content string) {
		trace, err := ReadSWEAgent(t.Context(), traceFile(t, content), "x.traj", nil)
		if (err == nil) == (trace == nil) {
			t.Errorf("%v and %v", trace, err)
		}
	})
}
