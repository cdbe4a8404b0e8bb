package cmd

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/search/across"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type searchOptions struct {
	*globals
	filterFlags
	across acrossFlags
	all    bool
	in     string
	limit  int
}

func newSearch(g *globals) *command {
	o := &searchOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		toggle(&o.all, "--all", "search all branches, not the current one alone"),
		named(&o.in, "--in WHAT", "search commits, steps or topics alone"),
		number(&o.limit, "-n, --limit N", search.DefaultLimit, "show the best N (10)"),
	}
	return &command{
		name:  "search",
		usage: []string{"search QUERY... [-b NAME | --all | --repo DIR... | --all-repos] [--in WHAT] [--outcome O] [--min-score X] [-n N]"},
		about: "Finds the commits, steps and topics of the branch that contain words of QUERY, the best first, each " +
			"with the command that shows it. Pending steps are found, too. Words are compared by their stems, " +
			"and names in code by their parts: 'open' finds store.OpenPool. Commits with a good score or the " +
			"outcome success rank higher. Of several repositories, hits that say the same are one. If nothing " +
			"is found, the exit code is 0 too.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"search connection pool timeout",
			"search --all --outcome failed 'data race'",
			"search --in topics store.Open --json",
		},
		globals: g,
		flags:   join(own, o.across.flags(), o.filterFlags.flags(), g.flags()),
		least:   1, most: unlimited, needs: "what to search for",
		action: func(ctx context.Context, env *Env, args []string) error {
			if o.across.given() {
				return o.runAcross(ctx, env, strings.Join(args, " "))
			}
			r, err := runSearch(ctx, env, o, strings.Join(args, " "))
			if err != nil {
				return err
			}
			if len(r.Hits) == 0 && !o.json {
				env.hint("nothing found%s", o.wider())
				return nil
			}
			return o.view(ctx, env, r, func(p *render.Printer) { render.HitsText(p, r.Hits) })
		},
	}
}

// wider says how to find more.
func (o *searchOptions) wider() string {
	if o.all {
		return "; try other words"
	}
	return " on this branch; --all searches all of them"
}

func runSearch(ctx context.Context, env *Env, o *searchOptions, query string) (r search.Result, err error) {
	if o.all && o.branch != "" {
		return r, usagef("--all cannot be used with -b")
	}
	so, err := o.search(query)
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return search.Search(ctx, s, so)
}

// search returns the options of the search.
func (o *searchOptions) search(query string) (so search.Options, err error) {
	if o.limit == 0 {
		return so, usagef("flag '-n' needs a number from 1")
	}
	filter, err := o.filterFlags.read()
	return search.Options{Query: query, All: o.all, In: o.in, Filter: filter, Limit: o.limit}, err
}

// runAcross searches several repositories.
func (o *searchOptions) runAcross(ctx context.Context, env *Env, query string) error {
	so, err := o.search(query)
	if err != nil {
		return err
	}
	if so.Weights, err = env.weights(ctx); err != nil {
		return err
	}
	r, err := o.across.search(ctx, env, o.globals, func(repos []*across.Repository) (across.Result, error) {
		return across.Search(ctx, repos, so)
	})
	if err != nil {
		return err
	}
	if len(r.Hits) == 0 && !o.json {
		env.hint("nothing found; try other words")
		return nil
	}
	return o.view(ctx, env, r, func(p *render.Printer) { render.AcrossText(p, r.Hits) })
}
