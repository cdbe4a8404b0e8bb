package undo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// check refuses a change that was shared or is needed.
func check(ctx context.Context, s *store.Store, l *store.LastChange) error {
	for _, find := range []func(context.Context, *store.Store, *store.LastChange) error{checkRefs, checkOnceShared, checkLinks} {
		if err := find(ctx, s, l); err != nil {
			return err
		}
	}
	return nil
}

// refused says why a change stays. A rollback has the same effect and adds a commit.
func refused(l *store.LastChange, code, why string, hints ...string) error {
	hints = append(hints, fmt.Sprintf("git context -b %s rollback %s", l.Branch, l.Parent.Commit().ID.Short()))
	return fail.New(fail.ErrRefused, code, fmt.Sprintf("the newest change of branch '%s', %s, %s", l.Branch, l.Commit.ID.Short(), why), hints...)
}

// checkRefs refuses a commit to which another ref leads than its branch.
func checkRefs(ctx context.Context, s *store.Store, l *store.LastChange) error {
	remotes, err := s.Repo().Remotes(ctx)
	if err != nil {
		return err
	}
	args := []string{"for-each-ref", "--contains=" + string(l.Commit.ID), "--format=%(refname)", git.BranchPrefix, git.TagPrefix, git.RemotePrefix}
	args = append(args, git.BundleTracking().Branches())
	for _, r := range remotes {
		args = append(args, git.MappedTracking(r))
	}
	out, err := s.Repo().View(ctx, args...)
	if err != nil {
		return err
	}
	for ref := range strings.FieldsSeq(string(out)) {
		if err := leads(l, remotes, ref); err != nil {
			return err
		}
	}
	return nil
}

// leads refuses a commit because of a ref that leads to it.
func leads(l *store.LastChange, remotes []string, ref string) error {
	if name, ok := git.BranchName(ref); ok {
		if name == l.Branch {
			return nil
		}
		return refused(l, fail.CommitNeeded, fmt.Sprintf("is in branch '%s' too", name))
	}
	if name, ok := strings.CutPrefix(ref, git.TagPrefix); ok {
		return refused(l, fail.CommitNeeded, fmt.Sprintf("has the tag '%s'", name), "git context tag -d "+name)
	}
	for _, r := range remotes {
		if strings.HasPrefix(ref, git.RemoteTracking(r).Of(git.Root)) || strings.HasPrefix(ref, git.MappedTracking(r)) {
			return refused(l, fail.CommitShared, fmt.Sprintf("is on remote '%s'", r))
		}
	}
	return refused(l, fail.CommitShared, fmt.Sprintf("came from another repository: '%s' contains it", ref))
}

// checkOnceShared refuses a change of a branch that a remote had and has no more: which of its
// commits the remote had is not known.
func checkOnceShared(ctx context.Context, s *store.Store, l *store.LastChange) error {
	remotes, err := s.Repo().Remotes(ctx)
	if err != nil {
		return err
	}
	ref := git.BranchRef(l.Branch)
	for _, name := range remotes {
		shared, err := remote.ReadShared(s, remote.Remote{Name: name})
		if err != nil {
			return err
		}
		if !shared[ref] {
			continue
		}
		_, err = s.Repo().Ref(ctx, git.RemoteTracking(name).Of(ref))
		if errors.Is(err, git.ErrNotFound) {
			return refused(l, fail.CommitShared, fmt.Sprintf("may have been on remote '%s', which had the branch", name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLinks refuses a commit that a code commit is linked with.
func checkLinks(ctx context.Context, s *store.Store, l *store.LastChange) error {
	linked := git.ID(l.Commit.Trailer(store.TrailerLink))
	id := l.Commit.Trailer(store.TrailerID)
	err := code.EachLink(ctx, s, []string{string(l.Commit.ID), id}, func(at git.ID, f notes.Fact) {
		if f.Memory == l.Commit.ID || id != "" && f.CommitID == id {
			linked = at
		}
	})
	if err != nil || linked == "" {
		return err
	}
	return refused(l, fail.CommitNeeded, fmt.Sprintf("is linked with code commit %s", linked.Short()))
}
