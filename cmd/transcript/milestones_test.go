package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The trace of a bug fix: each turn is a change and what was run to try it.
func TestMilestones(t *testing.T) {
	_, report, err := readTrace(t.Context(), filepath.Join("..", "..", "test", "testdata", "pool.traj"), "pool.traj")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, turn := range report.Turns {
		headline, _, _ := strings.Cut(turn.Final, "\n")
		got = append(got, fmt.Sprintf("%d steps, %v, %v: %.40s", turn.Steps, turn.Changed, turn.Files, headline))
	}
	want := []string{
		"4 steps, true, [store/pool_test.go]: Reproduced: after a deploy every connect",
		"2 steps, true, [store/pool.go]: The same holds for dial: when it fails, ",
		"2 steps, true, []: Both leaks are closed. Now the claim of ",
		"2 steps, true, [store/pool.go]: Hardly fewer failures, and they come lat",
		"3 steps, true, []: One failure: the request that was in fli",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if last := report.Turns[4].Final; !strings.HasSuffix(last, "\n\nOutcome: submitted") {
		t.Error(last)
	}
}

// A trajectory that says nothing of its end is unfinished: its last turn is where somebody goes on, so it has
// the task.
func TestUnfinishedTrajectory(t *testing.T) {
	const steps = `{"history":[{"role":"user","content":"ISSUE:\nMend it"}],"trajectory":[{"action":"create a"},{"action":"python a"},` +
		`{"action":"create b"},{"action":"python b"}],"info":`
	for info, done := range map[string]bool{`{}}`: false, `null}`: false, `{"exit_status":"submitted"}}`: true} {
		_, report, err := readTrace(t.Context(), traceFile(t, steps+info), "x.traj")
		if err != nil || len(report.Turns) != 2 {
			t.Fatal(report, err)
		}
		first, last := report.Turns[0], report.Turns[1]
		if !first.Done || first.Prompt != "Mend it" || last.Done != done || (last.Prompt == "Mend it") == done {
			t.Errorf("%s: %+v", info, report.Turns)
		}
	}
}

func TestTaskOf(t *testing.T) {
	for message, want := range map[string]string{
		"We're solving this.\nISSUE:\nA title\n\nA text\n\nINSTRUCTIONS:\nNow":                                "A title\n\nA text",
		"<uploaded_files>\n/x\n</uploaded_files>\n<pr_description>\nA title\nA text\n</pr_description>\nHelp": "A title\nA text",
		"Find the flag.\n\nINSTRUCTIONS:\nNow":                                                                "Find the flag.",
		"":                                                                                                    "",
	} {
		if got := taskOf(message); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}

// An account leaves nothing to be cut off: a commit keeps 2,000 bytes of it.
func TestAccountIsShort(t *testing.T) {
	long := strings.Repeat("the reason is long ", 300)
	var steps []string
	for n := range 30 {
		steps = append(steps, fmt.Sprintf(`{"action":"create %d.py\n%s","thought":"%d %s","observation":"%s"}`,
			n, long, n, long, long))
	}
	path := traceFile(t, `{"trajectory":[`+strings.ReplaceAll(strings.Join(steps, ","), "\n", `\n`)+`],"info":{"exit_status":"submitted"},`+
		`"history":[{"role":"user","content":"ISSUE:\nA title"}]}`)
	_, report, err := readTrace(t.Context(), path, "x.traj")
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range report.Turns {
		if len(turn.Final) > 2000 {
			t.Errorf("%d bytes: %s", len(turn.Final), turn.Final)
		}
	}
}

// The milestones of real traces, where this machine has them.
func TestMilestonesOfRealTraces(t *testing.T) {
	for name, want := range map[string][]int{
		"marshmallow-1867": {6, 7}, "ctf-crypto-katy": {7, 4, 4, 3}, "ctf-rev-rock": {12}, "ctf-web-i_got_id": {21},
	} {
		path := filepath.Join("..", "..", "..", "shared", "data", "swe-agent", name+".traj")
		if _, err := os.Stat(path); err != nil {
			t.Skipf("SKIPPED: no real traces: %v", err)
		}
		_, report, err := readTrace(t.Context(), path, name+".traj")
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, turn := range report.Turns {
			got = append(got, turn.Steps)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if report.Turns[0].Prompt == "" {
			t.Errorf("%s: no task", name)
		}
	}
}
