// Package golden checks decoders of transcripts, in tests: by golden files, and by laws that
// hold for every transcript.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Decode is the function of a client.
type Decode func(io.Reader, agent.Start, func(agent.Step) error) (*agent.Report, error)

// Run decodes a text and returns the finished steps.
func (d Decode) Run(t testing.TB, text string, start agent.Start) ([]agent.Step, *agent.Report) {
	t.Helper()
	var steps []agent.Step
	report, err := d(strings.NewReader(text), start, func(s agent.Step) error {
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps, report
}

// Golden compares what each testdata/*.jsonl gives with the .txt file beside it, and checks
// the laws that Check checks.
func (d Decode) Golden(t *testing.T) { d.golden(t, d.Check) }

// Whole is Golden without the laws, for files that are read in one piece alone.
func (d Decode) Whole(t *testing.T) { d.golden(t, func(*testing.T, string) {}) }

func (d Decode) golden(t *testing.T, check func(*testing.T, string)) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := read(t, file)
			steps, report := d.Run(t, text, agent.Start{})
			got := Show(steps, report)
			beside := strings.TrimSuffix(file, ".jsonl") + ".txt"
			if *update {
				if err := os.WriteFile(beside, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if want := read(t, beside); got != want {
				t.Errorf("%s (-update writes it anew): got\n%s\nwant\n%s", beside, got, want)
			}
			check(t, text)
		})
	}
}

// Real checks the transcripts that the released client wrote, which are beside the repository
// on the project's machines.
func (d Decode) Real(t *testing.T, client string) {
	files, err := filepath.Glob("../../../shared/agents/" + client + "/transcript/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("NOT RUN: no real transcripts in ../../../shared/agents/%s", client)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := read(t, file)
			steps, report := d.Run(t, text, agent.Start{})
			if len(steps) == 0 || len(report.Unknown)+report.Broken > 0 {
				t.Errorf("%d steps, %+v", len(steps), report)
			}
			t.Log(Show(steps, report))
			d.Check(t, text)
		})
	}
}

func read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Check checks the laws of every transcript: cut off after any line, it gives a prefix of its
// steps; in two parts, of which the second begins at a turn, it gives the same steps; its
// turns count its steps.
func (d Decode) Check(t *testing.T, text string) {
	t.Helper()
	whole, report := d.Run(t, text, agent.Start{})
	all := slices.Concat(whole, report.Open)
	if n := count(report); n != len(all) || report.End != int64(len(text)) {
		t.Errorf("turns have %d steps of %d, %d bytes of %d", n, len(all), report.End, len(text))
	}
	end := 0
	for line := range strings.Lines(text) {
		for _, cut := range []int{end + len(line)/2, end + len(line) - 1, end + len(line)} {
			part, r := d.prefix(t, text[:cut])
			if r == nil {
				continue // too short to be known
			}
			if len(part) > len(whole) || !slices.Equal(part, whole[:len(part)]) {
				t.Fatalf("cut off at %d: got %+v, want a prefix of %+v", cut, part, whole)
			}
			if n := count(r); n != len(part)+len(r.Open) || r.End < int64(end) || r.End > int64(cut) {
				t.Fatalf("cut off at %d: turns have %d steps of %d, end %d", cut, n, len(part)+len(r.Open), r.End)
			}
		}
		end += len(line)
	}
	if len(all) == 0 {
		return
	}
	for n, turn := range report.Turns[1:] {
		d.parts(t, text, turn.Offset, n+1)
		d.parts(t, text, d.ended(t, text, turn.Offset), n+1)
	}
}

// ended is where the last record ends that belongs to the turn before the offset.
func (d Decode) ended(t *testing.T, text string, offset int64) int64 {
	t.Helper()
	whole := texts(d.all(t, text[:offset]))
	for end := offset; ; {
		before := int64(strings.LastIndexByte(text[:end-1], '\n') + 1)
		if !slices.Equal(texts(d.all(t, text[:before])), whole) {
			return end
		}
		end = before
	}
}

// all is the steps of a part, finished or not.
func (d Decode) all(t *testing.T, text string) []agent.Step {
	t.Helper()
	steps, report := d.Run(t, text, agent.Start{})
	return slices.Concat(steps, report.Open)
}

// parts compares reading in two parts with reading the whole.
func (d Decode) parts(t *testing.T, text string, at int64, before int) {
	t.Helper()
	steps, report := d.Run(t, text, agent.Start{})
	whole := texts(slices.Concat(steps, report.Open))
	start := agent.Start{Session: steps[0].Session, Dir: "/home/dev/project", Middle: true}
	first, one := d.Run(t, text[:at], agent.Start{})
	second, two := d.Run(t, text[at:], start)
	got := texts(slices.Concat(first, one.Open, second, two.Open))
	if !slices.Equal(got, whole) {
		t.Errorf("in two parts at %d:\n%s\nwant\n%s", at, strings.Join(got, "\n"), strings.Join(whole, "\n"))
	}
	if len(one.Turns) != before || len(two.Turns) != len(report.Turns)-before {
		t.Errorf("in two parts at %d: %d and %d turns of %d", at, len(one.Turns), len(two.Turns), len(report.Turns))
	}
	if at+two.End != report.End || two.Final != report.Final {
		t.Errorf("in two parts at %d: end %d, final '%s'; want %d, '%s'", at, at+two.End, two.Final, report.End, report.Final)
	}
}

// prefix decodes a part of a transcript; the report is nil if it is not known as one.
func (d Decode) prefix(t *testing.T, text string) (steps []agent.Step, _ *agent.Report) {
	t.Helper()
	report, err := d(strings.NewReader(text), agent.Start{}, func(s agent.Step) error {
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		if len(steps) > 0 {
			t.Fatal(err)
		}
		return nil, nil
	}
	return steps, report
}

func count(r *agent.Report) (n int) {
	for _, turn := range r.Turns {
		n += turn.Steps
	}
	return n
}

// texts are what must be the same however a transcript was read.
func texts(steps []agent.Step) (all []string) {
	for _, s := range steps {
		all = append(all, fmt.Sprintf("%s %s %q %q %q", s.Session, s.ID, s.Thought, s.Action, s.Observation))
	}
	return all
}

// Show prints steps and turns for a person.
func Show(steps []agent.Step, r *agent.Report) string {
	var b bytes.Buffer
	all := slices.Concat(steps, r.Open)
	for n, turn := range r.Turns {
		fmt.Fprintf(&b, "== turn %d of %s, %s to %s, done %t\n", n+1, turn.Session, clock(turn.Begin), clock(turn.End), turn.Done)
		fmt.Fprintf(&b, "prompt: %q, task %t\nfinal:  %q\nfiles:  %q, calls %d\n", turn.Prompt, turn.Task, turn.Final, turn.Files, turn.Calls)
		for _, s := range all[:turn.Steps] {
			fmt.Fprintf(&b, "\n-- %s in %s, %s, model %q, tokens %d\n", s.ID, s.Session, clock(s.Time), s.Model, s.Tokens)
			for _, f := range []struct{ name, text string }{{"thought", s.Thought}, {"action", s.Action}, {"observation", s.Observation}} {
				if f.text != "" {
					fmt.Fprintf(&b, "%s:\n\t%s\n", f.name, strings.ReplaceAll(f.text, "\n", "\n\t"))
				}
			}
		}
		all = all[turn.Steps:]
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "== open %d, unknown %v, broken %d, subagent %d, copied %d, left out %d\n",
		len(r.Open), r.Unknown, r.Broken, r.Subagent, r.Copied, r.LeftOut)
	return b.String()
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "no time"
	}
	return t.Format("15:04:05.000")
}
