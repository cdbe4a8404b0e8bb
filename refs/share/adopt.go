package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// askLimit is how long init waits for a remote to say whether it has memory: init must work
// without a network.
const askLimit = 10 * time.Second

// adopt takes over the memory of a remote if this repository has none: init would otherwise
// start an unrelated history. branch is the branch to begin with; named reports whether the
// caller chose it. It returns another branch if the remote lacks that one.
func (i *initialization) adopt(ctx context.Context, branch string, named bool) (string, error) {
	s := i.s
	names, err := s.BranchNames(ctx)
	if err != nil || len(names) > 0 {
		return branch, err
	}
	p, there, err := i.memoryElsewhere(ctx)
	if err != nil || there == nil {
		return branch, err
	}
	done := newResult(p.Name)
	ex := newExchanger(s, Options{Writer: i.o.Writer}, p, &done)
	ex.merge, ex.adopt = true, true
	lock, err := remote.Lock(ctx, s, p)
	if err != nil {
		return "", err
	}
	defer lock.Unlock()
	if branch, err = firstOf(there, p.Name, branch, named); err != nil {
		return "", err
	}
	ex.o.Branches, ex.current = []string{branch}, branch
	if _, err := ex.fetch(ctx); err != nil {
		return "", err
	}
	ours, theirs, err := remote.Survey(ctx, s, p)
	if err != nil {
		return "", err
	}
	if _, err := firstOf(&theirs, p.Name, branch, true); err != nil { // deleted since
		return "", err
	}
	if err := i.checkRoadmap(ctx, p.Name, theirs.Roadmap); err != nil {
		return "", ex.orRefused(ctx, git.Ref{Name: git.RoadmapRef, ID: theirs.Roadmap}, err)
	}
	if again, err := ex.filterFirst(ctx, branch, &ours, &theirs); err != nil {
		return "", err
	} else if again { // what it asks to forget is hidden
		if ours, theirs, err = remote.Survey(ctx, s, p); err != nil {
			return "", err
		}
		ex.setAside(&ours, &theirs)
		if err := ex.readDirty(ctx); err != nil {
			return "", err
		}
	}
	if err := ex.takeFirst(ctx, branch, &ours, &theirs); err != nil {
		return "", err
	}
	ours.Branches[branch] = theirs.Branches[branch]
	if err := ex.noteSeen(ctx, &ours, &theirs); err != nil {
		return "", err
	}
	i.adopted(ctx, ex, branch)
	return branch, ex.outcome(ctx)
}

// adopted says what was taken over, and what was left out of it.
func (i *initialization) adopted(ctx context.Context, ex *exchanger, branch string) {
	i.res.leftOut = ex.aside[git.RoadmapRef]
	delete(ex.aside, git.RoadmapRef)
	ex.asideAsWarnings()
	if err := errors.Join(ex.tellRequests(ctx), ex.reportDirty(ctx)); err != nil { // init succeeds all the same
		ex.warn(err.Error())
	}
	i.res.Warnings = append(i.res.Warnings, ex.res.Warnings...)
	i.res.Did = append(i.res.Did, fmt.Sprintf("the memory of '%s', branch '%s'", ex.peer.Name, branch))
}

// filterFirst is filterExpunged for the memory to begin with, see takeFirst.
func (ex *exchanger) filterFirst(ctx context.Context, branch string, ours, theirs *remote.RefSet) (bool, error) {
	again, err := ex.filterExpunged(ctx, ours, theirs)
	if err == nil {
		return again, nil
	}
	if _, err = ex.findRefused(ctx, err); err != nil {
		return false, err
	}
	if err := errors.Join(ex.aside[git.BranchRef(branch)], ex.aside[git.RoadmapRef]); err != nil {
		return false, err
	}
	ex.setAside(ours, theirs)
	return ex.filterExpunged(ctx, ours, theirs)
}

