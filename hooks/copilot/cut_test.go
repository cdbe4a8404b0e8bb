package copilot

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
)

// A turn that the user interrupted is one, and one that was answered is none, whatever ends its session.
func TestCut(t *testing.T) {
	t.Parallel()
	const begin = `{"type":"session.start","data":{"sessionId":"s","version":1},"id":"a","timestamp":"2026-11-25T07:16:09.000Z"}
{"type":"user.message","data":{"content":"Draw a circle"},"id":"b","timestamp":"2026-11-25T07:16:09.900Z"}
{"type":"assistant.message","data":{"messageId":"m","content":"I draw.","toolRequests":[{"toolCallId":"c","name":"bash","arguments":{"command":"sleep 9"}}]},"id":"d","timestamp":"2026-11-25T07:16:10.000Z"}
`
	for end, want := range map[string]bool{
		`{"type":"abort","data":{"reason":"user_initiated"},"id":"e","timestamp":"2026-11-25T07:16:11.442Z"}`: true,
		`{"type":"session.shutdown","data":{},"id":"e","timestamp":"2026-11-25T07:16:11.442Z"}`:               false,
	} {
		report, err := Decode(strings.NewReader(begin+end+"\n"), agent.Start{}, func(agent.Step) error { return nil })
		if err != nil || len(report.Turns) != 1 || report.Turns[0].Cut != want || !report.Turns[0].Done {
			t.Errorf("%s: %+v, %v", end, report, err)
		}
	}
}
