package qwen_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/git-context/git-context/hooks/qwen"
)

func BenchmarkDecode(b *testing.B) {
	golden.Decode(qwen.Decode).Speed(b, `"uuid": "`, `"id": "call_`)
}
