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
		about: "Checks, through git and by its settings (gpg.*), who signed a memory commit: the newest milestone, the commit that REV names, or every commit that B reaches and A does not, with three dots those too that A reaches and B does not. A status is good, bad, unknown-validity, expired, expired-key, revoked-key, cannot-check or unsigned. Done means that git itself accepts every one of them; the first that it does not is named, with what helps.",
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
			// Of a signature that does not hold there is a result and an error.
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
