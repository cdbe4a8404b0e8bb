package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// operation is one row of the table: a command, and what must be done, unmeasured,
// before each of its runs.
type operation struct {
	name   string
	unit   string // what it is a ratio of: E, C, L or N
	budget float64
	args   func(i int) []string
	config string                     // of context.notes, set once
	before func(r *repo, i int) error // before each run
	writes bool                       // objects and refs: beside it runs what that costs at the least
}

// The units: an empty Go program, git commit, git log, git notes append.
const (
	unitE = "E"
	unitC = "C"
	unitL = "L"
	unitN = "N"
)

func fixed(args ...string) func(int) []string { return func(int) []string { return args } }

var operations = []operation{
	{name: "record", unit: unitE, budget: 2.5, args: fixed("record", "-o", lorem[:300], "-a", "go test")},
	{name: "commit, 10 pending, notes lazy", unit: unitC, budget: 1, args: fixed("commit", "-m", "Ten steps", "-m", lorem[:300]), writes: true,
		config: "lazy", before: func(r *repo, i int) error { return r.record("", 10) }},
	{name: "commit, 10 pending, with its note", unit: unitC, budget: 1.5, args: fixed("commit", "-m", "Ten steps", "-m", lorem[:300]), writes: true,
		config: "eager", before: func(r *repo, i int) error { return r.record("", 10) }},
	{name: "commit after a code change", unit: unitC, budget: 2, args: fixed("commit", "-m", "After a change"), writes: true,
		config: "lazy", before: func(r *repo, i int) error { return cmp.Or(r.codeChange(i), r.record("", 10)) }},
	// 5 L, and 4 ms for the code's state, which are two L.
	{name: "context (the brief)", unit: unitL, budget: 7, args: fixed()},
	{name: "context --log", unit: unitL, budget: 6, args: fixed("--log")},
	{name: "context --branch", unit: unitL, budget: 6, args: fixed("--branch", "main")},
	{name: "context --commit", unit: unitL, budget: 6, args: fixed("--commit", "main")},
	{name: "context --at", unit: unitL, budget: 5.2, args: fixed("--at", "main~5")}, // 1.3 × the snapshot
	{name: "note --score", unit: unitN, budget: 2, args: fixed("note", "main", "--score", "0.5"), writes: true},
	{name: "branch --no-switch", unit: unitC, budget: 1.5, writes: true, args: func(i int) []string {
		return []string{"branch", fmt.Sprintf("new/%d", i), "--no-switch", "--purpose", "Try"}
	}},
	{name: "branch, and switch to it", unit: unitC, budget: 1.5, writes: true, args: func(i int) []string {
		return []string{"branch", fmt.Sprintf("try/%d", i), "--purpose", "Try"}
	}, before: func(r *repo, i int) error { return r.git("context", "switch", "main") }},
	{name: "switch", unit: unitC, budget: 1.5, writes: true, args: func(i int) []string {
		return []string{"switch", []string{"side", "main"}[i%2]}
	}},
	{name: "merge of 1,000 steps", unit: unitC, budget: 4, writes: true, args: func(i int) []string {
		return []string{"merge", fmt.Sprintf("steps/%d", i), "--into", "main"}
	}, before: func(r *repo, i int) error {
		name := fmt.Sprintf("steps/%d", i)
		return cmp.Or(r.git("context", "branch", name, "--no-switch", "--from", "main"),
			r.record(name, 1000), r.git("context", "-b", name, "commit", "-m", "A thousand"))
	}},
	{name: "context (the brief), 80 branches", unit: unitL, budget: 7, args: fixed()}, // which were made above
}

func (r *repo) codeChange(i int) error {
	cmd := r.command("git", "fast-import", "--quiet")
	text := fmt.Sprintf("changed %d %d\n", i, time.Now().UnixNano())
	cmd.Stdin = strings.NewReader(fmt.Sprintf(
		"commit refs/heads/trunk\ncommitter B <b@example.com> %d +0000\ndata 1\nx\nfrom refs/heads/trunk^0\nM 100644 inline changed\ndata %d\n%s\n",
		time.Now().Unix(), len(text), text))
	return cmd.Run()
}

// column is one repository's medians, by operation; the units under their own
// names.
type column struct {
	title   string
	medians map[string]time.Duration
	disk    string
}

