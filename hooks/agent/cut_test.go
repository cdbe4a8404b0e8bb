package agent

import (
	"strings"
	"testing"
)

// A text that is cut twice says how much of the first one is missing.
func TestCutAgain(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("é", 20_000)
	once := Cut(whole, 8<<10)
	twice := Cut(once, 2<<10)
	kept := strings.Count(twice, "é")
	if want := "… " + thousands(40_000-2*kept) + " bytes more, sha256 "; len(twice) > 2<<10 || kept < 900 || !strings.Contains(twice, want) {
		t.Errorf("got %d times é and '%s', want '%s'", kept, strings.TrimLeft(twice, "é"), want)
	}
	for _, odd := range []string{"… 7 bytes more, sha256 no", "… x bytes more, sha256 1a2b3c4d5e6f", "… -7 bytes more, sha256 1a2b3c4d5e6f", "… "} {
		if n := missing(odd); n != len(odd) {
			t.Errorf("%q: %d", odd, n)
		}
	}
}
