package process

import (
	"testing"
	"time"
)

// Both clocks count in hundredths of a second: who has just begun is not older than an
// hour, though the system seems to have begun a moment later.
func TestAgeOfAProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, started, age time.Duration
		want              bool
	}{
		{time.Hour, 0, time.Minute, true},
		{time.Hour, time.Hour - time.Minute, time.Minute, true},
		{time.Hour, time.Hour, time.Minute, false},
		{time.Hour, time.Hour + time.Second/ticks, time.Minute, false},
		{time.Hour, time.Hour, clockSlack, true},
		{time.Minute, time.Hour, 24 * time.Hour, true}, // by a clock of its own
	} {
		p := process{started: c.started}
		if got := p.mayBeAsOld(c.age, c.now); got != c.want {
			t.Errorf("started at %v, now %v: %v old? %v", c.started, c.now, c.age, got)
		}
	}
}
