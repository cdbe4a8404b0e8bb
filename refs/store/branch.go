package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// CreateBranch is BRANCH: it makes a branch at the current one, or at a
// commit, and switches to it unless told otherwise. Steps that are pending on
// the branch it starts from stay there.
func (s *Store) CreateBranch(ctx context.Context, o BranchOptions) (Branch, error) {
	if _, err := s.Clean(ctx, &o.Purpose); err != nil {
		return Branch{}, err
	}
	if err := CheckBranchName(o.Name); err != nil {
		return Branch{}, err
	}
	tx, err := s.Begin(ctx, o.Writer, "branch: "+o.Name, o.Name)
	if err != nil {
		return Branch{}, err
	}
	defer tx.Close()
	err = tx.Swap(ctx, func(ctx context.Context) error {
		if err := s.CheckNewName(ctx, o.Name); err != nil {
			return err
		}
		from, err := s.StartTip(ctx, o.From)
		if err != nil {
			return err
		}
		return tx.branch(ctx, o, from)
	})
	if err != nil {
		return Branch{}, err
	}
	if o.NoSwitch {
		_ = s.MakeJournal(ctx, o.Name) // the first record makes it where it is missing
		return s.branchNamed(ctx, o.Name)
	}
	b, err := s.switchTo(ctx, o.Name, true)
	if err != nil {
		return Branch{}, &fail.Error{Code: fail.NotSwitched, Kind: fail.ErrRefused, Err: err, Hints: []string{"git context switch " + o.Name},
			Message: fmt.Sprintf("branch '%s' was created, but this worktree was not switched to it", o.Name)}
	}
	return b, nil
}

// branch queues a birth on top of from.
func (tx *Transaction) branch(ctx context.Context, o BranchOptions, from *Tip) error {
	roadmap, err := tx.Store.RoadmapTip(ctx)
	if err != nil {
		return err
	}
	code, err := tx.Store.CodeHead(ctx)
	if err != nil {
		return err
	}
	if err := tx.Store.DropLeftovers(ctx, o.Name); err != nil {
		return err
	}
	_, err = tx.WriteBirth(ctx, Birth{Name: o.Name, Purpose: o.Purpose, From: from, Roadmap: roadmap, Code: code})
	return err
}

// StartTip returns the branch that a new branch starts from: the current one for "", else the
// branch of a revision at that revision.
func (s *Store) StartTip(ctx context.Context, rev string) (*Tip, error) {
	if rev == "" {
		return s.Tip(ctx, "")
	}
	c, err := s.Revision(ctx, rev)
	if err == nil {
		err = s.mayBuildOn(ctx, rev, c)
	}
	if err != nil {
		return nil, err
	}
	name, err := s.HomeOf(ctx, c)
	if name == "" { // its branch is gone
		name = BranchOf(c)
	}
	return s.TipOf(name, c), err
}

// MergeSource returns a branch to merge: one of this repository, or a remote's by its name here, such
// as origin/main, which is checked.
func (s *Store) MergeSource(ctx context.Context, name string) (tip *Tip, remote bool, err error) {
	_, ref, err := s.named(ctx, name)
	if err != nil {
		return nil, false, err
	}
	_, branch, remote := git.TrackedBranch(ref)
	if !remote {
		tip, err = s.Tip(ctx, name)
		return tip, false, err
	}
	c, err := s.Revision(ctx, name)
	if err == nil {
		err = s.mayBuildOn(ctx, name, c)
	}
	if err != nil {
		return nil, true, err
	}
	return s.TipOf(branch, c), true, nil
}

// HealSource calls [Above.HealSource].
func (tx *Transaction) HealSource(ctx context.Context, source *Tip, target git.ID) (*git.Commit, error) {
	return tx.Store.above.HealSource(ctx, tx, source, target)
}

// mayBuildOn checks history that no ref of this repository leads to yet. A fetch puts it into
// remote-tracking refs unchecked.
func (s *Store) mayBuildOn(ctx context.Context, rev string, c *git.Commit) error {
	id, ref, err := s.named(ctx, beforeSuffix(rev))
	remote, _, tracked := git.TrackedBranch(ref)
	if err != nil || id != "" && !tracked {
		return err // a branch, a tag or an id of ours, or what that comes from
	}
	out, err := s.repo.View(ctx, "for-each-ref", "--count=1", "--contains="+string(c.ID), "--format=%(refname)",
		git.BranchPrefix, git.TagPrefix, git.DeletedPrefix)
	if err != nil || len(out) > 0 {
		return err
	}
	rev = prose.OneLine(rev, 100)
	hint := "git context sync"
	if tracked {
		hint += " " + prose.ShellWord(remote)
	}
	return s.above.CheckForeign(ctx, s, git.Ref{Name: rev, ID: c.ID}, hint)
}

// Switch points this worktree's CONTEXT_HEAD to a branch. Pending steps stay
// with the branch that they were recorded on. A branch that only a remote has is
// made from what is known of it.
func (s *Store) Switch(ctx context.Context, name string) (Branch, error) {
	b, err := s.switchTo(ctx, name, false)
	if noSuchBranch(err) { // deleted since it was found: a remote may have it
		b, err = s.switchTo(ctx, name, false)
	}
	return b, err
}

