package copilot_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/copilot"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func BenchmarkDecode(b *testing.B) {
	golden.Decode(copilot.Decode).Speed(b, `"id": "`, `"toolCallId": "`, `"chatcmpl-`)
}
