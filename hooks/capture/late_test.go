package capture_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// However little of a late transcript exists at its events, the end of the session has recorded each
// step once, and as whole as the transcript has it.
func TestLate(t *testing.T) {
	t.Parallel()
	texts := transcripts(t)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		w := newWorld(t)
		w.turn.Late, w.turn.New = capture.LateTurn, true
		text := strings.ReplaceAll(texts[random.IntN(len(texts))], "/home/dev/project", w.dir)
		gittest.Must(t, capture.Begin(t.Context(), w.s, w.turn))
		events := []func(context.Context, *store.Store, capture.Turn) (capture.Result, error){capture.Record, capture.Prompted}
		for n := range 3 {
			end := len(text) * (n*100 + random.IntN(100)) / 300
			gittest.Must(t, os.WriteFile(w.turn.Transcript, []byte(text[:end]), 0o666))
			gittest.OK(events[random.IntN(2)](t.Context(), w.s, w.turn))(t)
		}
		gittest.Must(t, os.WriteFile(w.turn.Transcript, []byte(text), 0o666))
		w.turn.Ends = true
		gittest.OK(capture.Record(t.Context(), w.s, w.turn))(t)
		if got, want := w.said(), said(t, text, w.dir); !slices.Equal(got, want) {
			t.Errorf("seed %d: recorded:\n%s\nwant:\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A turn whose end comes while its hook waits is recorded and committed by that hook.
func TestLateWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn.Late, w.turn.New = time.Minute, true
	text := strings.ReplaceAll(transcripts(t)[0], "/home/dev/project", w.dir)
	_, err := capture.Prompted(t.Context(), w.s, w.turn)
	gittest.Must(t, err)
	gittest.Must(t, os.WriteFile(w.turn.Transcript, []byte(text[:len(text)/2]), 0o666))
	wrote := make(chan error)
	go func() {
		time.Sleep(capture.LateTurn * 2)
		wrote <- os.WriteFile(w.turn.Transcript, []byte(text), 0o666)
	}()
	got := gittest.OK(capture.Record(t.Context(), w.s, w.turn))(t)
	gittest.Must(t, <-wrote)
	if got.Steps != len(said(t, text, w.dir)) || got.Commit == "" {
		t.Errorf("recorded %+v", got)
	}
}

// said are the actions and results of all steps of the branch.
func (w *world) said() (all []string) {
	w.Helper()
	tip := gittest.OK(w.s.Tip(w.Context(), ""))(w.T)
	steps, _, err := history.Steps(w.Context(), w.s, tip, 0, 1_000_000)
	gittest.Must(w.T, err)
	for _, s := range steps {
		all = append(all, s.Source+" "+s.Action+" "+s.Observation)
	}
	return all
}

// said are those of the transcript in one piece.
func said(t *testing.T, text, dir string) (all []string) {
	t.Helper()
	add := func(s agent.Step) error {
		all = append(all, agent.Source(claudecode.Name, s)+" "+s.Action+" "+s.Observation)
		return nil
	}
	report, err := claudecode.Decode(strings.NewReader(text), agent.Start{Session: "S", Dir: dir}, add)
	gittest.Must(t, err)
	for _, s := range report.Open {
		_ = add(s) // cannot fail
	}
	return all
}

// A transcript that nobody has read for long is recorded piece by piece: an event takes no more than it has time for.
func TestLongTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn.New = true
	gittest.Must(t, capture.Begin(t.Context(), w.s, w.turn))
	var text strings.Builder
	const turns = 2000
	for n := range turns {
		fmt.Fprintf(&text, `{"type":"user","uuid":"u%d","sessionId":"S","cwd":%q,"timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"Task %d"}}
{"type":"assistant","uuid":"a%d","sessionId":"S","timestamp":"2026-11-20T10:00:12Z","message":{"id":"m%d","stop_reason":"end_turn","content":[{"type":"text","text":"Done %d."}]}}
`, n, w.dir, n, n, n, n)
	}
	all := 0
	for events := 0; all < 2*turns; events++ {
		got := w.ends(text.String())
		if all += got.Steps; got.Steps == 0 || got.Steps > 2500 {
			t.Fatalf("event %d recorded %d steps", events, got.Steps)
		}
	}
	if n := len(w.sources()); n != 2*turns {
		t.Errorf("%d steps, want %d", n, 2*turns)
	}
}
