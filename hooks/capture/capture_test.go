package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/internal/gittest"
)

// transcripts are those of the decoder's tests, of several turns each.
func transcripts(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, name := range []string{"main", "compact-and-resume", "odd"} {
		all = append(all, string(gittest.OK(os.ReadFile("../claudecode/testdata/"+name+".jsonl"))(t)))
	}
	return all
}

// whole returns the sources of the steps of a transcript, and where its turns begin.
func whole(t *testing.T, transcript string) (sources []string, begins []int64) {
	t.Helper()
	report, err := claudecode.Decode(strings.NewReader(transcript), agent.Start{}, func(s agent.Step) error {
		sources = append(sources, agent.Source(claudecode.Name, s))
		return nil
	})
	gittest.Must(t, err)
	for _, s := range report.Open {
		sources = append(sources, agent.Source(claudecode.Name, s))
	}
	for _, turn := range report.Turns {
		begins = append(begins, turn.Offset)
	}
	return sources, begins
}

// A transcript that is recorded turn by turn gives the steps that it gives in one piece.
func TestTurnByTurn(t *testing.T) {
	t.Parallel()
	for _, text := range transcripts(t) {
		want, begins := whole(t, text)
		w := newWorld(t)
		for _, at := range begins {
			w.ends(text[:at])
		}
		w.ends(text)
		if got := w.ends(text); got.Steps != 0 || got.Commit != "" {
			t.Errorf("a second event of the same turn records %+v", got)
		}
		if got := w.sources(); !slices.Equal(got, want) {
			t.Errorf("recorded:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// However a transcript grows, shrinks or is torn between events, no step is recorded twice, and
// the last event leaves none out that begins after what was read.
func TestNoneTwice(t *testing.T) {
	t.Parallel()
	texts := transcripts(t)
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(r, "transcript")
		w := newWorld(t)
		for range rapid.IntRange(1, 4).Draw(r, "events") {
			w.ends(text[:rapid.IntRange(0, len(text)).Draw(r, "length")])
		}
		w.ends(text)
		got := w.sources()
		slices.Sort(got)
		if n := len(slices.Compact(slices.Clone(got))); n != len(got) {
			r.Fatalf("%d of %d steps are recorded twice", len(got)-n, len(got))
		}
	})
}

// A client may show less of a transcript for a while than was read, and of a long one most steps are
// known by the branch's log alone.
func TestLongTranscriptShrinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, half := "", 0
	for i := range 1500 {
		text += fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"S","cwd":"/home/dev/project","message":{"role":"user","content":"Part %[1]d"}}`+"\n", i)
		if i == 100 {
			half = len(text)
		}
	}
	w.ends(text)
	for _, part := range []string{text[:half], text[:2*half], text, text} {
		w.ends(part)
	}
	if got := w.sources(); len(got) != 1500 {
		t.Errorf("%d steps of 1500", len(got))
	}
}

// What a killed process had recorded before it could say so is not recorded again.
func TestLostState(t *testing.T) {
	t.Parallel()
	text := transcripts(t)[0]
	want, _ := whole(t, text)
	w := newWorld(t)
	w.ends(text)
	files := gittest.OK(filepath.Glob(filepath.Join(w.dir, ".git", "context", capture.Dir, "*.json")))(t)
	if len(files) != 1 {
		t.Fatalf("state files: %v", files)
	}
	for _, damage := range []func(string) error{
		os.Remove,
		func(path string) error { return os.Truncate(path, 0) },
		func(path string) error { return os.WriteFile(path, []byte("{\"session\":"), 0o666) },
	} {
		gittest.Must(t, damage(files[0]))
		if got := w.ends(text); got.Steps != 0 || got.Commit != "" {
			t.Errorf("recorded again: %+v", got)
		}
	}
	if got := w.sources(); !slices.Equal(got, want) {
		t.Errorf("recorded:\n%s", strings.Join(got, "\n"))
	}
}

func TestNoTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if r, err := capture.Record(t.Context(), w.s, w.turn); err != nil || r.Steps != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if r := w.ends("{\"sessions\":[]}\n"); r.Steps != 0 {
		t.Errorf("a foreign file gives %+v", r)
	}
	gittest.Must(t, os.Remove(w.turn.Transcript))
	gittest.Must(t, os.Mkdir(w.turn.Transcript, 0o777))
	if _, err := capture.Record(t.Context(), w.s, w.turn); err == nil {
		t.Error("a directory is no transcript")
	}
}

// What the agent said last is no account of a turn that the user interrupted, whether the client
// says so in the transcript or, before it writes that, in its event.
func TestInterruptedTurn(t *testing.T) {
	t.Parallel()
	text := ""
	for _, message := range []string{
		`"user","uuid":"a","message":{"role":"user","content":"Draw a circle"}`,
		`"assistant","uuid":"b","message":{"id":"m1","stop_reason":"tool_use","content":[{"type":"text","text":"I draw it."},{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/home/dev/project/circle"}}]}`,
		`"user","uuid":"c","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`,
		`"assistant","uuid":"d","message":{"id":"m2","stop_reason":"tool_use","content":[{"type":"text","text":"I wait."},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"sleep 9"}}]}`,
		`"user","uuid":"e","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"rejected"}]}`,
	} {
		text += `{"sessionId":"S","cwd":"/home/dev/project","type":` + message + "}\n"
	}
	mark := `{"sessionId":"S","type":"user","uuid":"f","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}` + "\n"
	for _, cut := range []bool{false, true} {
		w := newWorld(t)
		if w.turn.Cut = cut; !cut {
			w.ends(text + mark)
		} else {
			w.ends(text)
			w.ends(text + mark)
		}
		tip := gittest.OK(w.s.Tip(t.Context(), ""))(t)
		commits, _, err := tip.LiveCommits(t.Context()) // with that of init
		gittest.Must(t, err)
		want := "Interrupted. The agent said, oldest first:\n\n- I draw it.\n- I wait.\n\nIts last call: Bash: sleep 9\nThe result: "
		if last := commits[len(commits)-1]; len(commits) != 2 || !strings.HasPrefix(last.Contribution, want) {
			t.Errorf("cut %v: %d commits, %q", cut, len(commits), last.Contribution)
		}
	}
}

// A turn that comes again, which some clients copy to the end of a transcript, makes no commit with
// its words of the steps that came between.
func TestTurnComesAgain(t *testing.T) {
	t.Parallel()
	line := func(message string) string {
		return `{"sessionId":"S","cwd":"/home/dev/project","type":` + message + "}\n"
	}
	turn := line(`"user","uuid":"a","message":{"role":"user","content":"Draw a circle"}`) +
		line(`"assistant","uuid":"b","message":{"id":"m1","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/home/dev/project/circle"}}]}`) +
		line(`"user","uuid":"c","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`) +
		line(`"assistant","uuid":"d","message":{"id":"m2","stop_reason":"end_turn","content":[{"type":"text","text":"Drawn."}]}`)
	talk := line(`"user","uuid":"e","message":{"role":"user","content":"How large?"}`) +
		line(`"assistant","uuid":"f","message":{"id":"m3","stop_reason":"end_turn","content":[{"type":"text","text":"Small."}]}`)
	w := newWorld(t)
	if r := w.ends(turn); r.Steps != 3 || r.Commit == "" {
		t.Fatalf("%+v", r)
	}
	if r := w.ends(turn + talk); r.Steps != 2 || r.Commit != "" {
		t.Fatalf("%+v", r)
	}
	if r := w.ends(turn + talk + turn); r.Steps != 0 || r.Commit != "" {
		t.Errorf("the same turn again: %+v", r)
	}
}
