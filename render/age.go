package render

import (
	"fmt"
	"time"
)

// age formats the time since then in git's units (`git log --date=relative`): the largest
// unit of which there are about two or more.
func age(then, now time.Time) string {
	const day = 24 * time.Hour
	d := now.Sub(then)
	switch {
	case d < 0:
		return "in the future"
	case d < 90*time.Second:
		return ago(d, time.Second, "second")
	case d < 90*time.Minute:
		return ago(d, time.Minute, "minute")
	case d < 36*time.Hour:
		return ago(d, time.Hour, "hour")
	case d < 14*day:
		return ago(d, day, "day")
	case d < 70*day:
		return ago(d, 7*day, "week")
	case d < 365*day:
		return ago(d, 30*day, "month")
	}
	return ago(d, 365*day, "year")
}

// ago rounds to the nearest unit.
func ago(d, unit time.Duration, name string) string {
	n := (d + unit/2) / unit
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s ago", n, name)
}
