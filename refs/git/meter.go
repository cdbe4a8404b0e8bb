package git

import (
	"fmt"
	"io"
	"time"
)

const (
	// meterDelay is how long work goes on before a person is told how far it has come.
	meterDelay = time.Second
	// meterPause is how often that is told anew.
	meterPause = 100 * time.Millisecond
)

// Meter tells how far long work has come, in git's words: "Recording steps:  42%
// (420/1000)", or "Reading steps: 420" where nobody knows how many there are. Work that
// is done within a second says nothing. A nil Meter tells nobody and costs nothing. It is
// for one goroutine.
type Meter struct {
	to          io.Writer
	now         func() time.Time
	title       string
	done, total int
	next        time.Time // when there is something to tell again
	shown       bool
}

// NewMeter begins to measure; total is 0 where it is not known. It is nil where to is: nobody
// waits. End ends it.
func NewMeter(to io.Writer, now func() time.Time, title string, total int) *Meter {
	if to == nil {
		return nil
	}
	return &Meter{to: to, now: now, title: title, total: total, next: now().Add(meterDelay)}
}

// Meter begins to measure for whom Options.Progress names.
func (r *Repo) Meter(title string, total int) *Meter {
	return NewMeter(r.progress, r.now, title, total)
}

// Add says that n more are done.
func (m *Meter) Add(n int) {
	if m == nil {
		return
	}
	m.done += n
	if now := m.now(); !now.Before(m.next) {
		m.next, m.shown = now.Add(meterPause), true
		m.tell("\r")
	}
}

// End leaves what was told last on a line of its own.
func (m *Meter) End() {
	switch {
	case m == nil || !m.shown:
	case m.done >= m.total:
		m.tell(", done.\n")
	default: // stopped
		m.tell("\n")
	}
}

// tell writes one line; whoever cannot be told stops no work.
func (m *Meter) tell(end string) {
	if m.total == 0 {
		_, _ = fmt.Fprintf(m.to, "%s: %d%s", m.title, m.done, end)
		return
	}
	_, _ = fmt.Fprintf(m.to, "%s: %3d%% (%d/%d)%s", m.title, 100*m.done/m.total, m.done, m.total, end)
}
