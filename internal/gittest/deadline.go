package gittest

import (
	"context"
	"testing"
	"time"
)

// Patience is how long a test waits for what must happen: a busy machine takes long.
const Patience = 5 * time.Minute

// Wait waits until something has happened, and fails the test if that takes too long.
func Wait(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < Patience; time.Sleep(5 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Errorf("waited in vain for %s", what)
}

// A Deadline is a context whose deadline comes when the test says so. On a busy machine
// that of a clock comes before what it is to end has begun.
type Deadline struct {
	context.Context
	over chan struct{}
}

// NewDeadline returns a context below the test's.
func NewDeadline(t testing.TB) Deadline { return Deadline{t.Context(), make(chan struct{})} }

// Come lets the deadline come; once.
func (d Deadline) Come() { close(d.over) }

// Deadline reports that there is one, later than any test waits.
func (d Deadline) Deadline() (time.Time, bool) { return time.Now().Add(2 * Patience), true }

// Done is closed when the deadline comes.
func (d Deadline) Done() <-chan struct{} { return d.over }

// Err is context.DeadlineExceeded once the deadline has come.
func (d Deadline) Err() error {
	select {
	case <-d.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
