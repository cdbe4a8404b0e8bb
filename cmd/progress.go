package cmd

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/render"
)

// progressDelay is how long a person waits before being told what for.
const progressDelay = time.Second

// progress passes on what git says while it talks to a remote, once that takes
// long. What the remote says in it is made safe to show.
type progress struct {
	to    io.Writer
	now   func() time.Time
	start time.Time
	held  bytes.Buffer // said before the delay was over
}

// maxHeld bounds what is kept of the first second.
const maxHeld = 64 << 10

// progress is where progress goes; nil where nobody watches.
func (e *Env) progress(asJSON bool) io.Writer {
	if !e.Term.Err || asJSON {
		return nil
	}
	return &progress{to: e.Err, now: e.Now, start: e.Now()}
}

func (w *progress) Write(p []byte) (int, error) {
	if w.now().Sub(w.start) < progressDelay {
		if w.held.Len()+len(p) <= maxHeld {
			w.held.Write(p)
		}
		return len(p), nil
	}
	w.held.Write(p)
	// Carriage returns move git's counters; everything else is made visible.
	parts := strings.Split(w.held.String(), "\r")
	for i := range parts {
		parts[i] = render.Safe(parts[i])
	}
	w.held.Reset()
	_, err := io.WriteString(w.to, strings.Join(parts, "\r"))
	return len(p), err
}