// orRefused returns why a ref of the other side is refused, if it is, in place of an error that this has led to.
func (ex *exchanger) orRefused(ctx context.Context, r git.Ref, err error) error {
	in, _ := ex.refsToCheck(r)
	why := incoming.Check(ctx, ex.s, in)
	if _, found := ex.findRefused(ctx, why); found != nil {
		return errors.Join(err, found)
	}
	return cmp.Or(ex.aside[r.Name], err)
}

// takeFirst takes in the memory to begin with. A ref that is refused does not keep the others away, unless it is
// the branch or the roadmap. A roadmap that is valid and cannot be restored is left out.
func (ex *exchanger) takeFirst(ctx context.Context, branch string, ours, theirs *remote.RefSet) error {
	needed := func() error { return errors.Join(ex.aside[git.BranchRef(branch)], ex.aside[git.RoadmapRef]) }
	for again := false; ; again = true {
		if err := needed(); err != nil {
			return err
		}
		_, err := ex.exchangeRefs(ctx, ours, theirs)
		if err == nil {
			err = ex.aside[git.BranchRef(branch)]
		}
		if err == nil || again {
			return err
		}
		if _, err = ex.findRefused(ctx, err); err != nil {
			return err
		}
		ex.setAside(ours, theirs)
	}
}

// memoryElsewhere asks the default remote for its branches; nil if it has no memory. A remote
// that cannot be asked is a warning: memory that begins here can be merged with its later.
func (i *initialization) memoryElsewhere(ctx context.Context) (remote.Remote, *remote.RefSet, error) {
	names, err := i.s.Repo().Remotes(ctx)
	if err != nil || len(names) == 0 {
		return remote.Remote{}, nil, err
	}
	p, err := remote.Find(ctx, i.s, "")
	if errors.Is(err, fail.ErrNotFound) { // no default among several remotes, or an unknown one
		i.res.Warnings = append(i.res.Warnings, "no remote was asked whether it has memory: "+err.Error())
		return p, nil, nil
	}
	if err != nil {
		return p, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	plain, mapped := git.NameOn(git.BranchPrefix, false), git.NameOn(git.BranchPrefix, true)
	list, err := i.s.Repo().LsRemote(limited, p.Name, plain+"*", mapped+"*")
	if errors.Is(err, git.ErrUnreachable) && ctx.Err() == nil {
		i.res.Warnings = append(i.res.Warnings,
			fmt.Sprintf("remote '%s' could not be asked whether it has memory: %s", p.Name, fail.Full(err)))
		return p, nil, nil
	}
	if err != nil || len(list) == 0 {
		return p, nil, err
	}
	has := func(prefix string) bool {
		return slices.ContainsFunc(list, func(r git.Ref) bool { return strings.HasPrefix(r.Name, prefix) })
	}
	if !p.Heads && !has(plain) { // the host takes nothing but branches
		key := "context." + p.Name + ".mapping"
		if _, err := i.s.Repo().Run(ctx, "config", key, remote.MappingHeads); err != nil {
			return p, nil, fmt.Errorf("set %s: %w", key, err)
		}
		fault.Point("after-config")
		i.s.Repo().InvalidateConfig()
		i.res.Did = append(i.res.Did, key)
		p.Heads = true
	}
	there := &remote.RefSet{Branches: map[string]git.ID{}}
	for _, r := range list {
		if name, ok := strings.CutPrefix(r.Name, git.NameOn(git.BranchPrefix, p.Heads)); ok {
			if err := git.CheckBranchName(name); err != nil {
				i.res.Warnings = append(i.res.Warnings, fmt.Sprintf("left alone on '%s': %s", p.Name, err))
				continue
			}
			there.Branches[name] = r.ID
		}
	}
	if len(there.Branches) == 0 {
		return p, nil, nil
	}
	return p, there, nil
}

// firstOf chooses the branch to begin with: the wanted one, else main, else the first by name.
func firstOf(theirs *remote.RefSet, remote, branch string, named bool) (string, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		if git.CheckBranchName(name) == nil {
			names = append(names, name)
		}
	}
	switch {
	case slices.Contains(names, branch):
		return branch, nil
	case named || len(names) == 0:
		return "", fail.New(fail.ErrNotFound, fail.BranchNotFound,
			fmt.Sprintf("remote '%s' has memory, and no memory branch '%s'", remote, branch),
			"git context init", "git context branch "+branch)
	case slices.Contains(names, store.DefaultBranch):
		return store.DefaultBranch, nil
	}
	return names[0], nil
}

