package capture_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/store"
)

// A turn that changed a file becomes steps and a commit.
func ExampleRecord() {
	s, remove := example.Memory()
	defer remove()
	transcript := filepath.Join(s.Repo().GitDir(), "transcript.jsonl")
	err := os.WriteFile(transcript, []byte(`{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"Fix the build"}}
{"type":"assistant","uuid":"u2","sessionId":"s","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"main.go"}}]}}
{"type":"user","uuid":"u3","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
`), 0o666)
	if err != nil {
		log.Fatal(err)
	}
	made, err := capture.Record(context.Background(), s, capture.Turn{
		Client: claudecode.Name, Session: "s", Transcript: transcript, Final: "It builds.",
		Decode: claudecode.Decode, Writer: store.Writer{Agent: claudecode.Name, Session: "s"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Steps, made.Commit != "")
	// Output: 2 true
}
