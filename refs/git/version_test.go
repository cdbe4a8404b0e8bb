package git

import (
	"os"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	v, err := Version(t.Context(), os.Environ())
	if err != nil || !strings.Contains(v, ".") || strings.Contains(v, "git") {
		t.Errorf("%q, %v", v, err)
	}
	if v, err := Version(t.Context(), []string{"PATH=" + t.TempDir()}); err == nil {
		t.Errorf("%q of no git at all", v)
	}
}
