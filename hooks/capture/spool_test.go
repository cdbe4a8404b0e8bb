package capture_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/spool"
	"github.com/git-context/git-context/internal/gittest"
)

// spooled is a world whose client keeps no transcript.
func spooled(t *testing.T) *world {
	w := newWorld(t)
	w.turn.Spooled, w.turn.Decode = true, spool.Decode
	w.turn.Transcript = capture.SpoolPath(w.s, w.turn)
	return w
}

func (w *world) spool(events ...agent.Event) (full bool) {
	w.Helper()
	return gittest.OK(capture.Spool(w.Context(), w.s, w.turn, events))(w.T)
}

func (w *world) record(goes bool) capture.Result {
	w.Helper()
	t := w.turn
	t.Goes = goes
	return gittest.OK(capture.Record(w.Context(), w.s, t))(w.T)
}

// call is a call that writes a file, with its result.
func call(n int, result string) []agent.Event {
	id := fmt.Sprintf("p%d", n)
	return []agent.Event{
		{Kind: agent.Call, ID: id, Call: id, Tool: "edit", Argument: fmt.Sprintf("%d.go", n), Files: []string{fmt.Sprintf("%d.go", n)}},
		{Kind: agent.Result, ID: id + "/result", Call: id, Text: result},
	}
}

// A turn of any length is read before its end, in parts, and committed at its end alone.
func TestSpoolOfALongTurn(t *testing.T) {
	t.Parallel()
	w := spooled(t)
	w.spool(agent.Event{Kind: agent.Prompt, ID: "m1", Text: "Do much"})
	parts := 0
	for n := range 800 {
		if !w.spool(call(n, strings.Repeat(fmt.Sprintf("%d ", n), 2000))...) {
			continue
		}
		parts++
		if made := w.record(true); made.Steps == 0 || made.Commit != "" {
			t.Fatalf("in the turn: %+v", made)
		}
		if info := gittest.OK(os.Stat(w.turn.Transcript))(t); info.Size() > 64<<10 {
			t.Fatalf("%d bytes stay", info.Size())
		}
	}
	w.spool(agent.Event{Kind: agent.Text, ID: "t", Text: "Much is done."}, agent.Event{Kind: agent.Stop})
	if made := w.record(false); made.Commit == "" || parts == 0 {
		t.Errorf("%d parts, %+v", parts, made)
	}
	sources := w.sources()
	if slices.Sort(sources); len(slices.Compact(slices.Clone(sources))) != len(sources) || len(sources) < 20 {
		t.Errorf("steps are recorded twice, or not: %q", sources)
	}
}

// Events of many processes at once are whole lines, each once.
func TestSpoolFromManyProcesses(t *testing.T) {
	t.Parallel()
	w := spooled(t)
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			if _, err := capture.Spool(w.Context(), w.s, w.turn, call(n%20, "ok")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	ids := spool.IDs(gittest.OK(os.ReadFile(w.turn.Transcript))(t))
	if slices.Sort(ids); len(ids) != 40 || len(slices.Compact(ids)) != 40 {
		t.Errorf("%d ids", len(ids))
	}
}

// What a spool keeps of an event is bounded, says how much is missing, and has no secret at the cut.
func TestSpoolCutsAndCleans(t *testing.T) {
	t.Parallel()
	w := spooled(t)
	const token = "ghp_wJ4kq9ZbT2mXc7RvY5nPdL8sHfA3gE1uQ6oK"
	long := strings.Repeat("x", 2<<10-60) + " " + token + strings.Repeat(" y", 1<<20)
	w.spool(slices.Concat([]agent.Event{{Kind: agent.Text, ID: "t", Text: long}}, call(1, long),
		[]agent.Event{{Kind: agent.Call, ID: "c", Call: "c", Tool: "bash", Argument: long, Files: slices.Repeat([]string{strings.Repeat("f", 1000)}, 500)}})...)
	// The mark of a large secret leaves room for what followed it.
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("Ab3x", 16)+"\n", 60) + "-----END RSA PRIVATE KEY-----\n"
	w.spool(call(2, key+token)...)
	text := string(gittest.OK(os.ReadFile(w.turn.Transcript))(t))
	if strings.Contains(text, token[:8]) || strings.Count(text, " bytes more, sha256 ") != 3 {
		t.Errorf("%d bytes: %.200s", len(text), text[max(0, len(text)-200):])
	}
	for line := range strings.Lines(text) {
		if len(line) > 64<<10 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

// The rules of the repository find a secret before a spool keeps only the first line of it, or its beginning.
func TestSpoolCleansByTheRulesOfTheRepository(t *testing.T) {
	t.Parallel()
	w := spooled(t)
	gittest.OK(w.s.Repo().Run(t.Context(), "config", "context.capture", "actions"))(t)
	gittest.OK(w.s.Repo().Run(t.Context(), "config", "context.redact", `ACME-[a-z0-9\n]{61}`))(t)
	w.s.Repo().InvalidateConfig()
	secret := "ACME-" + strings.Repeat("s3cr3t", 5) + "\n" + strings.Repeat("s3cr3t", 5)
	write := agent.Event{Kind: agent.Call, ID: "c", Call: "c", Tool: "bash", Argument: strings.Repeat("x", 8<<10-80) + secret + strings.Repeat("y", 1000)}
	w.spool(agent.Event{Kind: agent.Prompt, ID: "p", Text: "use " + secret}, write)
	text := string(gittest.OK(os.ReadFile(w.turn.Transcript))(t))
	if strings.Contains(text, "ACME") || strings.Count(text, "[redacted:context.redact") != 2 {
		t.Errorf("%d bytes: %.200s", len(text), text[max(0, len(text)-200):])
	}
}
