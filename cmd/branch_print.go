package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

func (o *branchOptions) printBranch(ctx context.Context, env *Env, r branchResult) error {
	switch {
	case r.deleted != nil:
		env.hint("git context branch --restore %s", r.deleted.Branch)
		return o.show(env, r.deleted, func(p *render.Printer) {
			line(p, "Deleted memory branch '%s'", r.deleted.Branch)
		})
	case r.branch != nil:
		if o.made() && r.branch.Purpose == "" {
			env.hint("say why it exists: git context -b %s metadata set branch.purpose TEXT", r.branch.Name)
		}
		return o.show(env, r.branch, func(p *render.Printer) {
			line(p, "%s '%s'", r.did, r.branch.Name)
		})
	}
	if r.list == nil {
		r.list = []refs.Branch{} // an empty list in JSON, not null
	}
	value := struct {
		Branches []refs.Branch `json:"branches"`
	}{r.list}
	return o.view(ctx, env, value, func(p *render.Printer) { printBranches(p, r.list) })
}

// made says whether the command line asked for a new branch.
func (o *branchOptions) made() bool { return !o.move && !o.restore }

// printBranches lists branches as `git branch -v` does: the current one
// marked, name, tip, what is not ordinary about it, its newest subject.
func printBranches(p *render.Printer, list []refs.Branch) {
	width := 0
	for _, b := range list {
		width = max(width, len(listedName(b)))
	}
	for _, b := range list {
		mark := " "
		if b.Current {
			mark = "*"
		}
		line(p, "%s %-*s %s %s%s", mark, width, listedName(b), b.Tip.Short(), remarks(b), b.Summary)
	}
}

func listedName(b refs.Branch) string {
	if b.Remote == "" {
		return b.Name
	}
	return "remotes/" + b.Name
}

// remarks gives "[merged, 3 pending] ", or nothing for an ordinary branch.
func remarks(b refs.Branch) string {
	var all []string
	if b.Status != "active" && b.Status != "" {
		all = append(all, b.Status)
	}
	if b.Pending > 0 {
		all = append(all, fmt.Sprintf("%d pending", b.Pending))
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "] "
}
