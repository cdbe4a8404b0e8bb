package cmd

import (
	"bytes"
	"strings"
	"testing"
)

// Where the program itself is at fault, nobody is shown a stack but
// those who trace it.
func TestFaultsAreErrors(t *testing.T) {
	for _, test := range []struct {
		trace string
		stack bool
	}{{"", false}, {"1", true}} {
		var out bytes.Buffer
		env := &Env{In: faulty{}, Err: &out, Environ: []string{"GIT_CONTEXT_TRACE=" + test.trace}}
		if exit := Run(t.Context(), env, []string{"commit", "-F", "-"}); exit != exitFailed {
			t.Errorf("exit %d", exit)
		}
		if !strings.Contains(out.String(), "git-context: error: internal error: a fault\n") {
			t.Errorf("%q", out.String())
		}
		if got := strings.Contains(out.String(), "goroutine"); got != test.stack {
			t.Errorf("trace %q shows a stack: %v", test.trace, got)
		}
	}
}

// faulty is a standard input that cannot be read without a fault.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("a fault") }
