package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	second = 1000.0
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// seed makes every run play the same.
const seed = 1

// usualScene is what the tables vary: a milestone every five minutes and a sync after
// each, a host with the two cores that were measured, 20 ms and a gigabit away.
func usualScene(name string, agents, branches int) scene {
	return scene{name: name, agents: agents, branches: branches, every: 5 * minute, perSync: 1,
		cores: 2, trip: 20, line: 125_000, duration: 2 * hour}
}

func (s scene) with(name string, change func(*scene)) scene {
	s.name = name
	change(&s)
	return s
}

// grown are more and more agents, and what settings change for a thousand.
func grown(what string, branches int) []scene {
	var list []scene
	for _, n := range []int{10, 30, 100, 300, 1000} {
		list = append(list, usualScene(fmt.Sprintf("%d agents, %s", n, what), n, branches))
	}
	return list
}

func changed(base scene) []scene {
	list := []scene{
		base.with("a sync after six commits", func(s *scene) { s.perSync = 6 }),
		base.with("a host of 16 cores", func(s *scene) { s.cores = 16 }),
		base.with("100 ms away", func(s *scene) { s.trip = 100 }),
		base.with("100 ms away, a sync after six commits", func(s *scene) { s.trip, s.perSync = 100, 6 }),
		base.with("one of four hosts, 250 agents", func(s *scene) { s.agents /= 4 }),
		base.with("notes not pushed", func(s *scene) { s.noNotes = true }),
		base.with("notes not pushed, 100 ms away", func(s *scene) { s.noNotes, s.trip = true, 100 }),
	}
	if base.branches > 0 {
		return append(list, base.with("ten branches of a hundred", func(s *scene) { s.branches = 10 }))
	}
	return append(list, base.with("`context.<remote>.branches`: one's own alone", func(s *scene) { s.narrow = true }),
		base.with("the same, notes not pushed", func(s *scene) { s.noNotes, s.narrow = true, true }))
}

// simulate prints the tables of docs/scale.md.
func simulate(name string, out io.Writer) error {
	l, err := readRows(name)
	if err != nil {
		return err
	}
	var b strings.Builder
	measuredTables(&b, l)
	if err := beside(&b, l); err != nil {
		return err
	}
	for _, part := range []struct {
		title  string
		scenes []scene
	}{
		{"Simulated: one branch each", grown("one branch each", 0)},
		{"Simulated: a thousand agents, one branch each, with one thing changed", changed(usualScene("", 1000, 0))},
		{"Simulated: one shared branch", grown("one branch", 1)},
		{"Simulated: a thousand agents, one shared branch, with one thing changed", changed(usualScene("", 1000, 1))},
	} {
		if err := simulated(&b, l, part.title, part.scenes); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, b.String())
	return err
}

// marks are the lines of a page between which its tables stand.
const (
	markBegin = "<!-- tables: go run ./test/scale simulate -->\n"
	markEnd   = "<!-- end of the tables -->\n"
)

// renew puts the tables into a page.
func renew(page, name string) error {
	var tables strings.Builder
	if err := simulate(name, &tables); err != nil {
		return err
	}
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(data), markBegin)
	_, after, ended := strings.Cut(rest, markEnd)
	if !begun || !ended {
		return fmt.Errorf("%s: no lines that say where the tables stand", page)
	}
	return os.WriteFile(page, []byte(before+markBegin+tables.String()+"\n"+markEnd+after), 0o666)
}

// refsOn is how many memory refs the host has in a scene.
func (s scene) refsOn() int {
	if s.branches > 0 {
		return s.branches
	}
	return s.agents
}

func simulated(b *strings.Builder, l rows, title string, scenes []scene) error {
	fmt.Fprintf(b, "\n### %s\n\n| | commits/s made, on the host | until it is there, p50, p99 | a sync, p50, p99 | tries, mean, worst | gave up after 60 | host's cores busy | sent a day | disk a day: loose, packed |\n|---|---|---|---|---|---|---|---|---|\n", title)
	for _, sc := range scenes {
		c, err := costsAt(l, sc.refsOn())
		if err != nil {
			return err
		}
		p := play(sc, c, seed)
		perDay := float64(p.got) * day / p.took
		fmt.Fprintf(b, "| %s | %.2f, %.2f | %s, %s | %s, %s | %.1f, %d | %s | %.0f %% | %s | %s, %s |\n", sc.name,
			float64(p.made)/p.took*second, float64(p.got)/p.took*second,
			span(quantile(p.waits, 0.5)), span(quantile(p.waits, 0.99)), span(quantile(p.syncs, 0.5)), span(quantile(p.syncs, 0.99)),
			mean(p.tries), quantile(p.tries, 1), gaveUp(p), 100*p.hostUsed/p.took/float64(sc.cores),
			bytesText(p.out*day/p.took), bytesText(perDay*c.loose), bytesText(perDay*c.disk))
	}
	return nil
}

func gaveUp(p played) string {
	if p.gaveUp == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", p.gaveUp, len(p.tries))
}

func quantile[T any](sorted []T, share float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func mean(list []int) float64 {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return float64(sum) / max(1, float64(len(list)))
}

// span is a number of milliseconds for people.
func span(ms float64) string {
	switch {
	case ms < second:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 2*minute:
		return fmt.Sprintf("%.1f s", ms/second)
	}
	return fmt.Sprintf("%.0f min", ms/minute)
}

func bytesText(n float64) string {
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.3g TB", n)
}
