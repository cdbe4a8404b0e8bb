package capture

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/store"
)

// How long Record waits for the end of a turn in a transcript that the client writes late. Copilot CLI
// 1.0.102 writes it about 105 ms after the event, Claude Code 2.1.197 less than 400 ms. A person waits at the end of a turn; at the end of a
// session it is the last chance before the next session, which catches up after ten minutes.
const (
	LateTurn = 150 * time.Millisecond // for Turn.Late
	LateEnd  = time.Second            // the same, of clients that call no hook at the end of a session
	lateStep = 10 * time.Millisecond
)

// Prompted notes that the user wrote a prompt, for a client whose transcript is late: until the turn
// has an end in the transcript, Record waits for it. It records what the events before found
// unfinished and waits for nothing: neither for the transcript nor for another process that reads it.
func Prompted(ctx context.Context, s *store.Store, t Turn) (Result, error) {
	c := &capturing{s: s, turn: t, asks: true}
	var err error
	if err = c.readSettings(ctx); err != nil {
		return Result{}, err
	}
	lock, free, err := s.Repo().TryLock("capture " + t.key())
	if err != nil || !free {
		return Result{}, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	known, err := c.load(t.key())
	if err != nil {
		return Result{}, err
	}
	if !known { // some clients run the hooks of a start and of its prompt at once
		return Result{}, c.begin(ctx)
	}
	return c.run(ctx, known)
}

// limit is when the wait of an event ends.
func (t Turn) limit() time.Time {
	switch {
	case t.Late == 0:
		return time.Time{}
	case t.Ends:
		return time.Now().Add(LateEnd)
	}
	return time.Now().Add(t.Late)
}

// open opens the transcript, if need be after a wait for it, or the compressed one in its place.
func (c *capturing) open(ctx context.Context) (file, error) {
	for {
		f, err := os.Open(c.turn.Transcript)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case c.turn.Ends:
			if f, err := c.unpack(ctx); !errors.Is(err, fs.ErrNotExist) {
				return f, err
			}
		}
		if !c.wait(ctx) {
			return nil, err
		}
	}
}

// wait waits a moment for more of the transcript, and reports false if nothing is to come or the
// time is over.
func (c *capturing) wait(ctx context.Context) bool {
	asked := c.state.Asked || c.turn.Subagent != ""
	if !asked || !time.Now().Before(c.until) || ctx.Err() != nil {
		return false
	}
	time.Sleep(lateStep)
	return true
}

// finished reports whether the newest turn of what was read has an end: the transcript says so, or
// it has the last message that the client gave. Older releases of Claude Code do not say it.
func (c *capturing) finished(r *agent.Report) bool {
	n := len(r.Turns)
	if n == 0 {
		return false
	}
	said := strings.TrimSpace(r.Turns[n-1].Final)
	return r.Turns[n-1].Done || said != "" && strings.HasSuffix(strings.TrimSpace(c.turn.Final), said)
}

// leaves reports whether the newest turn is left to a later event as a whole: a call that was read
// without its result would never get it.
func (c *capturing) leaves(r *agent.Report) bool {
	return c.turn.Late > 0 && !c.turn.Ends && len(r.Turns) > 0 && !c.finished(r)
}
