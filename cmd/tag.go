package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type tagOptions struct {
	*globals
	author
	remove, list bool
}

// tagResult is the list, or the tag that was set or deleted.
type tagResult struct {
	list    []store.Tag
	change  *store.Change
	remotes []string // that still have the deleted tag
}

func newTag(g *globals) *command {
	o := &tagOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.remove, "-d, --delete", "delete a tag here; 'push --delete REMOTE tags/NAME' does it there"),
		toggle(&o.list, "-l, --list", "list the tags that match a PATTERN, as in --list 'v1*'"),
	}
	return &command{
		name:  "tag",
		usage: []string{"tag [-l [PATTERN...]]", "tag NAME [C]", "tag -d NAME"},
		about: "Lists the memory tags, or gives the commit C (the newest one) a name: success/best, " +
			"before-rewrite. A tag is shared like a branch, never moves, and names its commit in every " +
			"command; a branch of the same name takes precedence. A name that begins with success, failed or " +
			"abandoned, alone or before a slash, is also the commit's outcome for every filter. With --json " +
			"the list is {\"tags\": [{\"name\", \"commit\", \"id\", \"branch\", \"summary\"}]}.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"tag before-rewrite",
			"tag success/best main~2",
			"tag -l 'success/*'",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runTag(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.printTag(ctx, env, r)
		},
	}
}

func runTag(ctx context.Context, env *Env, o *tagOptions, args []string) (r tagResult, err error) {
	if err := o.check(args); err != nil {
		return r, err
	}
	o.offline = o.list || len(args) == 0
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	if o.offline {
		r.list, err = s.Tags(ctx, args...)
		return r, err
	}
	var change store.Change
	if !o.remove {
		change, err = s.SetTag(ctx, o.writer(env), args[0], first(args[1:]))
		return tagResult{change: &change}, err
	}
	if change, err = s.DeleteTag(ctx, args[0]); err != nil {
		return r, err
	}
	remotes, err := remote.WithTag(ctx, s, args[0])
	return tagResult{change: &change, remotes: remotes}, err
}

// check refuses flags and arguments that do not go together.
func (o *tagOptions) check(args []string) error {
	switch {
	case o.remove && o.list:
		return usagef("-d cannot be used with -l")
	case o.remove && len(args) == 0:
		return usagef("'tag -d' needs the name of a tag").hint("git context tag")
	case o.remove && len(args) > 1:
		return usagef("unexpected argument '%s'", args[1])
	case !o.list && len(args) > 2:
		return usagef("unexpected argument '%s'", args[2])
	}
	return nil
}

func (o *tagOptions) printTag(ctx context.Context, env *Env, r tagResult) error {
	if r.change != nil {
		did := "Tagged"
		switch {
		case r.change.Unchanged:
			did = "Nothing changed, tag exists:"
		case o.remove:
			did = "Deleted tag"
		}
		env.warnAll(r.change.Warnings)
		err := o.show(env, r.change, func(p *render.Printer) {
			line(p, "%s '%s' (%s)", did, r.change.Path, r.change.Commit.Short())
		})
		if err != nil {
			return err
		}
		for _, remote := range r.remotes {
			env.hint("'%s' still has it: %s push --delete %s tags/%s", remote, self, remote, r.change.Path)
		}
		return nil
	}
	value := struct {
		Tags []store.Tag `json:"tags"`
	}{r.list}
	return o.view(ctx, env, value, func(p *render.Printer) { render.TagsText(p, r.list) })
}
