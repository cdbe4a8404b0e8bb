package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// hooked is one of git's own commands that runs our hooks, and what it may cost
// more for that.
type hooked struct {
	name   string
	budget time.Duration
	args   func(i int) []string
}

var hookedCommands = []hooked{
	{name: "git commit", budget: 15 * time.Millisecond, args: fixed("commit", "-q", "--allow-empty", "-m", "By hand")},
	{name: "git checkout, `context.follow`", budget: 10 * time.Millisecond, args: func(i int) []string {
		return []string{"checkout", "-q", []string{"topic", "trunk"}[i%2]}
	}},
	{name: "git commit --amend", args: fixed("commit", "-q", "--amend", "--allow-empty", "-m", "Amended")},
}

// hooks measures git's commands in two copies of a repository, one of which has our
// hooks, in turn.
func (r *repo) hooks(medians map[string]time.Duration) error {
	plain := *r
	plain.dir = r.own
	with, err := plain.copied("hooked")
	if err != nil {
		return err
	}
	for _, in := range []*repo{&plain, with} {
		if err := cmp.Or(in.git("checkout", "-q", "-f", "trunk"), in.git("branch", "-f", "topic")); err != nil {
			return err
		}
	}
	err = cmp.Or(with.git("context", "hooks", "install", "git"), with.git("config", "context.follow", "true"),
		with.git("checkout", "-q", "topic"), with.git("checkout", "-q", "trunk"),
		with.git("context", "commit", "-m", "What commits are linked to"), with.do("sync"))
	if err != nil {
		return err
	}
	idle, err := with.copied("idle")
	if err != nil {
		return err
	}
	idle.env = append(idle.env[:len(idle.env):len(idle.env)], "PATH="+r.b.idle+string(os.PathListSeparator)+os.Getenv("PATH"))
	time.Sleep(configSettles)
	for _, h := range hookedCommands {
		var more, less, least []time.Duration
		for i := range r.b.runs + 2 {
			c, err := idle.time(idle.dir, "git", h.args(i)...)
			if err != nil {
				return err
			}
			a, err := with.time(with.dir, "git", h.args(i)...)
			if err != nil {
				return err
			}
			b, err := plain.time(plain.dir, "git", h.args(i)...)
			if err != nil {
				return err
			}
			if i >= 2 {
				more, less, least = append(more, a), append(less, b), append(least, c)
			}
		}
		medians[h.name], medians[h.name+unitSuffix], medians[h.name+floorSuffix] = median(more), median(less), median(least)
	}
	return nil
}

// printHooks writes what the hooks cost as Markdown.
func printHooks(w io.Writer, columns []column) error {
	var b strings.Builder
	b.WriteString("\nWhat the hooks add to git's own commands; a floor is what they add where an empty program is called git-context:\n\n| command | budget |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, h := range hookedCommands {
		budget := "–"
		if h.budget > 0 {
			budget = fmt.Sprintf("≤ %d ms", h.budget.Milliseconds())
		}
		fmt.Fprintf(&b, "| %s | %s |", h.name, budget)
		for _, c := range columns {
			with, without, floor := c.medians[h.name], c.medians[h.name+unitSuffix], c.medians[h.name+floorSuffix]
			fmt.Fprintf(&b, " +%.1f ms (%.1f, without %.1f; floor +%.1f) |", (with-without).Seconds()*1000, with.Seconds()*1000,
				without.Seconds()*1000, (floor-without).Seconds()*1000)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
