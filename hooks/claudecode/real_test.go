package claudecode_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/internal/golden"
)

func TestGolden(t *testing.T) { golden.Decode(claudecode.Decode).Golden(t) }

func TestReal(t *testing.T) { golden.Decode(claudecode.Decode).Real(t, "claude") }
