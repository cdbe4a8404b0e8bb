package cmd

import (
	"bytes"
	"strings"
	"testing"
)

// A quick exchange says nothing; a slow one what git and the remote say, with
// the remote's escape sequences made visible.
func TestProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	env := &Env{Err: &out, Term: Terminal{Err: true}}
	w, stop := env.progress(false)
	if _, err := w.Write([]byte("remote: \x1b[31mred\rCounting: 1\r")); err != nil {
		t.Fatal(err)
	}
	stop()
	if out.Len() > 0 {
		t.Errorf("said at once: %q", &out)
	}
	w.(*progress).begin()
	if _, err := w.Write([]byte("Counting: 2\n")); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.HasSuffix(got, "red\rCounting: 1\rCounting: 2\n") {
		t.Errorf("shown: %q", got)
	}
	for _, quiet := range []*Env{{Err: &out}, {Err: &out, Term: Terminal{Out: true}}} {
		if w, _ := quiet.progress(false); w != nil {
			t.Error("progress where nobody watches")
		}
	}
	if w, _ := env.progress(true); w != nil {
		t.Error("progress beside JSON")
	}
}
