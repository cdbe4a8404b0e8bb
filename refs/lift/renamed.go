package lift

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// renamed returns the ref that goes on with what a ref had, and where that is: a branch may have been renamed while it was
// hidden, and another one may have its name since. have is where the ref is, base the hidden form.
func (l *lifter) renamed(ctx context.Context, name string, have, base git.ID) (string, git.ID, error) {
	branch, ok := git.BranchName(name)
	if !ok || base == "" {
		return name, have, nil
	}
	if have != "" {
		if goesOn, err := l.s.Repo().IsAncestor(ctx, base, have); err != nil || goesOn {
			return name, have, err
		}
	}
	to, err := l.s.RenamedTo(ctx, branch)
	if err != nil || to == "" {
		return name, have, err
	}
	at, err := l.at(ctx, git.BranchRef(to))
	if err != nil || at == "" {
		return name, have, err
	}
	if goesOn, err := l.s.Repo().IsAncestor(ctx, base, at); err != nil || !goesOn {
		return name, have, err
	}
	return git.BranchRef(to), at, nil
}

// deleted makes a branch that was deleted while it was hidden a deleted branch again, with everything: the one that is restored,
// since the hidden form may have been deleted in the same moment.
func (l *lifter) deleted(ctx context.Context, branch string, to git.ID) error {
	list, err := l.s.Repo().Refs(ctx, git.DeletedPrefix)
	if err != nil {
		return err
	}
	newest := ""
	for _, r := range list {
		if name, id, ok := git.DeletedBranch(r.Name); ok && name == branch && doc.ValidID(id) {
			newest = max(newest, id)
		}
	}
	id, err := l.s.NewID(newest)
	if err == nil {
		name := git.DeletedRef(branch, id)
		l.now[name], l.had[name] = to, ""
	}
	return err
}

// warnCopies warns of branches that were made of what was hidden, and of which no request has a whole form: they have
// "(expunged)" where the branch that they were made of has its texts again. What of that they want to have, people decide.
func (l *lifter) warnCopies(ctx context.Context) error {
	hidden, err := l.hiddenForms(ctx)
	if err != nil || len(hidden) == 0 {
		return err
	}
	list, err := l.s.Repo().Refs(ctx, git.BranchPrefix)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(r git.Ref) bool {
		branch, _ := git.BranchName(r.Name)
		return l.came[branch] != nil
	})
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	history, err := l.s.Repo().History(ctx, ids)
	if err != nil {
		return err
	}
	from := map[git.ID]string{} // by commit: whose hidden form it has
	for _, c := range history {
		from[c.ID] = hidden[c.ID]
		for _, p := range c.Parents {
			from[c.ID] = cmp.Or(from[c.ID], from[p])
		}
	}
	for _, r := range list {
		of := from[r.ID]
		if of == "" {
			continue
		}
		branch, _ := git.BranchName(r.Name)
		l.warnings = append(l.warnings, fmt.Sprintf("branch '%s' was made of '%s' while that was hidden, and goes on without it; to have it there, too: "+
			"git context merge %s --into %s", branch, of, prose.ShellWord(of), prose.ShellWord(branch)))
	}
	return nil
}

// hiddenForms returns the commits that replaced hidden ones and are no part of what comes back, each with a branch that had the
// hidden one: one that exists, and of several the one that has least besides.
func (l *lifter) hiddenForms(ctx context.Context) (map[git.ID]string, error) {
	had := map[string][]git.ID{}
	for branch, tips := range l.came {
		history, err := l.s.Repo().History(ctx, tips)
		if err != nil {
			return nil, err
		}
		for _, c := range history {
			had[branch] = append(had[branch], c.ID)
		}
	}
	order := slices.SortedFunc(maps.Keys(had), func(a, b string) int {
		return cmp.Or(cmp.Compare(l.gone(a), l.gone(b)), cmp.Compare(len(had[a]), len(had[b])), cmp.Compare(a, b))
	})
	forms := map[git.ID]string{}
	for _, branch := range order {
		gone, err := l.hidden.Rewrite(ctx, had[branch])
		if err != nil {
			return nil, err
		}
		kept, err := l.shown.Rewrite(ctx, had[branch])
		if err != nil {
			return nil, err
		}
		for id, now := range gone {
			if now != "" && now != id && now != kept[id] && forms[now] == "" {
				forms[now] = branch
			}
		}
	}
	return forms, nil
}

// gone is 1 for a branch that does not exist, else 0.
func (l *lifter) gone(branch string) int {
	if l.now[git.BranchRef(branch)] == "" {
		return 1
	}
	return 0
}
