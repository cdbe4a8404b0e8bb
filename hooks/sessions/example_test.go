package sessions_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/internal/example"
)

// A session becomes a commit; again it adds nothing.
func ExampleImport() {
	s, remove := example.Memory()
	defer remove()
	transcript := `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"Fix the build"}}
{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-11-20T10:00:05Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"main.go"}}]}}
{"type":"user","uuid":"u3","sessionId":"s","timestamp":"2026-11-20T10:00:09Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
{"type":"assistant","uuid":"u4","sessionId":"s","timestamp":"2026-11-20T10:00:12Z","message":{"id":"m2","stop_reason":"end_turn","content":[{"type":"text","text":"It builds."}]}}
`
	file := sessions.File{Client: claudecode.Name, Name: "session.jsonl", Decode: claudecode.Decode,
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(transcript)), nil }}
	for range 2 {
		made, err := sessions.Import(context.Background(), s, sessions.Options{
			Files: []sessions.File{file}, Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(made.Commits, made.Steps, made.Skipped)
	}
	// Output:
	// 1 3 0
	// 0 0 3
}