// switchTo is Switch. held reports that the caller has the branch's lock.
func (s *Store) switchTo(ctx context.Context, name string, held bool) (Branch, error) {
	if err := CheckBranchName(name); err != nil {
		return Branch{}, err
	}
	if s.Branch != "" && s.Branch != name {
		if _, err := s.Tip(ctx, s.Branch); err != nil {
			return Branch{}, err
		}
	}
	tip, err := s.Tip(ctx, name)
	if errors.Is(err, fail.ErrNotFound) || errors.Is(err, fail.ErrNoMemory) {
		if made, adoptErr := s.above.AdoptBranch(ctx, s, name); made || adoptErr != nil {
			if adoptErr != nil {
				return Branch{}, adoptErr
			}
			tip, err = s.Tip(ctx, name)
		}
	}
	if err != nil {
		return Branch{}, s.elsewhere(ctx, name, err)
	}
	if err := s.MakeJournal(ctx, name); err != nil { // while nothing has changed yet
		return Branch{}, err
	}
	if err := s.PointHead(ctx, name, "switch", held); err != nil {
		return Branch{}, err
	}
	b, err := s.BranchOf(ctx, tip)
	b.Current = true
	return b, err
}

// standWait bounds the wait for the lock of a branch that a worktree switches to. A deletion
// or a rename is faster; a longer wait means a commit, which does no harm.
const standWait = 500 * time.Millisecond

// PointHead makes a branch the current one of this worktree. A deletion or a rename locks the
// branch and then reads the CONTEXT_HEAD of each worktree, so the lock is taken here unless
// held says that the caller has it.
func (s *Store) PointHead(ctx context.Context, name, why string, held bool) (err error) {
	now, err := s.repo.SymbolicRef(ctx, git.HeadName)
	if err == nil && now == git.BranchRef(name) || err != nil && !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if !held {
		soon, cancel := context.WithTimeout(ctx, standWait)
		defer cancel()
		lock, err1 := s.repo.Lock(soon, BranchLock(name))
		switch {
		case err1 == nil:
			defer func() { err = errors.Join(err, lock.Unlock()) }()
		case !errors.Is(err1, context.DeadlineExceeded) || ctx.Err() != nil:
			return err1
		}
		if there, err := s.HasBranch(ctx, name); err != nil {
			return err
		} else if !there {
			return s.NoSuchBranch(ctx, name)
		}
	}
	if now == "" && s.repo.Linked() { // the main worktree's was the current one here
		if now, err = s.repo.SymbolicRef(ctx, mainHead); err != nil && !errors.Is(err, git.ErrNotFound) {
			return err
		}
	}
	if err := s.rememberPrevious(now); err != nil {
		return err
	}
	return s.repo.SetSymbolicRef(ctx, git.HeadName, git.BranchRef(name), reflogPrefix+why+": "+name)
}

// elsewhere adds to a branch that was not found that a remote may have it.
func (s *Store) elsewhere(ctx context.Context, name string, err error) error {
	var missing *fail.Error
	if !errors.As(err, &missing) || missing.Kind != fail.ErrNotFound {
		return err
	}
	if hint := s.above.FetchHint(ctx, s, name); hint != "" {
		missing.Hints = append(missing.Hints, hint)
	}
	return err
}

// branchNamed is BRANCH of a branch that exists.
func (s *Store) branchNamed(ctx context.Context, name string) (Branch, error) {
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return Branch{}, err
	}
	return s.BranchOf(ctx, tip)
}

// BranchOptions are one BRANCH.
type BranchOptions struct {
	Writer
	Name     string
	Purpose  string
	From     string // a commit; empty: the current branch
	NoSwitch bool
}

// PreviousBranch returns the branch that was the current one of this worktree before, as `git
// switch -` means it. fail.ErrNotFound: none was.
func (s *Store) PreviousBranch() (string, error) {
	data, err := git.ReadStateFile(s.StatePath(s.previousFile()))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fail.New(fail.ErrNotFound, fail.BranchNotFound, "no branch was current before this one", "git context branch")
	}
	if err != nil {
		return "", fmt.Errorf("cannot read which branch was current before: %w", err)
	}
	name := strings.TrimSuffix(string(data), "\n")
	if err := CheckBranchName(name); err != nil {
		return "", fmt.Errorf("'%s': %w", s.StatePath(s.previousFile()), err)
	}
	return name, nil
}

// rememberPrevious keeps the name of the branch that ref, the target of CONTEXT_HEAD, names.
func (s *Store) rememberPrevious(ref string) error {
	name, ok := git.BranchName(ref)
	if !ok {
		return nil
	}
	return s.repo.WriteStateFile(s.previousFile(), []byte(name+"\n"))
}

// previousFile is one for each worktree.
func (s *Store) previousFile() string { return path.Join(PreviousDir, s.WorktreeName()) }

// PreviousDir is the folder of local state with the branch that was current before, of each worktree.
const PreviousDir = "previous"
