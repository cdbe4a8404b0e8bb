package capture

import (
	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/prose"
)

// saidLines lists what an agent said, oldest first, in at most that many bytes. Where not all has room, the
// newest text keeps 500 bytes, and of the others the sentences that state something come before those that
// announce what is done next: the calls tell that. The oldest are left out at last.
func saidLines(said []string, limit int) (lines []string) {
	const newest, least = 500, 160
	size := 0
	for _, text := range said {
		size += len(prose.Clip(text, newest)) + len("\n- ")
	}
	n := len(said)
	for i := range said {
		text, most := said[i], newest
		if size > limit && i < n-1 {
			most = max((limit-newest)/n, least)
			text, _ = agent.Findings(text)
		}
		lines = append(lines, "\n- "+prose.Clip(text, most))
	}
	left := limit
	from := n
	for from > 0 && left >= len(lines[from-1]) {
		from--
		left -= len(lines[from])
	}
	return lines[from:]
}
