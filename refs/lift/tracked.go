package lift

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// branchNames returns the branches that a lift may move or make.
func (l *lifter) branchNames(ctx context.Context) ([]string, error) {
	names, err := l.s.BranchNames(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range l.list {
		for _, ref := range r.Refs {
			if _, branch, tracked := git.TrackedBranch(ref.Name); tracked && store.CheckBranchName(branch) == nil && !slices.Contains(names, branch) {
				names = append(names, branch)
			}
		}
	}
	return names, nil
}

// make makes a branch here of what only a remote had: the next exchange gives it to all, while the tracking ref is
// where the remote's is again after the next fetch. A branch that the remote has deleted becomes a deleted one. had is
// where the tracking ref is.
func (l *lifter) make(ctx context.Context, r expunge.Request, had git.Ref, branch string, to, base git.ID) error {
	ref := git.BranchRef(branch)
	if had.ID == "" {
		return l.deleted(ctx, branch, to)
	}
	if is, err := l.s.Repo().IsAncestor(ctx, to, had.ID); is || err != nil {
		return err
	}
	if may, err := l.mayMake(ctx, r, had, branch, to); !may || err != nil {
		return err
	}
	shared, err := l.shared(ctx, ref, base, to)
	if err != nil {
		return err
	}
	if had.ID == base && !shared {
		l.now[ref] = to
		return nil
	}
	return l.merge(ctx, r, ref, had.ID, to, base, false)
}

// mayMake reports whether a branch may be made, and warns if it may not: by its name, and by what asks for more than an
// exchange has looked at, see mayMerge. What is sound becomes a deleted branch then.
func (l *lifter) mayMake(ctx context.Context, r expunge.Request, had git.Ref, branch string, to git.ID) (bool, error) {
	leave := func(why string) (bool, error) {
		l.warnings = append(l.warnings, fmt.Sprintf("branch '%s' of '%s' does not come back: %s; look at %s", branch, r.Remote, why, to.Short()))
		return false, nil
	}
	in := incoming.Refs{Branches: []git.Ref{had, {Name: had.Name, ID: to}}}
	if err := incoming.Check(ctx, l.s, in); err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return leave(err.Error())
	}
	set := func(why string) (bool, error) {
		l.warnings = append(l.warnings, fmt.Sprintf("branch '%s' of '%s' does not come back: %s; it is back with: git context branch --restore %s",
			branch, r.Remote, why, prose.ShellWord(branch)))
		return false, l.deleted(ctx, branch, to)
	}
	if why, err := l.unsigned(ctx, r, had.Name, to); err != nil || why != "" {
		if err != nil {
			return false, err
		}
		return set(why)
	}
	if err := l.s.CheckNewName(ctx, branch); err != nil {
		return set(err.Error())
	}
	for name, id := range l.now {
		made, ok := git.BranchName(name)
		if clash := store.NameClash(made, branch); ok && id != "" && l.had[name] == "" && clash != "" {
			return set(fmt.Sprintf("branch '%s' %s", made, clash))
		}
	}
	return l.mayMerge(ctx, r, had.Name, branch, had.ID, to)
}

// unsigned says why the signatures of what a commit brings are not those that the side that asks, and the remote of a tracking ref, must have; "" if they are.
func (l *lifter) unsigned(ctx context.Context, r expunge.Request, tracking string, id git.ID) (why string, err error) {
	names, err := l.s.Repo().Remotes(ctx)
	if err != nil {
		return "", err
	}
	most := remote.VerifyOff
	of, _, _ := git.TrackedBranch(tracking)
	for _, name := range []string{r.Asker(), of} {
		demand, err := remote.VerifyOf(ctx, l.s, remote.Remote{Name: name, Bundle: !slices.Contains(names, name)})
		if err != nil {
			return "", err
		}
		most = max(most, demand)
	}
	if most != remote.VerifyRequire {
		return "", nil
	}
	err = incoming.CheckSigned(ctx, l.s, id, "it", false, "")
	var refused *fail.Error
	if errors.As(err, &refused) && refused.Code == fail.NotVerified {
		return refused.Message, nil
	}
	return "", err
}
