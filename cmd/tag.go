package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

type tagOptions struct {
	*globals
	author
	remove bool
}

// tagResult is the list, or the one tag that was set or deleted.
type tagResult struct {
	list   []refs.Tag
	change *refs.Change
}

func newTag(g *globals) *command {
	o := &tagOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.remove, "-d, --delete", "delete a tag"),
	}
	return &command{
		name:  "tag",
		usage: []string{"tag", "tag NAME [C]", "tag -d NAME"},
		about: "Lists the memory tags, or gives the milestone C (the newest one) a name: success/best, before-rewrite. A tag is shared like a branch and names its milestone wherever one is asked for.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"tag before-rewrite",
			"tag success/best main~2",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    2,
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
	switch {
	case o.remove && len(args) == 0:
		return r, usagef("which tag?").hint("give its name")
	case o.remove && len(args) > 1:
		return r, usagef("unexpected argument '%s'", args[1])
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	if len(args) == 0 {
		list, err := s.Tags(ctx)
		return tagResult{list: list}, err
	}
	var change refs.Change
	if o.remove {
		change, err = s.DeleteTag(ctx, args[0])
	} else {
		rev := ""
		if len(args) == 2 {
			rev = args[1]
		}
		change, err = s.SetTag(ctx, o.writer(env), args[0], rev)
	}
	return tagResult{change: &change}, err
}

func (o *tagOptions) printTag(ctx context.Context, env *Env, r tagResult) error {
	if r.change != nil {
		did := "Tagged"
		switch {
		case r.change.Unchanged:
			did = "Nothing changed, there is"
		case o.remove:
			did = "Deleted tag"
		}
		return o.show(env, r.change, func(p *render.Printer) {
			line(p, "%s '%s' (%s)", did, r.change.Path, r.change.Commit.Short())
		})
	}
	if r.list == nil {
		r.list = []refs.Tag{} // an empty list in JSON, not null
	}
	value := struct {
		Tags []refs.Tag `json:"tags"`
	}{r.list}
	return o.view(ctx, env, value, func(p *render.Printer) {
		for _, t := range r.list {
			line(p, "%s %s", t.Commit.Short(), t.Name)
		}
	})
}
