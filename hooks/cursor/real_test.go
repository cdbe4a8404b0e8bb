package cursor_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/cursor"
	"github.com/git-context/git-context/hooks/internal/golden"
)

// Hooks never read these files, so they are not read in parts.
func TestGolden(t *testing.T) { golden.Decode(cursor.Decode).Whole(t) }

func TestReal(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/cursor/session.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("NOT RUN: no real transcript in ../../../shared/data/cursor")
	}
	if err != nil {
		t.Fatal(err)
	}
	steps, report := golden.Decode(cursor.Decode).Run(t, string(text), agent.Start{Session: "s"})
	t.Log(golden.Show(steps, report))
	if len(report.Unknown)+report.Broken > 0 || len(report.Turns) != 1 || report.Turns[0].Calls != 10 || report.Final == "" {
		t.Errorf("%+v", report)
	}
}
