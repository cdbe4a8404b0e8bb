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

// progress passes on what git says while it talks to a remote, once that takes
// long. What the remote says in it is made safe to show.
type progress struct {
	to    io.Writer
	timer *time.Timer

	mu   sync.Mutex
	held bytes.Buffer // said before the delay was over
	open bool         // it is over
}

// progress is where progress goes, and what ends it; nil where nobody watches.
func (e *Env) progress(asJSON bool) (io.Writer, func()) {
	if !e.Term.Err || asJSON {
		return nil, func() {}
	}
	w := &progress{to: e.Err}
	w.timer = time.AfterFunc(progressDelay, w.begin)
	return w, func() { w.timer.Stop() }
}

// begin shows what was said so far.
func (w *progress) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = true
	_ = w.show(w.held.String()) // a terminal that is gone stops nothing
	w.held.Reset()
}

func (w *progress) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open {
		return len(p), w.show(string(p))
	}
	if w.held.Len()+len(p) <= maxHeld {
		w.held.Write(p)
	}
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
