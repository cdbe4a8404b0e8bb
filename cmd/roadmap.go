package cmd

import (
	"bytes"
	"context"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type roadmapOptions struct {
	*globals
	author
	file, at string
}

// roadmapResult is the roadmap as it stands now, or its history.
type roadmapResult struct {
	view   store.RoadmapView
	main   []byte // main.md; nil after a revision
	reason string // what a revision did; "" when it changed nothing
	log    *roadmapLog
}

func newRoadmap(g *globals) *command {
	o := &roadmapOptions{globals: g}
	own := []cli.Flag{
		named(&o.file, "-F, --file FILE", "read the section's text from FILE (- is standard input)"),
		atFlag(&o.at),
	}
	return &command{
		name: "roadmap",
		usage: []string{
			"roadmap [show] [--at C]",
			"roadmap goal TEXT",
			"roadmap (milestone | todo) (add | done | undo | remove) TEXT",
			"roadmap decide TEXT",
			"roadmap ask TEXT",
			"roadmap section NAME -F FILE",
			"roadmap log",
		},
		about: "Shows or revises main.md, the roadmap that all branches share: the goal, the milestones and to-dos, decisions, open questions, and sections of people's own. An item is named by its text or an unambiguous start of it. Each revision is a commit; log lists them.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"roadmap milestone add 'Lexer'",
			"roadmap milestone done Lex",
			"roadmap decide 'No generated code'",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    3,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runRoadmap(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.printRoadmap(ctx, env, r)
		},
	}
}

func runRoadmap(ctx context.Context, env *Env, o *roadmapOptions, args []string) (r roadmapResult, err error) {
	revise, err := parseRoadmap(env, o, args)
	if err != nil {
		return r, err
	}
	if o.at != "" && len(args) > 0 && args[0] != "show" {
		return r, usagef("--at goes with 'roadmap show'")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	switch {
	case revise != nil:
		return revise.apply(ctx, s, o.writer(env))
	case len(args) > 0 && args[0] == "log":
		r.log, err = readRoadmapLog(ctx, s)
	case o.at != "":
		tip, err := history.At(ctx, s, o.branch, o.at)
		if err != nil {
			return r, err
		}
		r.view, r.main, err = s.Roadmap(ctx, tip)
		return r, err
	default:
		r.view, r.main, err = s.Roadmap(ctx, nil)
	}
	return r, err
}

func (o *roadmapOptions) printRoadmap(ctx context.Context, env *Env, r roadmapResult) error {
	switch {
	case r.log != nil:
		return o.view(ctx, env, r.log, func(p *render.Printer) { render.RevisionsText(p, r.log.Commits) })
	case r.main != nil:
		return o.view(ctx, env, r.view, func(p *render.Printer) {
			render.AtComment(p, r.view.At)
			render.MarkdownText(p, string(r.main))
		})
	}
	return o.show(env, r.view, func(p *render.Printer) {
		if r.reason == "" {
			line(p, "Nothing changed")
			return
		}
		line(p, "[roadmap %s] %s", r.view.Commit.Short(), r.reason)
	})
}

// revision is one change of the roadmap, and the subject of its commit.
type revision struct {
	reason string
	edit   func(*doc.Roadmap) error
}

// apply makes the revision. A faster writer may have it made more than once;
// the last time counts.
func (v *revision) apply(ctx context.Context, s *refs.Store, w store.Writer) (r roadmapResult, err error) {
	r.view, err = s.EditRoadmap(ctx, w, v.reason, func(m *doc.Roadmap) error {
		before := m.Bytes()
		err := v.edit(m)
		r.reason = v.reason
		if bytes.Equal(before, m.Bytes()) {
			r.reason = ""
		}
		return err
	})
	return r, err
}
