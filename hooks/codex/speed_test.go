package codex_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/codex"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func BenchmarkDecode(b *testing.B) {
	golden.Decode(codex.Decode).Speed(b, `"call_`)
}
