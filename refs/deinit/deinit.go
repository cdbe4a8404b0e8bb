// Package deinit removes the memory of a repository, and if asked that of its default remote.
//
// It deletes the refs of memory and CONTEXT_HEAD of every worktree, removes the settings that init and people have made for it,
// and local state. The files of hooks are its caller's.
//
// Errors are of package fail: ErrNoMemory where nothing is left, ErrStale where memory was written since it was shown,
// ErrRefused where the remote refuses.
package deinit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Remains is what a repository has of memory, or what Run removed.
type Remains struct {
	Branches int      `json:"branches"`
	Commits  int      `json:"commits"`
	Steps    int      `json:"steps"`    // committed ones
	Pending  int      `json:"pending"`  // steps
	Unshared int      `json:"unshared"` // commits that no remote had when it was last asked
	Refs     []string `json:"refs"`
	Settings []string `json:"settings"` // of the repository
	Remote   []string `json:"remote"`   // refs of the remote, with Options.Remote

	refs   []git.Ref
	heads  []git.WorktreeHead
	peer   remote.Remote
	theirs []git.Ref         // of the remote, by their names there
	tips   map[string]git.ID // of the branches
	lines  []git.Setting
	state  bool // local state
}

// Options describe what Run removes.
type Options struct {
	Remote  bool // the memory of the default remote too
	DryRun  bool
	Consent func(Remains) error // asked before anything changes, and may refuse; nil: nobody is asked
	Hooks   func() error        // removes the hooks, before the state goes that says where they are; nil: none
}

