package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A turn tells which commits of code its calls made, by what git printed, and which calls made one
// quietly.
func TestMadeCode(t *testing.T) {
	at := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		command, result string
		failed          bool
		want            []Made
	}{
		"printed":   {command: "git commit -m 'Fix it'", result: "[main 1a2b3c4] Fix it\n 1 file changed", want: []Made{{Hash: "1a2b3c4", Subject: "Fix it"}}},
		"root":      {command: "cd x && git -C y commit -am a", result: "[main (root-commit) 1a2b3c4] a", want: []Made{{Hash: "1a2b3c4", Subject: "a"}}},
		"detached":  {command: "git cherry-pick b", result: "[detached HEAD 1a2b3c4] [x] b\n", want: []Made{{Hash: "1a2b3c4", Subject: "[x] b"}}},
		"two":       {command: "git commit -m a; git commit -m b", result: "[m aaaa] a\n[m bbbb] b", want: []Made{{Hash: "aaaa", Subject: "a"}, {Hash: "bbbb", Subject: "b"}}},
		"quiet":     {command: "git commit -qm a", want: []Made{{}}},
		"failed":    {command: "git commit -m a && make", result: "[m aaaa] a\nno rule", failed: true, want: []Made{{Hash: "aaaa", Subject: "a"}}},
		"none":      {command: "git commit -m a", result: "nothing to commit", failed: true},
		"no commit": {command: "git log --oneline", result: "[main 1a2b3c4] a"},
		"memory":    {command: "git context commit -m a && make", result: "[main 1a2b3c4] a"},
		"a text":    {command: "grep -r 'git commit' . && make", result: "[main 1a2b3c4] a"},
	} {
		t.Run(name, func(t *testing.T) {
			call := Event{Kind: Call, Time: at, Call: "c", Tool: "Bash", Class: Shell, Argument: test.command}
			result := Event{Kind: Result, Time: at.Add(time.Second), Call: "c", Text: test.result, Failed: test.failed}
			_, report := decode(t, events(Event{Kind: Prompt, Text: "p", Time: at}, call, result), Start{})
			for i := range test.want {
				test.want[i].Command, test.want[i].From, test.want[i].Until = test.command, call.Time, result.Time
			}
			if diff := cmp.Diff(test.want, report.Turns[0].Made); diff != "" {
				t.Error(diff)
			}
		})
	}
}
