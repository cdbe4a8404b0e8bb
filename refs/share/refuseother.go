package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// replacedBranches returns the branches of the other side, by their tracking refs, as they were before this exchange fetched,
// where they led to what they lead to no more: what asks to forget something may come together with the branches without
// it, and then nothing else here has it. The same holds for what a remote has under its other names alone, which people remove, and for what other
// remotes had until a fetch without a merge.
func (ex *exchanger) replacedBranches(ctx context.Context) ([]git.Ref, error) {
	if ex.named != nil { // one fetch brought both
		return ex.named.replacedBranches(ctx)
	}
	list, err := ex.s.Repo().Refs(ctx, strings.TrimSuffix(git.RemotePrefix, "/"))
	if err != nil {
		return nil, err
	}
	now := map[git.Ref]bool{}
	for _, r := range list {
		now[r] = true
	}
	had, err := ex.besideBranches(ctx)
	if err != nil {
		return nil, err
	}
	moved, err := ex.movedElsewhere(ctx, now, expunge.UniqueIDs(list))
	if err != nil {
		return nil, err
	}
	had = append(had, moved...)
	for r := range ex.tracked {
		if _, isBranch := git.BranchName(r.Name); isBranch {
			had = append(had, git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID})
		}
	}
	had = slices.DeleteFunc(had, func(r git.Ref) bool { return now[r] })
	left, err := ex.s.Repo().Beyond(ctx, expunge.UniqueIDs(had), expunge.UniqueIDs(list))
	if err != nil {
		return nil, err
	}
	had = slices.DeleteFunc(had, func(r git.Ref) bool { return !left[r.ID] })
	bad, err := expunge.FindUnsound(ctx, ex.s, had, nil, nil)
	if err != nil {
		return nil, err
	}
	had = slices.DeleteFunc(had, func(r git.Ref) bool { return bad[r.Name] != nil })
	slices.SortFunc(had, func(a, b git.Ref) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return had, nil
}

// besideBranches returns the branches under the other names of remotes, by the tracking refs that they would have under the names in use.
func (ex *exchanger) besideBranches(ctx context.Context) (had []git.Ref, err error) {
	list, err := ex.s.Repo().Refs(ctx, strings.TrimSuffix(git.OtherPrefix, "/"))
	for _, r := range list {
		name, rest, ok := git.OtherRef(r.Name)
		if _, isBranch := git.BranchName(git.Root + rest); ok && isBranch {
			had = append(had, git.Ref{Name: git.RemoteTracking(name).Of(git.Root + rest), ID: r.ID})
		}
	}
	return had, err
}

// movedElsewhere returns what other remotes had after the last sync with them, by their tracking refs, where these are elsewhere now.
func (ex *exchanger) movedElsewhere(ctx context.Context, now map[git.Ref]bool, tips []git.ID) (moved []git.Ref, err error) {
	names, err := ex.s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == ex.peer.Name {
			continue
		}
		seen, err := remote.ReadSeen(ex.s, remote.Remote{Name: name})
		if err != nil {
			return nil, err
		}
		for branch, id := range seen {
			if at := (git.Ref{Name: git.RemoteTracking(name).Of(git.BranchRef(branch)), ID: id}); !now[at] {
				moved = append(moved, at)
			}
		}
	}
	return ex.whole(ctx, moved, tips)
}

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
