package copilot_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/copilot"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func TestGolden(t *testing.T) { golden.Decode(copilot.Decode).Golden(t) }

func TestReal(t *testing.T) { golden.Decode(copilot.Decode).Real(t, "copilot") }