// Run removes the memory of a repository: refs, CONTEXT_HEAD of every worktree, local state, settings
// and, with Remote, the refs of the default remote, which are removed first. Objects stay until git drops
// them. Hooks are the caller's. One that was interrupted is finished by another one.
//
// fail.ErrNoMemory: nothing is left.
func Run(ctx context.Context, s *store.Store, o Options) (Remains, error) {
	r, err := remains(ctx, s, o.Remote)
	if err != nil {
		return r, err
	}
	if r.OnlyState() && !r.state {
		return r, fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	if o.Consent != nil && !o.DryRun {
		if err := o.Consent(r); err != nil {
			return r, err
		}
	}
	if o.DryRun {
		return r, nil
	}
	return r, s.WhileLocked(ctx, func() error {
		if err := r.unchanged(ctx, s); err != nil {
			return err
		}
		if err := r.removeRemote(ctx, s); err != nil {
			return err
		}
		if o.Hooks != nil {
			if err := o.Hooks(); err != nil {
				return err
			}
		}
		return r.remove(ctx, s)
	}, slices.Sorted(maps.Keys(r.tips))...)
}

// unchanged refuses to remove what nobody was shown: branches and steps that came since. The branches are
// locked.
func (r *Remains) unchanged(ctx context.Context, s *store.Store) error {
	now, err := remains(ctx, s, false)
	if err != nil || maps.Equal(now.tips, r.tips) && now.Pending == r.Pending {
		return err
	}
	return fail.New(fail.ErrStale, fail.Stale, "memory was written meanwhile; nothing was removed", "git context deinit --dry-run")
}

// OnlyState reports whether files of local state, such as locks, are all that is left.
func (r *Remains) OnlyState() bool {
	return len(r.refs)+len(r.heads)+len(r.Settings)+len(r.Remote)+r.Pending == 0
}

// RemoteName is the remote whose refs are in Remote.
func (r *Remains) RemoteName() string { return r.peer.Name }

// remains reads what there is.
func remains(ctx context.Context, s *store.Store, askRemote bool) (Remains, error) {
	r := Remains{Refs: []string{}, Settings: []string{}, Remote: []string{}, tips: map[string]git.ID{}}
	var err error
	if r.refs, err = memoryRefs(ctx, s); err != nil {
		return r, err
	}
	for _, ref := range r.refs {
		r.Refs = append(r.Refs, ref.Name)
		if name, ok := git.BranchName(ref.Name); ok {
			r.tips[name] = ref.ID
		}
	}
	r.Branches = len(r.tips)
	if err := r.count(ctx, s); err != nil {
		return r, err
	}
	if r.heads, err = s.Repo().Worktrees(ctx); err != nil {
		return r, err
	}
	if err := r.settings(ctx, s); err != nil {
		return r, err
	}
	if r.state, err = s.Repo().HasState(); err != nil || !askRemote {
		return r, err
	}
	if r.peer, err = remote.Find(ctx, s, ""); err != nil {
		return r, err
	}
	list, err := s.Repo().LsRemote(ctx, r.peer.Name, git.NameOn(git.Root, r.peer.Heads)+"*", git.NameOn(git.NotesRef, r.peer.Heads))
	for _, ref := range list {
		if git.Shared(git.NameHere(ref.Name, r.peer.Heads)) {
			r.Remote, r.theirs = append(r.Remote, ref.Name), append(r.theirs, ref)
		}
	}
	return r, err
}

// memoryRefs lists the refs of memory, and those that are kept of remotes.
func memoryRefs(ctx context.Context, s *store.Store) ([]git.Ref, error) {
	v, err := expunge.ListRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(v.Every(), func(r git.Ref) bool {
		return strings.HasPrefix(r.Name, git.RemoteNotesPrefix) && !git.TrackedNotes(r.Name)
	})
	slices.SortFunc(list, func(a, b git.Ref) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// count counts commits and steps.
func (r *Remains) count(ctx context.Context, s *store.Store) error {
	if len(r.tips) == 0 {
		return nil
	}
	var tips []string
	for _, id := range r.tips {
		tips = append(tips, string(id))
	}
	var err error
	if r.Commits, r.Steps, err = s.CountEntries(ctx, tips...); err != nil {
		return err
	}
	if r.Unshared, _, err = s.CountEntries(ctx, append(tips, "--not", "--glob="+git.RemotePrefix+"*")...); err != nil {
		return err
	}
	for name, id := range r.tips {
		tip, err := s.TipAt(ctx, name, id)
		if err != nil {
			return err
		}
		p, err := s.Pending(ctx, tip)
		if err != nil {
			return err
		}
		r.Pending += len(p.Lines)
	}
	return nil
}

// settings collects the settings of the repository that are about memory.
func (r *Remains) settings(ctx context.Context, s *store.Store) error {
	list, err := s.Repo().LocalSettings(ctx)
	if err != nil {
		return err
	}
	for _, entry := range list {
		key, value := entry.Key, entry.Value
		_, to, isSpec := strings.Cut(value, ":")
		name, isFetch := strings.CutSuffix(strings.TrimPrefix(key, "remote."), ".fetch")
		isFetch = isFetch && strings.HasPrefix(key, "remote.")
		switch {
		case strings.HasPrefix(key, "context."), ofMemory(key):
		case isFetch && isSpec && trackingOf(name, to), isFetch && slices.Contains(remote.SpareMemory, value):
		default:
			continue
		}
		r.lines = append(r.lines, entry)
		if !slices.Contains(r.Settings, key) {
			r.Settings = append(r.Settings, key)
		}
	}
	return nil
}

// ofMemory reports whether a setting of git's own sections is one of memory; git lists names in small letters.
func ofMemory(key string) bool {
	return slices.ContainsFunc(append(store.AdviceKeys(), notes.StrategyKey), func(k string) bool { return strings.EqualFold(k, key) })
}

// trackingOf reports whether a fetch refspec brings memory of a remote to a ref.
func trackingOf(name, to string) bool {
	return slices.ContainsFunc(git.RemoteTracking(name).All(), func(prefix string) bool { return strings.HasPrefix(to, prefix) })
}

// removeRemote deletes the refs of the remote, each only if nobody has moved it since it was shown.
func (r *Remains) removeRemote(ctx context.Context, s *store.Store) error {
	updates, shown := make([]git.PushUpdate, len(r.theirs)), map[string]git.ID{}
	for i, ref := range r.theirs {
		updates[i], shown[ref.Name] = git.PushUpdate{Ref: ref.Name}, ref.ID
	}
	done, err := s.Repo().Push(ctx, git.PushOptions{Remote: r.peer.Name, Updates: updates, Expected: shown})
	for _, d := range done {
		if d.Status != git.PushDone && d.Status != git.PushUpToDate {
			reason, said := remote.Explained(prose.OneLine(d.Reason, 200), d.Said)
			err = errors.Join(err, &fail.Error{Code: fail.PushRefused, Kind: fail.ErrRefused, Said: said,
				Message: fmt.Sprintf("'%s' of '%s' was not deleted: %s", d.Ref, r.peer.Name, reason)})
		}
	}
	return err
}

// remove removes what is here: first the refs, then what belongs to them.
func (r *Remains) remove(ctx context.Context, s *store.Store) error {
	for try := 0; ; try++ {
		err := removeRefs(ctx, s)
		if err == nil {
			break
		}
		if !errors.Is(err, git.ErrStale) || try == store.MaxTries { // a ref moved: a fetch takes no lock of ours
			return err
		}
	}
	fault.Point("after-refs")
	for _, head := range r.heads {
		if err := s.Repo().DeleteSymbolicRef(ctx, head.Ref); err != nil {
			return err
		}
	}
	defer s.Repo().InvalidateConfig()
	for _, entry := range r.lines {
		if err := s.Repo().UnsetLocal(ctx, entry); err != nil {
			return err
		}
	}
	return s.Repo().RemoveState()
}

// removeRefs deletes the refs of memory as they are now, all or none.
func removeRefs(ctx context.Context, s *store.Store) error {
	list, err := memoryRefs(ctx, s)
	if err != nil || len(list) == 0 {
		return err
	}
	tx, err := s.Repo().Begin(ctx, git.TxOptions{Message: "context deinit"})
	if err != nil {
		return err
	}
	for _, ref := range list {
		tx.Delete(ref.Name, ref.ID)
	}
	return errors.Join(tx.Commit(ctx), tx.Close())
}
