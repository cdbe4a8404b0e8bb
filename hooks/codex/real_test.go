package codex_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/codex"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func TestGolden(t *testing.T) { golden.Decode(codex.Decode).Golden(t) }

func TestReal(t *testing.T) { golden.Decode(codex.Decode).Real(t, "codex") }
