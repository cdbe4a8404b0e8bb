package redact

import (
	"encoding/json"
	"testing"
)

// No text makes it panic; what was found is in order and within the text; redacting again
// changes nothing; valid JSON remains valid.
func FuzzText(f *testing.F) {
	for _, c := range secrets() {
		f.Add(c.text)
	}
	for _, text := range clean() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkLaws(t, text) })
}

// fataler is a test or a rapid test.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkLaws(t fataler, text string) {
	t.Helper()
	out, found := Text(text)
	at := 0
	for _, f := range found {
		if f.Start < at || f.End <= f.Start || f.End > len(text) || f.Kind == "" {
			t.Fatalf("%q: found %v after %d", text, f, at)
		}
		at = f.End
	}
	if (len(found) == 0) != (out == text) {
		t.Fatalf("%q: found %v and returned %q", text, found, out)
	}
	if again, more := Text(out); again != out {
		t.Fatalf("%q\nonce:  %q\ntwice: %q %v", text, out, again, more)
	}
	if json.Valid([]byte(text)) && !json.Valid([]byte(out)) {
		t.Fatalf("%q is valid JSON, but not %q", text, out)
	}
}
