package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type expungeOptions struct {
	*globals
	author
	consent
	match, id string
	from      string
	why       string
	refuse    bool
	dryRun    bool
}

func newExpunge(g *globals) *command {
	o := &expungeOptions{globals: g}
	own := []cli.Flag{
		text(&o.match, "--match TEXT", "forget this piece of text, and the forms made of it"),
		text(&o.id, "--id ID", "forget this step or commit, or the attachment artifacts/HASH"),
		text(&o.from, "--from REMOTE", "answer what this remote asks to forget: with --yes it goes, with --refuse it comes back"),
		toggle(&o.refuse, "--refuse", "with --from: bring back what the remote asks to forget, in all clones"),
		text(&o.why, "-m, --message TEXT", "the reason, which others read who are asked to forget it too"),
		toggle(&o.dryRun, "--dry-run", "say what would be removed; change nothing"),
		o.consent.flag(),
	}
	return &command{
		name: "expunge",
		usage: []string{
			"expunge --match TEXT [-m WHY] [--dry-run] [--yes]",
			"expunge --id ID [-m WHY] [--dry-run] [--yes]",
			"expunge --from REMOTE [--dry-run | --yes | --refuse] [ID...]",
		},
		about: "Removes a secret from every memory commit, note, journal, reflog and object of this " +
			"repository. Steps and commits whose own text contains TEXT are removed; elsewhere \"(expunged)\" " +
			"replaces the lines that contain it. Clones that sync forget it too; a clone that wrote it hides it and " +
			"asks its user first. For the remotes that had it, the command prints what to run. It first shows what " +
			"it would remove, and asks on a terminal; without a terminal more than 10 entries, more than 1 % of all, " +
			"and a short TEXT need --yes. The shell's history contains TEXT as well, so --match - reads it from " +
			"standard input.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"expunge --match 'hunter2' --dry-run",
			"expunge --match - < secret.txt",
			"expunge --id 01JD5K0Z3V7Q3M9K2A4B5C6D7E",
		},
		most:    unlimited,
		globals: g,
		flags:   join(own, o.author.flags(), g.common()),
		action: func(ctx context.Context, env *Env, args []string) error {
			// An argument may be the secret: no error repeats it.
			if len(args) > 0 && o.from == "" {
				return usagef("nothing to expunge: --match needs a text").
					hint("%s expunge --match TEXT", self).hint("%s expunge --match - < FILE", self)
			}
			if slices.ContainsFunc(args, func(id string) bool { return !doc.ValidID(id) }) {
				return usagef("an argument is no id of an entry").hint("%s expunge --from REMOTE --dry-run", self)
			}
			if err := o.check(); err != nil {
				return err
			}
			if o.from != "" {
				return runAnswer(ctx, env, o, args)
			}
			r, err := runExpunge(ctx, env, o)
			if err != nil {
				return err
			}
			env.warnAll(r.Warnings)
			return o.show(env, r, func(p *render.Printer) { printExpunge(p, r) })
		},
	}
}

// check refuses flags that do not go together.
func (o *expungeOptions) check() error {
	given := 0
	for _, v := range []string{o.match, o.id, o.from} {
		if v != "" {
			given++
		}
	}
	switch {
	case given == 0:
		return usagef("nothing to expunge").hint("give --match TEXT, --id ID or --from REMOTE")
	case given > 1:
		return usagef("--match, --id and --from cannot be used together")
	case o.refuse && o.from == "":
		return usagef("--refuse needs --from REMOTE")
	case o.refuse && (o.yes || o.dryRun):
		return usagef("--refuse cannot be used with --yes or --dry-run")
	case o.why != "" && o.from != "":
		return usagef("-m cannot be used with --from")
	}
	return nil
}

func runExpunge(ctx context.Context, env *Env, o *expungeOptions) (r expunge.Result, err error) {
	match := o.match
	if match == "-" {
		data, err := env.readText("-")
		if err != nil {
			return r, err
		}
		if match = strings.TrimSuffix(data, "\n"); match == "" {
			return r, usagef("nothing to expunge: standard input is empty")
		}
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return expunge.Run(ctx, s, expunge.Options{Writer: o.writer(env), Match: match, ID: o.id, Why: o.why,
		DryRun: o.dryRun, Yes: o.yes,
		Consent: func(would expunge.Result) error {
			return o.ask(env, o.json, dangerOf(would, match != "" && expunge.ShortMatch(match)))
		}})
}

// dangerOf describes an expunge that waits for consent.
func dangerOf(would expunge.Result, short bool) danger {
	texts := count(would.Texts, "piece of text", "pieces of text")
	return danger{
		entries: would.Entries, all: would.All, grave: short || would.Texts > mostUnasked || would.Attachments > mostUnasked,
		tell: func(p *render.Printer) { printExpunge(p, would) },
		refusal: fmt.Sprintf("%d of %s and %s would be expunged",
			would.Entries, count(would.All, "entry", "entries"), texts),
		question: "This cannot be undone. Expunge it?",
	}
}

// printExpunge names what was removed by ids, dates and names alone, and ends with the counts.
func printExpunge(p *render.Printer, r expunge.Result) {
	var entries []string
	for _, e := range r.Expunged {
		state := ""
		if e.Pending {
			state = ", pending"
		}
		entries = append(entries, fmt.Sprintf("%s %s of %s (%s%s)",
			e.Kind, e.ID, e.Branch, e.Time.UTC().Format(time.RFC3339), state))
	}
	examples(p, entries)
	if len(r.Topics) > 0 {
		line(p, " in topics: %s", someOf(r.Topics))
	}
	for _, h := range r.Remotes {
		line(p, "Remote '%s' still contains it (%s)", h.Remote, count(len(h.Refs), "ref", "refs"))
		for _, c := range h.Commands {
			line(p, "  %s", c)
		}
	}
	if !r.DryRun {
		if len(r.Remotes) > 0 {
			line(p, "Then, in every other clone: git context sync")
			line(p, "It keeps what it drops, hidden, for %d days; to delete it there at once: git context expunge --from %s --yes",
				expunge.FollowedFor/(24*time.Hour), prose.ShellWord(r.Remotes[0].Remote))
			line(p, "%s", "If a clone has recorded it again since, expunge it there too: "+
				"clones exchange the ids of entries, not the text.")
		}
		line(p, "Everyone who read a secret still knows it, and hosts and backups keep unreachable objects. Change the secret.")
	}
	did, rest := "Expunged", count(r.Commits, "commit", "commits")+" and "+count(r.Notes, "note", "notes")+" rewritten"
	if r.DryRun {
		did = "Would expunge"
	} else {
		rest += ", " + count(r.Objects, "object", "objects") + " deleted"
	}
	what := count(r.Entries, "entry", "entries") + " and " + count(r.Texts, "piece of text", "pieces of text")
	if r.Attachments > 0 {
		what = count(r.Attachments, "attachment", "attachments") + ", " + what
	}
	line(p, "%s %s; %s", did, what, rest)
}
