package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

func (o *branchOptions) printBranch(ctx context.Context, env *Env, r branchResult) error {
	switch {
	case r.deleted != nil:
		err := o.show(env, r.deleted, func(p *render.Printer) {
			line(p, "Deleted memory branch '%s'", r.deleted.Branch)
		})
		if err != nil {
			return err
		}
		env.hint("git context branch --restore %s", r.deleted.Branch)
		return nil
	case r.branch != nil:
		err := o.show(env, r.branch, func(p *render.Printer) {
			line(p, "%s '%s'", r.did, r.branch.Name)
		})
		if err != nil {
			return err
		}
		if o.made() && r.branch.Purpose == "" {
			env.hint("say why it exists: git context -b %s metadata set branch.purpose TEXT", r.branch.Name)
		}
		return nil
	}
	if r.list == nil {
		r.list = []store.Branch{} // an empty list in JSON, not null
	}
	value := struct {
		Branches []store.Branch `json:"branches"`
	}{r.list}
	return o.viewIn(ctx, env, colorBranch, value, func(p *render.Printer) { render.BranchesText(p, r.list) })
}

// made says whether the command line asked for a new branch.
func (o *branchOptions) made() bool { return !o.move && !o.restore }