// column builds a repository and measures every operation in it.
func (b *bench) column(milestones, objects int) (column, error) {
	title := fmt.Sprintf("%d commits", milestones)
	if objects > 0 {
		title += fmt.Sprintf(", %d objects", objects)
	}
	r, err := b.newRepo(strings.ReplaceAll(title, " ", "-"), objects)
	if err != nil {
		return column{}, err
	}
	before, err := r.stored()
	if err != nil {
		return column{}, err
	}
	if err := r.fill(milestones); err != nil {
		return column{}, err
	}
	after, err := r.stored()
	if err != nil {
		return column{}, err
	}
	if err := r.settle(); err != nil {
		return column{}, err
	}
	col := column{title: title, medians: map[string]time.Duration{},
		disk: fmt.Sprintf("%.2f×", float64(after-before)/float64(r.raw))}
	if err := r.git("context", "branch", "side", "--no-switch"); err != nil {
		return column{}, err
	}
	if b.wants(tableSpeed) {
		for _, op := range operations {
			if err := r.measure(op, col.medians); err != nil {
				return column{}, fmt.Errorf("%s: %s: %w", title, op.name, err)
			}
		}
	}
	if b.wants(tableHooks) {
		err = r.hooks(col.medians)
	}
	return col, err
}

// measure runs an operation and its unit in turn, so that one busy moment falls
// on both, and keeps the ratio's two medians.
func (r *repo) measure(op operation, medians map[string]time.Duration) error {
	unit := map[string][]string{
		unitE: {r.b.empty},
		unitC: {"git", "commit", "-q", "--allow-empty", "-m", "x"},
		unitL: {"git", "log", "-1"},
		unitN: {"git", "notes", "--ref=bench", "append", "-m", lorem[:110], "HEAD"}, // as long as a line of ours
	}[op.unit]
	if op.config != "" {
		if err := r.git("config", "context.notes", op.config); err != nil {
			return err
		}
		// Young settings are not trusted to be cached; nobody configures a
		// repository between two commands.
		time.Sleep(configSettles)
		if err := r.git("context", "commit", "-m", "Fold what was left"); err != nil {
			return err
		}
	}
	var own, base, least []time.Duration
	var at floor
	for i := range r.b.runs + 2 {
		if op.before != nil {
			if err := op.before(r, i); err != nil {
				return err
			}
		}
		if i == 1 && op.writes { // the first makes up for what was left lazy
			var err error
			if at, err = r.floorOf(func() error { return r.git(append([]string{"context"}, op.args(i)...)...) }); err != nil {
				return err
			}
			continue
		}
		d, err := r.time(r.dir, r.b.bin, op.args(i)...)
		if err != nil {
			return err
		}
		u, err := r.time(r.own, unit[0], unit[1:]...)
		if err != nil {
			return err
		}
		var f time.Duration
		if op.writes && i > 1 {
			if f, err = at.run(r); err != nil {
				return err
			}
		}
		if i >= 2 { // the first two warm the caches
			own, base, least = append(own, d), append(base, u), append(least, f)
		}
	}
	medians[op.name+floorSuffix] = median(least)
	medians[op.name], medians[op.name+unitSuffix] = median(own), median(base)
	return nil
}

// configSettles is longer than the time for which a changed file may change
// again unseen.
const configSettles = 2500 * time.Millisecond

// Beside an operation's median stand its unit's, and its floor's.
const (
	unitSuffix  = "\x00unit"
	floorSuffix = "\x00floor"
)

func (r *repo) time(dir, name string, args ...string) (time.Duration, error) {
	cmd := r.command(name, args...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return took, nil
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// print writes the table as Markdown.
func print(w io.Writer, columns []column, runs int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Ratios of medians of %d interleaved runs; E = an empty Go program, C = `git commit --allow-empty`, L = `git log -1`, N = `git notes append`; a floor is an otherwise empty Go program that has git move as many refs, symbolic ones too, and makes as many files.\n\n", runs)
	b.WriteString("| operation | budget |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, op := range operations {
		fmt.Fprintf(&b, "| %s | ≤ %.1f %s |", op.name, op.budget, op.unit)
		for _, c := range columns {
			own, unit := c.medians[op.name], c.medians[op.name+unitSuffix]
			fmt.Fprintf(&b, " %.2f %s (%.1f ms", float64(own)/float64(unit), op.unit, own.Seconds()*1000)
			if op.writes {
				fmt.Fprintf(&b, "; floor %.2f", float64(c.medians[op.name+floorSuffix])/float64(unit))
			}
			b.WriteString(") |")
		}
		b.WriteString("\n")
	}
	b.WriteString("| disk after `git gc`, of the raw text | ≤ 2× |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.disk)
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}
