package gemini_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/gemini"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func TestGolden(t *testing.T) { golden.Decode(gemini.Decode).Golden(t) }

func TestReal(t *testing.T) { golden.Decode(gemini.Decode).Real(t, "gemini") }
