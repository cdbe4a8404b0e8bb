package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git/process"
)

// slow is a reader that takes longer than a child that has ended is waited for.
type slow struct {
	bytes.Buffer
	pause time.Duration
}

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(s.pause)
	s.pause = 0
	return s.Buffer.Write(p)
}

func TestViewTo(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	id, err := r.WriteBlob(t.Context(), []byte(strings.Repeat("line\n", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	var out slow
	out.pause = process.Grace + 200*time.Millisecond
	if err := r.ViewTo(t.Context(), &out, nil, "cat-file", "blob", string(id)); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 5000 {
		t.Errorf("%d bytes came", out.Len())
	}
	out.Reset()
	if err := r.ViewTo(t.Context(), &out, []byte("one\n"), "stripspace"); err != nil || out.String() != "one\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	var failed *Error
	if err := r.ViewTo(t.Context(), &out, nil, "log", "--no-such"); !errors.As(err, &failed) {
		t.Errorf("a failing child: %v", err)
	}
}

// full is a writer that takes nothing.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestViewToEnds(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	broken := errors.New("nobody reads")
	for _, c := range []struct{ says, want error }{
		{ErrEnough, nil},
		{fmt.Errorf("ten: %w", ErrEnough), nil},
		{broken, broken},
	} {
		// It says more than a pipe holds.
		in := []byte(strings.Repeat("line\n", 1<<20))
		if err := r.ViewTo(t.Context(), full{c.says}, in, "stripspace"); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.says, err)
		}
	}
}
