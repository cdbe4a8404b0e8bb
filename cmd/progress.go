package cmd

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/render"
)

const (
	// progressDelay is the time before progress is shown.
	progressDelay = time.Second
	// maxHeld is the most that is kept of progress until then, in bytes.
	maxHeld = 64 << 10
)

// progress shows the progress of work that takes longer than progressDelay, that of git
// included. It makes the messages of remotes safe to show.
type progress struct {
	to   io.Writer
	now  func() time.Time
	from time.Time // until then nothing is shown

	mu   sync.Mutex
	held bytes.Buffer // what was written until then
}

// progress returns the writer for progress; nil where standard error is not a terminal.
func (e *Env) progress(asJSON bool) io.Writer {
	if !e.Term.Err || asJSON {
		return nil
	}
	return &progress{to: e.Err, now: e.Now, from: e.Now().Add(progressDelay)}
}

func (w *progress) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now().Before(w.from) {
		if w.held.Len()+len(p) <= maxHeld {
			w.held.Write(p)
		}
		return len(p), nil
	}
	text := w.held.String() + string(p)
	w.held.Reset()
	_ = w.show(text) // a terminal that is gone must not stop the work
	return len(p), nil
}

// show keeps carriage returns, which git uses for its counters, and makes the rest safe to
// show.
func (w *progress) show(text string) error {
	parts := strings.Split(text, "\r")
	for i := range parts {
		parts[i] = render.Safe(parts[i])
	}
	_, err := io.WriteString(w.to, strings.Join(parts, "\r"))
	return err
}
