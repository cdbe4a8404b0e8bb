package githook

import (
	"bytes"
	"testing"
)

// The file of hooks that failed keeps what it does not understand, and forgets what it
// is told to.
func FuzzFailures(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-21T01:37:05Z","event":"post-commit","error":"x"}` + "\nnot json\n" + `{"event":""}`))
	f.Add([]byte("\n\n{}\n\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all := dropLines(text, func(Failure) bool { return false })
		if !bytes.Equal(all, text) {
			t.Errorf("%q became %q", text, all)
		}
		rest := dropLines(text, func(Failure) bool { return true })
		for line := range bytes.Lines(rest) {
			if _, ok := parseFailure(line); ok {
				t.Errorf("%q was kept", line)
			}
		}
	})
}
