package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

type linkOptions struct {
	*globals
	all bool
}

func newLink(g *globals) *command {
	g.offline = true
	o := &linkOptions{globals: g}
	return &command{
		name:  "link",
		usage: []string{"link [--all] [CODE-COMMIT | A..B | A...B]", "link C"},
		about: "Shows the memory that belongs to a commit of the code (HEAD): the memory commits that its " +
			"note links, and those that were made on it, newest first, of every memory branch or of the one " +
			"that -b names. For a range it shows each memory commit that belongs to one of its code commits " +
			"once, with these. For a memory commit C it shows the code commits.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"link",
			"link 1a2b3c4d",
			"link v1.3..v1.4",
			"link --all origin/main..HEAD",
			"link CONTEXT_HEAD --json",
		},
		globals: g,
		flags:   append(g.flags(), toggle(&o.all, "-a, --all", "include memory that only remote-tracking branches have")),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) error {
			l, err := runLink(ctx, env, o, args)
			if err != nil {
				return err
			}
			return g.view(ctx, env, linkJSON(l), func(p *render.Printer) { render.LinkText(p, l) })
		},
	}
}

func runLink(ctx context.Context, env *Env, o *linkOptions, args []string) (l code.Links, err error) {
	if o.all && o.branch != "" {
		return l, usagef("--all and -b cannot be used together")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return l, err
	}
	defer closing(s, &err)
	rev := "HEAD"
	if len(args) > 0 {
		rev = args[0]
	}
	var others []string
	if o.all {
		others = []string{git.RemotePrefix}
	}
	// GIT_CONTEXT_BRANCH does not count: an agent on a branch of its own asks for all.
	return code.FindLinks(ctx, s, o.branch, rev, others...)
}

// linkJSON returns the JSON for a memory commit, or for commits of the code.
func linkJSON(l code.Links) any {
	if l.MemoryCommit != nil {
		return struct {
			Memory *store.Commit   `json:"memory"`
			Code   []code.CodeLink `json:"code"`
		}{l.MemoryCommit, l.Commits}
	}
	return struct {
		Code   string              `json:"code"`
		Memory []code.LinkedCommit `json:"memory"`
	}{l.Code, l.Memory}
}
