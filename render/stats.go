package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
)

// StatsText shows the amount of memory: the counts, the agents, and the newest days, in a
// terminal as a chart. In a prompt, a chart would cost tokens without a benefit.
func StatsText(p *Printer, v history.Statistics, days int) {
	p.line(bold("# Memory"))
	p.blank()
	p.attribute("branches", plain(fmt.Sprintf("%d (%s)", v.Branches, statuses(v.Status))))
	p.attribute("commits", plain(strconv.Itoa(v.Commits)))
	total := strconv.Itoa(v.Steps)
	if v.Pending > 0 {
		total += fmt.Sprintf(" (%d pending)", v.Pending)
	}
	p.attribute("steps", plain(total))
	p.attribute("topics", plain(strconv.Itoa(v.Topics)))
	if v.Tokens > 0 {
		p.attribute("tokens", plain(strconv.FormatInt(v.Tokens, 10)))
	}
	p.attribute("text", plain(Size(v.Bytes.Raw)))
	p.attribute("stored", plain(Size(v.Bytes.Stored)))
	p.agents(v.Agents)
	p.days(v.Days, days)
}

// statuses returns "3 active, 1 merged".
func statuses(by map[string]int) string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(by)) {
		all = append(all, fmt.Sprintf("%d %s", by[status], status))
	}
	return strings.Join(all, ", ")
}

// agents lists the agents, those with the most steps first.
func (p *Printer) agents(by map[string]history.Tally) {
	if len(by) == 0 {
		return
	}
	p.heading("## ", "Agents")
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b].Steps, by[a].Steps), cmp.Compare(by[b].Commits, by[a].Commits), cmp.Compare(a, b))
	})
	width := 0
	for _, name := range names {
		width = max(width, min(cells(name), longName))
	}
	for _, name := range names {
		p.line(plain(name+pad(name, width)+"  "), plain(tally(by[name])))
	}
}

// tally formats the figures of one line, aligned.
func tally(t history.Tally) string {
	text := fmt.Sprintf("%6d %-6s %5d %s", t.Steps, plural(t.Steps, "step"), t.Commits, plural(t.Commits, "commit"))
	if t.Tokens > 0 {
		text += pad(text, 32) + fmt.Sprintf("%10d tokens", t.Tokens)
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// days shows the newest n days with entries.
func (p *Printer) days(by map[string]history.Tally, n int) {
	all := slices.Sorted(maps.Keys(by))
	shown := all[max(0, len(all)-n):]
	if len(shown) == 0 {
		return
	}
	most := 1
	for _, day := range shown {
		most = max(most, by[day].Steps+by[day].Commits)
	}
	p.heading("## ", "Days")
	for _, day := range shown {
		t, chart := by[day], ""
		if p.Width > 0 {
			chart = bar(t.Steps+t.Commits, most, chartWidth(p.Width)) + "  "
		}
		p.line(plain(day+"  "), green(chart), plain(tally(t)))
	}
	if older := len(all) - len(shown); older > 0 {
		p.blank()
		p.command(prose.Count(older, "older day"), "stats --days %d", len(all))
	}
}

// chartWidth leaves room for the date and the figures.
func chartWidth(width int) int { return min(max(width-12-34, 8), 40) }

// bar formats n of most as a bar of at most width cells, in eighths of a cell. Any n above
// 0 is visible.
func bar(n, most, width int) string {
	eighths := (n*width*8 + most - 1) / most
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return text + pad(text, width)
}

// Size formats a number of bytes.
func Size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
