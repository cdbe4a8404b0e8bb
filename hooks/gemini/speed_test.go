package gemini_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/gemini"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func BenchmarkDecode(b *testing.B) {
	golden.Decode(gemini.Decode).Speed(b, `{"id":"`, `__call_`)
}