// checkRoadmap refuses, before anything moves, a roadmap that init could not extend.
func (i *initialization) checkRoadmap(ctx context.Context, remote string, tip git.ID) error {
	if tip == "" {
		return nil
	}
	data, err := i.s.RoadmapAt(ctx, tip)
	if err != nil {
		return err
	}
	r := doc.ParseRoadmap(data)
	if goal := r.Goal(); goal != "" && i.o.Goal != "" && goal != i.o.Goal {
		i.res.Warnings = append(i.res.Warnings, fmt.Sprintf("the goal stays that of '%s': %s; to change it: git context roadmap goal TEXT",
			remote, prose.OneLine(goal, 200)))
		i.o.Goal = ""
	}
	return initRoadmap(r, i.o)
}

// AdoptBranch makes a local branch from a remote's branch, as it was when the remote was last
// asked. It reports false if no remote has it. fail.ErrRefused: several remotes have it and
// none is the default, or it contains something invalid or expunged.
func AdoptBranch(ctx context.Context, s *store.Store, name string) (bool, error) {
	remotes, err := s.Repo().Remotes(ctx)
	if err != nil {
		return false, err
	}
	found := map[string]git.ID{}
	for _, from := range remotes {
		id, err := s.Repo().Ref(ctx, git.RemoteTracking(from).Of(git.BranchRef(name)))
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return false, err
		}
		if err == nil {
			found[from] = id
		}
	}
	if len(found) == 0 {
		return false, nil
	}
	if err := s.CheckNewName(ctx, name); err != nil {
		return false, err
	}
	remotes = slices.Sorted(maps.Keys(found))
	from := remotes[0]
	if len(found) > 1 {
		p, err := remote.Find(ctx, s, "")
		if err != nil && !errors.Is(err, fail.ErrNotFound) {
			return false, err
		}
		if from = p.Name; found[from] == "" {
			return false, fail.New(fail.ErrRefused, fail.BranchAmbiguous,
				fmt.Sprintf("several remotes have a branch '%s': %s", name, prose.QuotedList(remotes)),
				"git config "+store.KeyRemote+" "+remotes[0])
		}
	}
	done := newResult(from)
	ex := newExchanger(s, Options{}, remote.Remote{Name: from, Tracking: git.RemoteTracking(from)}, &done)
	ex.merge = true
	ref := git.Ref{Name: ex.peer.Tracking.Of(git.BranchRef(name)), ID: found[from]}
	if ex.arrived, err = incoming.Arrived(ctx, s, incoming.Refs{Branches: []git.Ref{ref}}, &ex.read); err != nil {
		return false, ex.withMend(ctx, git.Ref{Name: git.BranchRef(name), ID: ref.ID}, err)
	}
	if err := ex.refuseDirty(ctx, name, ref.ID); err != nil {
		return false, err
	}
	if err := ex.refuseUnverified(ctx, name, ref.ID); err != nil {
		return false, err
	}
	defer func() {
		for _, w := range done.Warnings {
			s.Warn(w)
		}
	}()
	t := takeover{ex: ex, step: &refAction{ref: git.BranchRef(name), branch: name}}
	if err := ex.healAdopted(ctx, t.step, ref.ID); err != nil {
		return true, err
	}
	if err := t.run(ctx); err != nil {
		return true, err
	}
	if err := ex.adoptWork(ctx, t.step); err != nil {
		return true, err
	}
	shared, err := remote.ReadShared(s, ex.peer)
	if err != nil {
		return true, err
	}
	shared[git.BranchRef(name)] = true
	return true, remote.WriteShared(s, ex.peer, shared)
}
