package transcript

import (
	"bufio"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/store"
)

// A line of `record --stdin` is a step whose texts are those of the line, or is
// refused in one line; what the source calls it is its own.
func FuzzParseStep(f *testing.F) {
	for _, line := range []string{
		`{"observation":"o","thought":"t","action":"a","time":"2026-11-21T01:37:05Z","agent":"x","session":"s:1","id":7}`,
		`{"action":"a","id":null,"time":"@0"}`, `{"action":"a","id":"1:2","tokens":-1}`, `{"action":"a"} {"action":"b"}`, `{"act":"a"}`, `{"action":1e999}`,
		`{"action":"a","tokens":9223372036854775808}`, `{"action":"a","id":[1]}`, `{"action":"a","id":1e400}`, `[]`, "null", "\x00", "{\"action\":\"\xff\"}",
		`{"action":"\ud800"}`, `{"action":"a","Action":"b"}`, `{"action":"a","time":"2026-02-30T00:00:00Z"}`, `{"action":"a","time":"@9223372036854775807"}`,
	} {
		f.Add(line, "other")
	}
	f.Fuzz(func(t *testing.T, line, session string) {
		step, _, err := Parse([]byte(line), store.Writer{Agent: "someone"})
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") && !strings.Contains(line, "\n") {
				t.Errorf("%q", text)
			}
			return
		}
		if step.Observation+step.Thought+step.Action == "" || step.Tokens < 0 || step.Agent == "" {
			t.Errorf("%+v", step)
		}
		if again, _, err := Parse([]byte(line), store.Writer{Agent: "someone"}); err != nil || !reflect.DeepEqual(again, step) {
			t.Errorf("%+v, then %+v: %v", step, again, err)
		}
		if own, id, ok := strings.Cut(step.Source, ":"); step.Source != "" && (!ok || sourceKey(session, id) == step.Source && session != step.Session || strings.Contains(own, ":")) {
			t.Errorf("'%s' of session '%s' and '%s'", step.Source, step.Session, session)
		}
	})
}

// Lines are read as they stand, whatever a buffer holds.
func FuzzReadLine(f *testing.F) {
	f.Add("a\nb\n\nc", 16)
	f.Add("\r\n", 1)
	f.Add(strings.Repeat("x", 100)+"\n", 16)
	f.Fuzz(func(t *testing.T, text string, size int) {
		r := bufio.NewReaderSize(strings.NewReader(text), size%4096)
		var all strings.Builder
		for {
			line, err := readLine(r)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				break
			}
			if i := strings.IndexByte(string(line), '\n'); i >= 0 && i != len(line)-1 {
				t.Errorf("%q", line)
			}
			all.Write(line)
		}
		if all.String() != text {
			t.Errorf("%q became %q", text, all.String())
		}
	})
}

// A time is read the same in each of its forms.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"", "@0", "@-62135596800", "@9223372036854775807", "2026-11-21T01:37:05.123456789+05:30", "2026-11-21", "@", "@1.5", "@+1", "0000-01-01T00:00:00Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := ParseTime(s)
		if !ok || at.IsZero() || at.Year() < 0 || at.Year() > 9999 {
			return
		}
		if at.Location() != time.UTC {
			t.Errorf("%q is %s", s, at)
		}
		if again, ok := ParseTime(at.Format(time.RFC3339Nano)); !ok || !again.Equal(at) {
			t.Errorf("%q is %s, written %q, and read as %s", s, at, at.Format(time.RFC3339Nano), again)
		}
	})
}
