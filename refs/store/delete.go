package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/prose"
)

// DeleteBranch moves a branch's tip to refs/context/deleted/ and returns the
// ref that it has there. Without force it refuses a branch whose commits or
// pending steps are nowhere else; with force it commits what is pending first,
// so that nothing acknowledged is lost. A branch that is current in any worktree
// is never deleted.
func (s *Store) DeleteBranch(ctx context.Context, name string, force bool) (git.Ref, error) {
	var moved git.Ref
	if err := CheckBranchName(name); err != nil {
		return moved, err
	}
	if _, err := s.Tip(ctx, name); err != nil {
		return moved, err
	}
	tx, err := s.Begin(ctx, Writer{}, "branch: delete "+name, name)
	if err != nil {
		return moved, err
	}
	defer tx.Close()
	if err := s.checkNotCurrent(ctx, name); err != nil { // no one switches to it now
		return moved, err
	}
	// The journal stays locked until the ref has moved: a step that is recorded
	// meanwhile waits, finds the journal gone, and is refused.
	if err := s.MakeJournal(ctx, name); err != nil {
		return moved, err
	}
	j, err := journal.Open(ctx, s.JournalPath(name), s.JournalOptions())
	if err != nil {
		return moved, err
	}
	defer j.Close()
	if force {
		if err := tx.keepPending(ctx, name); err != nil {
			return moved, err
		}
	}
	if err := tx.Swap(ctx, func(ctx context.Context) error {
		if moved, err = tx.queueDelete(ctx, name, force); err != nil {
			return err
		}
		// Nothing is pending: emptied now, a crash behind the ref leaves no journal
		// that would go on acknowledging steps.
		return j.Empty()
	}); err != nil {
		return git.Ref{}, errors.Join(err, s.refill(ctx, name, j))
	}
	return moved, errors.Join(j.Remove(), s.DropMerge(name), s.dropBisects(ctx, name))
}

// refill begins an emptied journal again, of a branch that was not deleted.
func (s *Store) refill(ctx context.Context, name string, j *journal.Journal) error {
	if j.Size() > 0 {
		return nil
	}
	head, err := s.JournalHead(ctx, name)
	if err != nil {
		return err
	}
	return j.Restart(head)
}

// queueDelete checks the present state of a branch and queues the move of its tip.
func (tx *Transaction) queueDelete(ctx context.Context, name string, force bool) (git.Ref, error) {
	var none git.Ref
	s := tx.Store
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return none, err
	}
	pending, err := s.pendingCount(ctx, name, tip.commit)
	if err != nil {
		return none, err
	}
	if pending > 0 {
		return none, fail.New(fail.ErrRefused, fail.BranchPending, fmt.Sprintf("branch '%s' has %s", name, prose.Count(pending, "pending step")),
			"git context -b "+name+" commit -m SUMMARY", "git context branch -D "+name)
	}
	if !force {
		alone, err := s.entriesOf(ctx, append([]string{string(tip.commit.ID)}, notElsewhere(name)...)...)
		if err != nil {
			return none, err
		}
		if alone.Commits > 0 {
			return none, fail.New(fail.ErrRefused, fail.BranchUnmerged,
				fmt.Sprintf("branch '%s' has %s that no other branch contains", name, prose.Count(alone.Commits, "commit")),
				"git context merge "+name, "git context branch -D "+name)
		}
	}
	id, err := s.NewID("")
	if err != nil {
		return none, err
	}
	moved := git.Ref{Name: git.DeletedRef(name, id), ID: tip.commit.ID}
	tx.Refs.Update(moved.Name, moved.ID, "")
	tx.Refs.Delete(git.BranchRef(name), tip.commit.ID)
	return moved, tx.queueMoveWork(ctx, name, "")
}

func (s *Store) checkNotCurrent(ctx context.Context, name string) error {
	heads, err := s.repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, head := range heads {
		if head.Target == git.BranchRef(name) {
			return fail.New(fail.ErrRefused, fail.BranchCurrent, fmt.Sprintf("branch '%s' is current in '%s'", name, head.Path),
				"git context switch OTHER")
		}
	}
	return nil
}

// keepPending makes a commit of what is pending on a branch whose journal is locked,
// if anything is. The journal is not marked: it is about to go, and the commit says what
// it took.
func (tx *Transaction) keepPending(ctx context.Context, name string) error {
	var made *git.Commit
	err := tx.Swap(ctx, func(ctx context.Context) error {
		tip, err := tx.Store.Tip(ctx, name)
		if err != nil {
			return err
		}
		n, err := tx.Store.pendingCount(ctx, name, tip.commit)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNothing
		}
		keep := keeping(n, name)
		done, err := tx.BuildCommit(ctx, name, CommitOptions{Summary: keep, Contribution: keep})
		made = done.Commit
		return err
	})
	if err != nil || made == nil {
		return err
	}
	return tx.Fold(ctx, made)
}

// CommitPending makes a commit of what is pending, if anything is.
func (s *Store) CommitPending(ctx context.Context, name string) error {
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return err
	}
	n, err := s.pendingCount(ctx, name, tip.commit)
	if err != nil || n == 0 {
		return err
	}
	_, err = s.Commit(ctx, CommitOptions{Branch: name, Summary: keeping(n, name)})
	return err
}

