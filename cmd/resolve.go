package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type resolveOptions struct {
	*globals
	ours, theirs, union bool
	file, into          string
}

func newResolve(g *globals) *command {
	o := &resolveOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.ours, "--ours", "keep what the target says"),
		toggle(&o.theirs, "--theirs", "keep what the merged branch, or the remote, says"),
		toggle(&o.union, "--union", "what both say: the lines of both, or a list of both values"),
		named(&o.file, "-F, --file FILE", "use the whole content of FILE instead; - is standard input"),
		named(&o.into, "--into TARGET", "of the merge that waits on TARGET instead of the current branch"),
	}
	return &command{
		name:  "resolve",
		usage: []string{"resolve PATH (--ours | --theirs | --union | -F FILE) [--into TARGET]"},
		about: "Settles one conflict of the merge or sync that waits on the current branch. PATH is as 'git " +
			"context merge --status' lists it; a topic may be named by its key. No ref moves until 'git " +
			"context merge --continue' (after a sync, 'git context sync' does that too); until then a conflict " +
			"may be resolved again.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"resolve topics/lock.md --theirs",
			"resolve metadata.yaml#env_config.go -F -",
		},
		globals: g,
		flags:   join(own, g.flags()),
		least:   1, most: 1, needs: "the path of a conflict",
		action: func(ctx context.Context, env *Env, args []string) error {
			st, err := runResolve(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			env.replaced(st.Replaced)
			return o.show(env, st, func(p *render.Printer) { printMergeStatus(p, st) })
		},
	}
}

func runResolve(ctx context.Context, env *Env, o *resolveOptions, path string) (st merge.Status, err error) {
	how, n := "", 0
	for name, set := range map[string]bool{
		merge.SettleOurs: o.ours, merge.SettleTheirs: o.theirs, merge.SettleUnion: o.union,
	} {
		if set {
			how = name
			n++
		}
	}
	if o.file != "" {
		n++
	}
	if n != 1 {
		return st, usagef("'resolve' needs one of --ours, --theirs, --union and -F FILE")
	}
	var text string
	if o.file != "" {
		if text, err = env.readText(o.file); err != nil {
			return st, err
		}
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return st, err
	}
	defer closing(s, &err)
	return merge.Resolve(ctx, s, o.into, path, how, text)
}

// checkHow refuses a value of -X that is no way to settle conflicts.
func checkHow(how string) error {
	if err := merge.CheckSettle(how); err != nil {
		return usagef("-X: %v", err).hint("use ours, theirs or union")
	}
	return nil
}

// printMergeStatus prints the conflicts of a merge, and what to run next.
func printMergeStatus(p *render.Printer, st merge.Status) {
	line(p, "Merging '%s' into '%s'", st.Source, st.Target)
	render.ConflictsText(p, st.Source, st.Target, st.Conflicts)
	open := 0
	for _, c := range st.Conflicts {
		if !c.Resolved {
			open++
		}
	}
	if open == 0 {
		line(p, "Everything is resolved: git context merge --continue")
		return
	}
	line(p, "%s to settle: git context resolve PATH --ours|--theirs|--union|-F FILE", count(open, "conflict", "conflicts"))
}
