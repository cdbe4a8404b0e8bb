package capture_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/store"
)

// prompts are the records of prompts, a minute each, the first of which ends a turn with an edit.
func prompts(from, to int) string {
	var text strings.Builder
	at := func(n int, seconds time.Duration) string {
		return time.Date(2026, 11, 20, 10, n, 0, 0, time.UTC).Add(seconds * time.Second).Format(time.RFC3339)
	}
	for n := from; n < to; n++ {
		fmt.Fprintf(&text, `{"type":"user","uuid":"u%d","sessionId":"S","cwd":"/home/dev/project","timestamp":%q,"message":{"role":"user","content":"Part %[1]d"}}`+"\n", n, at(n, 0))
		if n == 0 {
			fmt.Fprintf(&text, `{"type":"assistant","uuid":"a","sessionId":"S","timestamp":%q,"message":{"id":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"/home/dev/project/f"}}]}}
{"type":"user","uuid":"b","sessionId":"S","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"updated"}]}}
`, at(0, 1), at(0, 2))
		}
	}
	return text.String()
}

// A client that copies a history to the end of its transcript adds nothing, however long that is.
func TestCopiedHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	history := prompts(0, 1500)
	if got := w.ends(history); got.Commit == "" {
		t.Fatalf("the edit made no commit: %+v", got)
	}
	all := len(w.sources())
	if got := w.ends(history + history + prompts(1500, 1501)); got.Steps != 1 || got.Commit != "" {
		t.Errorf("beside the new one, recorded or told again: %+v", got)
	}
	if got := len(w.sources()); got != all+1 {
		t.Errorf("%d steps, want %d", got, all+1)
	}
}

// What a session recorded on another branch before is not recorded again on the present one, when its
// transcript was rewritten.
func TestRewrittenOnAnotherBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ends(prompts(0, 4))
	gittest.OK(w.s.CreateBranch(t.Context(), store.BranchOptions{Name: "idea"}))(t)
	w.ends(prompts(0, 5))
	w.ends(prompts(2, 6))
	want := []string{"claude-code:S:u4", "claude-code:S:u5"}
	if got := w.sources(); !slices.Equal(got, want) {
		t.Errorf("idea has %q, want %q", got, want)
	}
}
