package cmd

import (
	"bufio"
	"errors"
	"io"
	"slices"
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
		step, err := parseStep([]byte(line), store.Writer{Agent: "someone"})
		if err != nil {
			if text := atLine(1, err).Error(); strings.Contains(text, "\n") && !strings.Contains(line, "\n") {
				t.Errorf("%q", text)
			}
			return
		}
		if step.Observation+step.Thought+step.Action == "" || step.Tokens < 0 || step.Agent == "" {
			t.Errorf("%+v", step)
		}
		if again, err := parseStep([]byte(line), store.Writer{Agent: "someone"}); err != nil || again != step {
			t.Errorf("%+v, then %+v: %v", step, again, err)
		}
		_ = lossy([]byte(line), step)
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
		at, ok := parseTime(s)
		if !ok || at.IsZero() || at.Year() < 0 || at.Year() > 9999 {
			return
		}
		if at.Location() != time.UTC {
			t.Errorf("%q is %s", s, at)
		}
		if again, ok := parseTime(at.Format(time.RFC3339Nano)); !ok || !again.Equal(at) {
			t.Errorf("%q is %s, written %q, and read as %s", s, at, at.Format(time.RFC3339Nano), again)
		}
	})
}

// Of any command line the flags stand in front, each with its whole value, and no
// argument is lost, moved among the others, or taken for a flag.
func FuzzPermute(f *testing.F) {
	for _, line := range []string{"-m\na, b\nfile\n--json", "--message=-x\n--\n-m", "-am\ntext", "-mtext\n-m=x", "-", "--", "-b", "--branch\n--json", "-b\nx\n-k\n010",
		"--metadata\nbranch", "--h", "-\n--\n--\n-x", "---", "--=", "-\x00", "--limit\n99999999999999999999", "--lines=-1", "-é"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		for _, c := range []*command{newContext(new(globals)), newCommit(new(globals)), newBranch(new(globals)), newLog(new(globals))} {
			ordered, err := permute(c.flags, args)
			if err != nil {
				if !errors.Is(err, errUsage) {
					t.Errorf("%q: %v", args, err)
				}
				continue
			}
			end := slices.Index(ordered, "--")
			rest := ordered[end+1:]
			for _, flag := range ordered[:end] {
				name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
				if !strings.HasPrefix(flag, "--") || lookup(c.flags, name) == nil {
					t.Errorf("%q: flag '%s'", args, flag)
				}
			}
			at := 0
			for _, word := range rest {
				i := slices.Index(args[at:], word)
				if i < 0 {
					t.Fatalf("%q: argument '%s' is out of order", args, word)
				}
				at += i + 1
			}
			if again, err := permute(c.flags, args); err != nil || !slices.Equal(again, ordered) {
				t.Errorf("%q, then %q: %v", ordered, again, err)
			}
		}
	})
}

// A score is a number; whether it is one from 0 to 1 is asked where it is written.
func FuzzScore(f *testing.F) {
	for _, s := range []string{"", "0.5", "1", "NaN", "Inf", "-0", "1e-400", "0x1p-2", "1_0", " 1", "½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := readScore("--score", s)
		if (err == nil && n == nil) != (s == "") || err != nil && !errors.Is(err, errUsage) {
			t.Errorf("%q: %v, %v", s, n, err)
		}
	})
}

// The nearest of some words is one of them.
func FuzzNearest(f *testing.F) {
	f.Add("comit")
	f.Add("--")
	f.Add("\xff\u0301")
	f.Add(strings.Repeat("a", 300))
	f.Fuzz(func(t *testing.T, word string) {
		words := []string{"commit", "branch", "--json", "rollback"}
		if near := nearest(word, words); near != "" && !slices.Contains(words, near) {
			t.Errorf("'%s'", near)
		}
	})
}
