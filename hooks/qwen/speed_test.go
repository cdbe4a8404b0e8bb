package qwen_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/git-context/git-context/hooks/qwen"
)

// A megabyte of small records must be decoded in 15 ms.
func BenchmarkDecode(b *testing.B) {
	short, err := os.ReadFile("testdata/main.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	var all strings.Builder
	for n := 0; all.Len() < 1<<20; n++ {
		id := fmt.Sprint(n)
		all.WriteString(strings.NewReplacer(`"uuid": "`, `"uuid": "`+id, `"id": "call_`, `"id": "call_`+id).Replace(string(short)))
	}
	b.SetBytes(int64(all.Len()))
	for b.Loop() {
		golden.Decode(qwen.Decode).Run(b, all.String(), agent.Start{})
	}
}
