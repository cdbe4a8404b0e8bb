package pi_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/git-context/git-context/hooks/pi"
)

func TestGolden(t *testing.T) { golden.Decode(pi.Decode).Golden(t) }

func TestReal(t *testing.T) { golden.Decode(pi.Decode).Real(t, "pi") }
