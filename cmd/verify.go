package cmd

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render"
)

func newVerify(g *globals) *command {
	return &command{
		name:  "verify",
		usage: []string{"verify [REV | A..B | A...B]"},
		about: "Checks, with git and its settings (gpg.*), who signed a memory commit: the newest one that " +
			"COMMIT made, the one that REV names, or all of a range A..B or A...B. A status is good, bad, " +
			"unknown-validity, expired, expired-key, revoked-key, cannot-check or unsigned. Exit code 0 means " +
			"that git accepts all of them; otherwise the error names the first that git does not accept, with " +
			"a hint.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"verify",
			"verify success/best",
			"verify v1..main",
		},
		globals: g,
		flags:   g.flags(),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) error {
			list, err := runVerify(ctx, env, g, args)
			if list == nil {
				return err
			}
			// A signature that git does not accept has a result and an error.
			return errors.Join(g.showVerified(ctx, env, list), err)
		},
	}
}

func runVerify(ctx context.Context, env *Env, g *globals, args []string) (list []history.Verified, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer closing(s, &err)
	rev := ""
	if len(args) > 0 {
		rev = args[0]
	}
	return history.Verify(ctx, s, rev)
}

func (g *globals) showVerified(ctx context.Context, env *Env, list []history.Verified) error {
	value := struct {
		Commits []history.Verified `json:"commits"`
	}{list}
	return g.view(ctx, env, value, func(p *render.Printer) { render.VerifiedText(p, list) })
}
