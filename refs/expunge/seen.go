package expunge

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// runAlone is Run without an exchange beside it: one that is in progress knows by their ids, which an expunge deletes, what its fetch
// replaces.
func (op *Operation) runAlone(ctx context.Context, e doc.Expunged) (err error) {
	s := op.Store
	names, err := s.Repo().Remotes(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		lock, err := remote.Lock(ctx, s, remote.Remote{Name: name})
		if err != nil {
			return err
		}
		defer lock.Unlock()
	}
	if err := keepSeen(ctx, s, names); err != nil {
		return err
	}
	return op.Run(ctx, e)
}

// keepSeen makes refs of what fetches have replaced since the last syncs, so that it is rewritten as what tracking refs have, and not
// deleted before a sync has read why it was replaced. The caller has the locks of the remotes.
func keepSeen(ctx context.Context, s *store.Store, remotes []string) error {
	v, err := ListRefs(ctx, s)
	if err != nil {
		return err
	}
	now, tips := map[git.Ref]bool{}, v.Tips()
	for _, r := range v.tracking {
		now[r] = true
	}
	for _, name := range remotes {
		if err := keepSeenOf(ctx, s, remote.Remote{Name: name}, now, tips); err != nil {
			return err
		}
	}
	return nil
}

// keepSeenOf is keepSeen for one remote.
func keepSeenOf(ctx context.Context, s *store.Store, r remote.Remote, now map[git.Ref]bool, tips []git.ID) error {
	seen, err := remote.ReadSeen(ctx, s, r)
	if err != nil {
		return err
	}
	var moved []git.Ref
	for branch, id := range seen.Branches {
		at := git.Ref{Name: git.RemoteTracking(r.Name).Of(git.BranchRef(branch)), ID: id}
		if !seen.Kept(branch) && !now[at] {
			moved = append(moved, git.Ref{Name: branch, ID: id})
		}
	}
	if moved, err = replacedOf(ctx, s, moved, tips); err != nil {
		return err
	}
	branches := make([]string, len(moved))
	for i, m := range moved {
		branches[i] = m.Name
	}
	return seen.Keep(ctx, s, r, branches)
}

// replacedOf returns those of some refs that lead to what tips do not, and are Whole.
func replacedOf(ctx context.Context, s *store.Store, refs []git.Ref, tips []git.ID) ([]git.Ref, error) {
	refs, err := Whole(ctx, s, refs, tips)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	left, err := s.Repo().Beyond(ctx, UniqueIDs(refs), tips)
	return slices.DeleteFunc(refs, func(r git.Ref) bool { return !left[r.ID] }), err
}

// Whole returns the refs with all of their history here, as far as it is beyond some commits that have theirs. Git removes what no ref leads to, and
// begins with what is oldest.
func Whole(ctx context.Context, s *store.Store, refs []git.Ref, not []git.ID) ([]git.Ref, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	is := func(refs []git.Ref) (bool, error) {
		ids := UniqueIDs(refs)
		for _, id := range not {
			ids = append(ids, "^"+id)
		}
		err := s.Repo().EachReachable(ctx, ids, func(git.ID) {}, "--missing=allow-promisor")
		if git.ExitCode(err) > 0 {
			return false, nil
		}
		return err == nil, err
	}
	here, err := s.Repo().CommitsHere(ctx, UniqueIDs(refs))
	if err != nil {
		return nil, err
	}
	refs = slices.DeleteFunc(refs, func(r git.Ref) bool { return !here[r.ID] })
	if all, err := is(refs); err != nil || all || len(refs) < 2 {
		if !all {
			refs = nil
		}
		return refs, err
	}
	var whole []git.Ref
	for _, r := range refs {
		one, err := is([]git.Ref{r})
		if err != nil {
			return nil, err
		}
		if one {
			whole = append(whole, r)
		}
	}
	return whole, nil
}
