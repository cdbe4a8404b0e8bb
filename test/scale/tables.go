package main

import (
	"fmt"
	"math"
	"strings"
)

// cells are the columns of a table: a title, a metric, and how it is shown.
type cell struct {
	title, experiment, metric string
	show                      func(float64) string
}

func ms(v float64) string    { return fmt.Sprintf("%.1f ms", v) }
func count(v float64) string { return fmt.Sprintf("%.0f", v) }

// table prints one row for each size that was measured.
func table(b *strings.Builder, l rows, title, of, via string, sizes []int, cells []cell) {
	fmt.Fprintf(b, "\n### %s\n\n| %s |", title, of)
	for _, c := range cells {
		fmt.Fprintf(b, " %s |", c.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(cells)) + "\n")
	for _, n := range sizes {
		fmt.Fprintf(b, "| %d |", n)
		for _, c := range cells {
			if v, ok := l.get(c.experiment, via, n, c.metric); ok {
				fmt.Fprintf(b, " %s |", c.show(v))
			} else {
				b.WriteString(" – |")
			}
		}
		b.WriteString("\n")
	}
}

// measuredTables prints what was measured, before anything is made of it.
func measuredTables(b *strings.Builder, l rows) {
	table(b, l, "A sync, by the branches on the host (git daemon)", "branches", viaDaemon, l.sizes("idle", viaDaemon), []cell{
		{"nothing to do: host", "idle", "host fetch cpu ms", ms},
		{"client", "idle", "client cpu ms", ms},
		{"bytes", "idle", "fetch bytes", bytesText},
		{"bytes, protocol 0", "idle, protocol 0", "fetch bytes", bytesText},
		{"host, refs not packed", "idle, loose refs", "host fetch cpu ms", ms},
		{"a commit to push: host", "one", "host push cpu ms", ms},
		{"of it to say its refs", "nothing to push", "host push cpu ms", ms},
		{"client", "one", "client cpu ms", ms},
		{"bytes", "one", "push bytes", bytesText},
		{"host, no auto gc", "one, receive.autogc=false", "host push cpu ms", ms},
		{"nothing to do, own refs packed: client", "idle, own refs packed", "client cpu ms", ms},
		{"a diverged branch: client", "diverged", "client cpu ms", ms},
	})
	table(b, l, "The first fetch of a new clone", "branches", viaDaemon, l.sizes("join", viaDaemon), []cell{
		{"client", "join", "client cpu ms", ms}, {"host", "join", "host fetch cpu ms", ms}, {"bytes", "join", "fetch bytes", bytesText},
	})
	table(b, l, "The same through a path (time on the clock)", "branches", viaPath, l.sizes("idle", viaPath), []cell{
		{"nothing to do", "idle", "wall ms", ms}, {"a commit to push", "one", "wall ms", ms}, {"first fetch", "join", "wall ms", ms},
	})
	table(b, l, "A fetch of others' commits", "commits", viaDaemon, l.sizes("news", viaDaemon), []cell{
		{"host", "news", "host fetch cpu ms", ms}, {"client", "news", "client cpu ms", ms}, {"bytes", "news", "fetch bytes", bytesText},
		{"`context.<remote>.branches=main`: host", "news, own branch", "host fetch cpu ms", ms}, {"client", "news, own branch", "client cpu ms", ms},
		{"bytes", "news, own branch", "fetch bytes", bytesText},
	})
	for _, t := range []struct{ title, of, experiment string }{
		{"A commit, by its text", "bytes of text", "bytes"}, {"A commit, by the notes there are", "notes", "notes"},
	} {
		table(b, l, t.title, t.of, viaDaemon, l.sizes(t.experiment, viaDaemon), []cell{
			{"bytes pushed", t.experiment, "push bytes", bytesText}, {"objects on the host", t.experiment, "objects", count},
			{"loose there", t.experiment, "loose bytes", bytesText}, {"host", t.experiment, "host push cpu ms", ms}, {"client", t.experiment, "client cpu ms", ms},
		})
	}
	table(b, l, "Packing the host: all commits, and 500 more", "commits", viaDaemon, l.sizes("growth", viaDaemon), []cell{
		{"all, packed", "growth", "packed bytes", bytesText},
		{"objects of one, loose", "growth", "loose objects each", count}, {"bytes of one, loose", "growth", "loose bytes each", bytesText},
		{"`git gc` after 500 more", "growth", "gc cpu ms", ms}, {"`git repack -d --geometric=2`", "growth", "repack --geometric=2 cpu ms", ms},
	})
}

// beside puts what real crowds did on this machine beside what the simulation says.
func beside(b *strings.Builder, l rows) error {
	for _, kind := range []struct{ title, experiment string }{{"one shared branch", "shared"}, {"one branch each", "own"}} {
		fmt.Fprintf(b, "\n### Real clones beside simulated ones: %s, %d syncs each, clients and host on the same two cores\n\n", kind.title, rounds)
		b.WriteString("| clones | tries lost, measured | simulated | worst, measured | simulated | seconds, measured | simulated | a sync p50, measured | simulated |\n|---|---|---|---|---|---|---|---|---|\n")
		for _, n := range l.sizes(kind.experiment, viaDaemon) {
			sc := scene{agents: n, rounds: rounds, cores: 2, local: true}
			if kind.experiment == "shared" {
				sc.branches = 1
			}
			c, err := costsAt(l, sc.refsOn())
			if err != nil {
				return err
			}
			p := play(sc, c, seed)
			lost := 0
			for _, t := range p.tries {
				lost += t - 1
			}
			of := func(metric string) float64 {
				v, ok := l.get(kind.experiment, viaDaemon, n, metric)
				if !ok {
					return math.NaN()
				}
				return v
			}
			fmt.Fprintf(b, "| %d | %.0f | %d | %.0f | %d | %.1f | %.1f | %s | %s |\n", n, of("tries lost"), lost, of("worst tries"), quantile(p.tries, 1),
				of("wall ms")/second, p.took/second, span(of("sync p50 ms")), span(quantile(p.syncs, 0.5)))
		}
	}
	return nil
}
