package cmd

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/refs/store"
)

func TestParseStep(t *testing.T) {
	at := time.Date(2026, 11, 21, 1, 37, 5, 0, time.UTC)
	w := store.Writer{Agent: "claude", Session: "s1", Model: "m", Tokens: 3}
	for line, want := range map[string]store.NewStep{
		`{"observation":"o"}`: {Observation: "o", Agent: "claude", Session: "s1", Model: "m", Tokens: 3},
		`{"thought":"t","action":null,"time":"2026-11-21T02:37:05+01:00","agent":"codex","session":"a:b","id":"7","tokens":9}`: {
			Thought: "t", Time: at, Agent: "codex", Session: "a:b", Model: "m", Tokens: 9, Source: "a%3Ab:7"},
		` {"action":"a\u0000\n","id":7} `:    {Action: "a\x00\n", Agent: "claude", Session: "s1", Model: "m", Tokens: 3, Source: "s1:7"},
		`{"action":"a","id":"","time":"@5"}`: {Action: "a", Time: time.Unix(5, 0).UTC(), Agent: "claude", Session: "s1", Model: "m", Tokens: 3},
	} {
		got, err := parseStep([]byte(line), w)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	for _, line := range []string{
		`{"observation":"o"`, `{"observaton":"o"}`, `{"observation":7}`, `{}`, `{"id":"7"}`, `[]`, `null`,
		`{"action":"a"}{"action":"b"}`, `{"action":"a","time":"yesterday"}`, `{"action":"a","id":[1]}`, `{"action":"a","tokens":-1}`,
	} {
		if step, err := parseStep([]byte(line), w); err == nil || errors.Is(err, errUsage) {
			t.Errorf("%s: %+v, %v", line, step, err)
		}
	}
}

func TestSourceKeysDiffer(t *testing.T) {
	if a, b := sourceKey("a:b", "c"), sourceKey("a", "b:c"); a == b {
		t.Errorf("two steps, one key: %s", a)
	}
}

func TestLossy(t *testing.T) {
	for line, want := range map[string]bool{
		"{\"action\":\"a\xff\"}":                  true,
		`{"action":"\ud800"}`:                     true,
		`{"action":"\uFFFD \ufffd \ud83d\ude00"}`: false,
		"{\"action\":\"\uFFFD\"}":                 false,
		"{\"action\":\"\uFFFD\xff\"}":             true,
	} {
		step, err := parseStep([]byte(line), store.Writer{})
		if err != nil {
			t.Fatal(err)
		}
		if got := lossy([]byte(line), step); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	next := readLines(t.Context(), strings.NewReader("a\n\n"+long+"\nlast"))
	for _, want := range []string{"a\n", "\n", long + "\n", "last"} {
		got, err := next()
		if err != nil || string(got) != want {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	if _, err := next(); err != io.EOF {
		t.Errorf("%v at the end", err)
	}
}

// ^C ends a run that waits for a line that does not come.
func TestReadLinesEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close()
	next := readLines(ctx, in)
	cancel()
	if _, err := next(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestReadLinesHasALimit(t *testing.T) {
	next := readLines(t.Context(), io.LimitReader(endless{}, maxLine+100))
	if _, err := next(); err == nil || err == io.EOF {
		t.Errorf("%v", err)
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
