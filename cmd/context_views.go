package cmd

import (
	"context"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

// How much the views show where nothing else is asked for.
const (
	defaultNewest     = 1
	defaultMilestones = 10
	defaultLines      = 20
	defaultSteps      = 10
	listedText        = 20  // branches of the snapshot
	listedJSON        = 100 // the same, for programs
)

// or gives a number that was asked for, else its default.
func or(n, otherwise int) int {
	if n == unset {
		return otherwise
	}
	return n
}

func viewSnapshot(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	listed := listedText
	if o.json {
		listed = listedJSON
	}
	v, err := render.NewSnapshot(ctx, s, o.where(), or(o.newest, defaultNewest), listed)
	return contextResult{v, v.Text}, err
}

func viewBranch(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	v, err := render.NewBranch(ctx, s, o.where(), o.skip, or(o.limit, defaultMilestones))
	return contextResult{v, func(p *render.Printer) { render.BranchText(p, v) }}, err
}

func viewCommit(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	v, err := render.NewCommit(ctx, s, o.where(), o.commit)
	return contextResult{v, v.Text}, err
}

// viewLog shows whole steps where they are asked for, or to a program; a
// person gets the last lines.
func viewLog(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	steps := or(o.steps, o.limit)
	if steps == unset && !o.json {
		v, err := render.NewLines(ctx, s, o.where(), o.skip, or(o.lines, defaultLines))
		return contextResult{v, v.Text}, err
	}
	v, err := render.NewLog(ctx, s, o.where(), o.skip, or(steps, defaultSteps))
	return contextResult{v, v.Text}, err
}
