package peer

import "strings"

// trimmed is a milestone as gcc-memory can hold it.
type trimmed struct{ Time, Title, Purpose, Progress, Contribution string }

func trimMilestone(m Commit) trimmed {
	c := strings.TrimSpace(m.Contribution)
	if c == "" {
		c = m.Title
	}
	return trimmed{m.Time.String(), m.Title, strings.TrimSpace(m.Purpose), strings.TrimSpace(m.Progress), c}
}