// keeping is the summary of a commit that is made before a branch goes.
func keeping(n int, branch string) string {
	return fmt.Sprintf("Keep %s of %s", prose.Count(n, "pending step"), branch)
}

// newestDeleted returns what is kept of the branch of a name that was deleted last; the zero Ref for none.
func (s *Store) newestDeleted(ctx context.Context, name string) (found git.Ref, err error) {
	deleted, err := s.repo.Refs(ctx, git.DeletedPrefix)
	for _, r := range deleted {
		id, ok := strings.CutPrefix(r.Name, git.DeletedPrefix+name+"-")
		if ok && doc.ValidID(id) && r.Name > found.Name {
			found = r
		}
	}
	return found, err
}

// RestoreBranch brings back the newest deleted branch of that name.
func (s *Store) RestoreBranch(ctx context.Context, name string) (Branch, error) {
	if err := s.CheckNewName(ctx, name); err != nil {
		return Branch{}, err
	}
	found, err := s.newestDeleted(ctx, name)
	if err != nil {
		return Branch{}, err
	}
	if found.Name == "" {
		return Branch{}, fail.New(fail.ErrNotFound, fail.BranchNotFound, fmt.Sprintf("no deleted branch '%s'", name),
			"git for-each-ref "+git.DeletedPrefix)
	}
	tx, err := s.Begin(ctx, Writer{}, "branch: restore "+name, name)
	if err != nil {
		return Branch{}, err
	}
	defer tx.Close()
	err = tx.Swap(ctx, func(ctx context.Context) error {
		tx.Refs.Update(git.BranchRef(name), found.ID, "")
		tx.Refs.Delete(found.Name, found.ID)
		return s.DropLeftovers(ctx, name)
	})
	if err != nil {
		return Branch{}, err
	}
	_ = s.MakeJournal(ctx, name) // the first record makes it where it is missing
	return s.branchNamed(ctx, name)
}

// Alone is what of a branch no other branch contains, here or at a remote when it was last asked.
type Alone struct {
	Tip            git.ID
	Commits, Steps int // committed
	Pending        int
	Subjects       []string // of the commits, newest first, each behind its short hash
	All            int      // steps and commits of all branches, pending ones included
}

// Entries is the number of steps and commits that are nowhere else.
func (a Alone) Entries() int { return a.Commits + a.Steps + a.Pending }

// Alone returns what would be lost with a branch. fail.ErrRefused for a branch that is current in a
// worktree, which is not deleted. It reads the trailers of all commits once.
func (s *Store) Alone(ctx context.Context, name string) (Alone, error) {
	if err := CheckBranchName(name); err != nil {
		return Alone{}, err
	}
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return Alone{}, err
	}
	if err := s.checkNotCurrent(ctx, name); err != nil {
		return Alone{}, err
	}
	a, err := s.entriesOf(ctx, append([]string{string(tip.commit.ID)}, notElsewhere(name)...)...)
	if err != nil {
		return a, err
	}
	a.Tip = tip.commit.ID
	if a.Pending, err = s.pendingCount(ctx, name, tip.commit); err != nil || a.Entries() == 0 {
		return a, err
	}
	all, err := s.entriesOf(ctx, "--glob="+git.BranchPrefix+"*")
	a.All = all.Commits + all.Steps + a.Pending
	return a, err
}

// CountEntries counts the commits that revisions reach and that have an entry, and their steps. It reads
// trailers alone.
func (s *Store) CountEntries(ctx context.Context, revisions ...string) (commits, steps int, err error) {
	if len(revisions) == 0 {
		return 0, 0, nil
	}
	a, err := s.entriesOf(ctx, revisions...)
	return a.Commits, a.Steps, err
}

// notElsewhere are the arguments of rev-list that leave out what other branches contain.
func notElsewhere(name string) []string {
	return []string{"--not", "--exclude=" + git.BranchRef(name), "--glob=" + git.BranchPrefix + "*", "--glob=" + git.RemotePrefix + "*"}
}

// entriesOf counts the commits of some revisions that have an entry, and their steps.
func (s *Store) entriesOf(ctx context.Context, revisions ...string) (Alone, error) {
	var a Alone
	out, err := s.repo.View(ctx, append([]string{"rev-list", "--no-commit-header", "--format=%h %(trailers:key=" + TrailerID +
		",valueonly,separator=)%x09%(trailers:key=" + TrailerSteps + ",valueonly,separator=)%x09%s"}, revisions...)...)
	if err != nil {
		return a, err
	}
	seen := map[string]bool{} // a commit made by hand may have the message of another
	for row := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(row, "\n"), "\t", 3)
		hash, id, _ := strings.Cut(f[0], " ")
		if id == "" || len(f) < 3 || seen[id] {
			continue
		}
		seen[id] = true
		a.Commits++
		a.Steps += parseSteps(f[1])
		a.Subjects = append(a.Subjects, hash+" "+f[2])
	}
	return a, nil
}

// parseSteps returns how many steps a value of Context-Steps means; 0 for another shape.
func parseSteps(value string) int {
	span, count, counted := strings.Cut(value, " (")
	if counted {
		span = "1-" + strings.TrimSuffix(count, ")")
	}
	first, last, _ := strings.Cut(span, "-")
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || to < from {
		return 0
	}
	return to - from + 1
}
