package qwen_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/git-context/git-context/hooks/qwen"
)

func TestGolden(t *testing.T) { golden.Decode(qwen.Decode).Golden(t) }

func TestReal(t *testing.T) { golden.Decode(qwen.Decode).Real(t, "qwen") }
