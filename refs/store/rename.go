package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// RenameBranch gives a branch another name, with its journal, the merge that waits
// on it and its bisects, and repoints every worktree's CONTEXT_HEAD that named it.
//
// The journal is linked under the new name before the refs move and unlinked
// from the old one after, and so is the rest. Whenever this is killed both names lead
// to the same steps, because a journal with two names is never replaced; a worktree
// that was left on the old name goes on with `git context switch`.
func (s *Store) RenameBranch(ctx context.Context, old, name string) (Branch, error) {
	if err := CheckBranchName(old); err != nil {
		return Branch{}, err
	}
	if _, err := s.Tip(ctx, old); err != nil {
		return Branch{}, err
	}
	if err := s.CheckNewName(ctx, name); err != nil {
		return Branch{}, err
	}
	tx, err := s.Begin(ctx, Writer{}, "branch: rename "+old+" to "+name, old, name)
	if err != nil {
		return Branch{}, err
	}
	defer tx.Close()
	waiting, err := s.mayMoveMerge(old)
	if err != nil {
		return Branch{}, err
	}
	if err := s.MakeJournal(ctx, old); err != nil {
		return Branch{}, err
	}
	j, err := journal.Open(ctx, s.JournalPath(old), s.JournalOptions())
	if err != nil {
		return Branch{}, err
	}
	defer j.Close()
	if err := s.linkJournal(old, name); err != nil {
		return Branch{}, err
	}
	err = errors.Join(s.copyMerge(waiting, name), s.linkBisects(ctx, old, name))
	if err == nil {
		err = tx.Swap(ctx, func(ctx context.Context) error { return tx.queueRename(ctx, old, name) })
	}
	if err != nil {
		return Branch{}, errors.Join(err, os.Remove(s.JournalPath(name)), s.DropMerge(name), s.dropBisects(ctx, name))
	}
	if err := s.repointHeads(ctx, old, name); err != nil {
		return Branch{}, err
	}
	if err := errors.Join(s.DropMerge(old), s.dropBisects(ctx, old)); err != nil {
		return Branch{}, err
	}
	if err := j.Remove(); err != nil {
		return Branch{}, err
	}
	return s.branchNamed(ctx, name)
}

// linkJournal gives the journal its second name. It sets aside a journal of another branch
// that has the name, but keeps one that is the same file, which a killed rename left.
func (s *Store) linkJournal(old, name string) error {
	from, to := s.JournalPath(old), s.JournalPath(name)
	err := os.Link(from, to)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	a, err := os.Stat(from)
	if err != nil {
		return err
	}
	if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
		return nil
	}
	if err := s.setAside(name); err != nil {
		return err
	}
	return os.Link(from, to)
}

// queueRename makes the commit that says the branch's new name and queues both
// refs.
func (tx *Transaction) queueRename(ctx context.Context, old, name string) error {
	tip, err := tx.Store.Tip(ctx, old)
	if err != nil {
		return err
	}
	c, err := tx.Follow(ctx, tip, renameSubject(old, name))
	if err != nil {
		return err
	}
	facts := c.Meta.Branch()
	facts.Name = name
	if err := c.Meta.SetBranch(facts); err != nil {
		return err
	}
	c.branch = name
	if _, err := tx.Write(ctx, c, ""); err != nil {
		return err
	}
	tx.Refs.Delete(git.BranchRef(old), tip.commit.ID)
	return tx.queueMoveWork(ctx, old, name)
}

// renameSubject is the subject of that commit, by which a worktree that was left on the
// old name is led to the new one.
func renameSubject(old, name string) string { return "Rename branch " + old + " to " + name }

// repointHeads moves the CONTEXT_HEAD of every worktree that names old.
func (s *Store) repointHeads(ctx context.Context, old, name string) error {
	heads, err := s.repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, head := range heads {
		if head.Target != git.BranchRef(old) {
			continue
		}
		if err := s.repo.SetSymbolicRef(ctx, head.Ref, git.BranchRef(name), "context branch: rename "+old+" to "+name); err != nil {
			return err
		}
	}
	return nil
}

// renameWait is how long a rename may take from the refs to CONTEXT_HEAD, and headPoll how
// often is looked whether that has moved.
const (
	renameWait = 2 * time.Second
	headPoll   = 2 * time.Millisecond
)

// renamedNow is the current branch where that is what another one is renamed to just now;
// "" where it was not, or is left on the old name.
func (s *Store) renamedNow(ctx context.Context, was string) (string, error) {
	to, err := s.RenamedTo(ctx, was)
	if err == nil && to == "" || errors.Is(err, git.ErrMissing) { // who lists refs while one is renamed may see neither name, or one that goes
		to, err = s.RenamedTo(ctx, was)
	}
	if err != nil || to == "" {
		return "", err
	}
	for begin := time.Now(); ; {
		now, err := s.Current(ctx)
		if err == nil && now != was && now != to { // it is renamed once more, or somebody switched
			to, err = s.RenamedTo(ctx, was)
		}
		switch {
		case err != nil || to == "" || time.Since(begin) > renameWait:
			return "", err
		case now == to:
			return now, nil
		}
		select {
		case <-time.After(headPoll):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// RenamedTo is the branch that a branch was renamed to, however often; "" where history
// does not say so, or that one is gone too.
func (s *Store) RenamedTo(ctx context.Context, name string) (string, error) {
	for range 100 { // or they lead in a circle
		next, err := s.renamedOnce(ctx, name)
		if err != nil || next == "" {
			return "", err
		}
		if _, err := s.repo.Ref(ctx, git.BranchRef(next)); !errors.Is(err, git.ErrNotFound) {
			return next, err
		}
		name = next
	}
	return "", nil
}

// renamedOnce finds the newest commit that RenameBranch made of a branch.
func (s *Store) renamedOnce(ctx context.Context, name string) (string, error) {
	said := renameSubject(name, "")
	out, err := s.repo.View(ctx, "log", "--fixed-strings", "--grep="+said, "--format=%s%x00%(trailers:key="+TrailerBranch+",valueonly,separator=)",
		"--glob="+git.BranchPrefix+"*")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		subject, branch, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		if to, ok := strings.CutPrefix(subject, said); ok && to == branch && git.CheckBranchName(to) == nil {
			return to, nil
		}
	}
	return "", nil
}
