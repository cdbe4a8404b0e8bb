package spool_test

import (
	"slices"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/git-context/git-context/hooks/spool"
)

func TestGolden(t *testing.T) { golden.Decode(spool.Decode).Golden(t) }

func TestIDs(t *testing.T) {
	t.Parallel()
	head, err := spool.Seen([]string{"a", "b\n"})
	if err != nil {
		t.Fatal(err)
	}
	line, err := spool.Line(agent.Event{Kind: agent.Text, ID: "c", Text: "{\"id\":\"x\"}"})
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Concat(head, line, []byte("{\"id\":\"torn"))
	if got, want := spool.IDs(data), []string{"a", "b\n", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, id := range []string{"a", "b\n", "c"} {
		if !spool.Has(data, id) {
			t.Errorf("%q is not found", id)
		}
	}
	for _, id := range []string{"x", "b", "torn", "seen", ""} {
		if spool.Has(data, id) {
			t.Errorf("%q is found", id)
		}
	}
}
