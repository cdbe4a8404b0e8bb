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
	// progressDelay is how long a person waits before being told what for.
	progressDelay = time.Second
	// maxHeld bounds what is kept of what was said until then.
	maxHeld = 64 << 10
)

// progress passes on how far long work has come, and what git says of it, once that takes
// long. What a remote says in it is made safe to show.
type progress struct {
	to   io.Writer
	now  func() time.Time
	from time.Time // until then nothing is shown

	mu   sync.Mutex
	held bytes.Buffer // said before that
}

// progress is where progress goes; nil where nobody watches.
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
	_ = w.show(text) // a terminal that is gone stops nothing
	return len(p), nil
}

// show lets carriage returns move git's counters; everything else is made visible.
func (w *progress) show(text string) error {
	parts := strings.Split(text, "\r")
	for i := range parts {
		parts[i] = render.Safe(parts[i])
	}
	_, err := io.WriteString(w.to, strings.Join(parts, "\r"))
	return err
}
