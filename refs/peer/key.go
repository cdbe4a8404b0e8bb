package peer

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// Fingerprint identifies a step in other copies of its log: its time, to the second, and a
// digest of its texts. White space at the ends of lines and blank lines do not count,
// because readers of contexa drop them when they copy a log.
func Fingerprint(s Step) string {
	return print(s.Time, s.Observation, s.Thought, s.Action)
}

// Fingerprint identifies a commit in the same way, by its time and its title and
// contribution, however the text is divided between these two.
func (m Milestone) Fingerprint() string {
	return print(m.Time, JoinTitle(m.Title, m.Contribution))
}

func print(at time.Time, texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				_, _ = h.Write([]byte(line + "\n")) // a hash never fails
			}
		}
		_, _ = h.Write([]byte{0})
	}
	when := ""
	if !at.IsZero() {
		when = at.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s:%.12x", when, h.Sum(nil))
}
