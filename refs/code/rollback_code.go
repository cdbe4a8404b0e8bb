package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// maxReverted is how many commits the message of the reverting code commit lists.
const maxReverted = 50

// rollbackCode restores the code as it was at the commit to restore, before memory follows:
//
//  1. it refuses if that would lose something or is impossible;
//  2. the new code commit is made and the memory commit built: nothing moves yet;
//  3. the intent is written;
//  4. `git reset --keep` moves HEAD, the index and the worktree in one step.
//
// The new code commit has the old tree and HEAD as its parent. The result is that of
// reverting every commit since, but it cannot conflict, cannot stop halfway, and undoes
// merges too. `git merge --ff-only` would also move HEAD, but obeys settings of merges and
// runs their hook. Both overwrite ignored files, which 1 therefore checks.
func (r *rollback) rollbackCode(ctx context.Context) error {
	tip, err := r.Store.Tip(ctx, r.o.Branch)
	if err != nil {
		return err
	}
	if err := r.checkStoodAt(ctx, tip); err != nil {
		return err
	}
	to, err := r.codeThen(ctx)
	if err != nil {
		return err
	}
	head, err := r.mayMoveCode(ctx)
	if err != nil {
		return err
	}
	if to, err = r.replacement(ctx, head, to); err != nil {
		return err
	}
	if to.ID == head.ID || !r.o.Code.Reset && to.Tree == head.Tree {
		r.codeUnchanged = true
		return nil
	}
	plan, err := r.planCode(ctx, head, to)
	if err != nil {
		return err
	}
	if plan.Roadmap, _, err = r.Store.ReadRoadmap(ctx); err != nil {
		return err
	}
	r.Code = plan.Target
	r.intent = &Intent{Rollback: plan}
	if err := r.build(ctx); err != nil {
		return err
	}
	if err := r.Refs.Rehearse(); err != nil {
		return err
	}
	return r.moveCode(ctx, plan)
}

// moveCode moves the code to the target of a plan.
func (r *rollback) moveCode(ctx context.Context, plan *rollbackIntent) error {
	in, err := newIntent(ctx, r.Transaction, r.o.Branch, r.made.Parents[0])
	if err != nil {
		return err
	}
	plan.RollbackOptions = r.o
	plan.Writer, plan.To = r.Writer, string(r.to.Commit().ID)
	in.Rollback, r.intent = plan, in
	if err := writeIntent(r.Store, in); err != nil {
		return err
	}
	fault.Point("after-intent")
	as := asUser(r.Transaction, in, r.o.Code, nil)
	// reset --keep takes a file that was only touched for a changed one.
	failed := r.Store.Repo().RunUser(ctx, as, "update-index", "-q", "--refresh", "--ignore-submodules")
	if failed == nil {
		failed = r.Store.Repo().RunUser(ctx, as, "reset", "--keep", string(plan.Target))
	}
	moved, err := movedTo(ctx, r.Store, in, failed == nil)
	if err != nil {
		return unknown(r.Store, in, errors.Join(failed, err))
	}
	if moved != "" {
		fault.Point("after-code")
		r.Signature.When, err = r.Store.Stamp() // memory must not be older than its code
		return unfinished(r.Store, in, err)
	}
	if failed == nil || !errors.Is(failed, context.Canceled) {
		failed = &fail.Error{Code: fail.CodeNotMoved, Kind: fail.ErrRefused, Err: failed,
			Message: "git did not change the code; memory was not changed",
			Hints:   []string{"git status"}}
	}
	return errors.Join(failed, dropIntent(r.Store, in))
}

// codeThen returns the code commit that was HEAD at the commit to restore.
func (r *rollback) codeThen(ctx context.Context) (*git.Commit, error) {
	c := r.to.Commit()
	id := git.ID(c.Trailer(store.TrailerCode))
	if !git.IsID(string(id)) {
		return nil, fail.New(fail.ErrRefused, fail.CodeUnknown,
			fmt.Sprintf("%s was made before the code had a commit", c.ID.Short()),
			"git context rollback "+c.ID.Short())
	}
	code, err := r.Store.Repo().Commit(ctx, id)
	if errors.Is(err, git.ErrNotFound) {
		return nil, fail.New(fail.ErrNotFound, fail.CodeGone,
			fmt.Sprintf("code commit %s, on which %s was made, is not in this repository: "+
				"it was garbage-collected, or never fetched", id.Short(), c.ID.Short()),
			"git fetch --all", "git context rollback "+c.ID.Short())
	}
	return code, err
}

// replacement returns the commit in HEAD's history that replaced an amended or rebased code
// commit; the code commit itself if there is none, or several.
func (r *rollback) replacement(ctx context.Context, head, code *git.Commit) (*git.Commit, error) {
	since, err := r.Store.Repo().IsAncestor(ctx, code.ID, head.ID)
	if err != nil || since {
		return code, err
	}
	found, err := Replacements(ctx, r.Store, []*git.Commit{code}, string(head.ID))
	if err != nil || len(found[code.ID]) != 1 {
		return code, err
	}
	return r.Store.Repo().Commit(ctx, found[code.ID][0])
}

// mayMoveCode refuses if moving HEAD would lose or mix up changes, and returns the code's
// HEAD.
func (r *rollback) mayMoveCode(ctx context.Context) (*git.Commit, error) {
	repo := r.Store.Repo()
	if repo.WorkTree() == "" {
		return nil, fail.New(fail.ErrRefused, fail.NoWorktree, "there is no worktree here, so that the code cannot be rolled back",
			"git context rollback "+r.to.Commit().ID.Short())
	}
	head, err := r.Store.CodeHead(ctx)
	if err != nil {
		return nil, err
	}
	if head == "" {
		return nil, fail.New(fail.ErrRefused, fail.CodeUnborn, "the code has no commit on this branch yet",
			"git context rollback "+r.to.Commit().ID.Short())
	}
	switch doing, err := repo.InProgress(ctx); {
	case err != nil:
		return nil, err
	case doing == "bisect":
		return nil, fail.New(fail.ErrRefused, fail.CodeBusy, "a bisect of the code is in progress", "git bisect reset")
	case doing != "":
		return nil, fail.New(fail.ErrRefused, fail.CodeBusy, fmt.Sprintf("a %s of the code is in progress", doing),
			"git "+doing+" --continue", "git "+doing+" --abort")
	}
	for _, staged := range []bool{true, false} {
		edited, err := repo.Edited(ctx, staged)
		if err != nil {
			return nil, err
		}
		if len(edited) > 0 {
			return nil, fail.New(fail.ErrRefused, fail.CodeEdited,
				"the code has changes that are not committed: "+quoteSome(edited), "git stash", "git commit -a")
		}
	}
	return repo.Commit(ctx, head)
}

// planCode determines the new HEAD, and makes its commit if it is a new one.
func (r *rollback) planCode(ctx context.Context, head, to *git.Commit) (*rollbackIntent, error) {
	lost, err := r.Store.Repo().InTheWay(ctx, head.ID, to.ID)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		return nil, fail.New(fail.ErrRefused, fail.CodeInTheWay,
			"files that git does not track would be overwritten: "+quoteSome(lost),
			"move them away, or commit them")
	}
	name := fmt.Sprintf("to %s (%s)", to.ID.Short(), prose.OneLine(to.Subject(), 100))
	if was := git.ID(r.to.Commit().Trailer(store.TrailerCode)); was != to.ID {
		name += ", which replaces " + was.Short()
	}
	plan := &rollbackIntent{Target: to.ID, Report: "Code that went back: " + name + ", by git reset from " +
		head.ID.Short() + "."}
	if !r.o.Code.Reset {
		since, err := r.Store.Repo().IsAncestor(ctx, to.ID, head.ID)
		if err != nil {
			return nil, err
		}
		if !since {
			return nil, r.codeElsewhere(ctx, head, to)
		}
		if plan.Target, err = r.writeRevert(ctx, head, to); err != nil {
			return nil, err
		}
		plan.Made = true
		plan.Report = "Code that went back: " + name + ", by the new commit " + plan.Target.Short() + "."
	}
	return plan, nil
}

// codeElsewhere refuses to revert to a commit that is not an ancestor of HEAD. --reset can
// go there, but then no branch contains the commits of this branch alone.
func (r *rollback) codeElsewhere(ctx context.Context, head, to *git.Commit) error {
	behind, err := r.countBetween(ctx, head, to)
	if err != nil {
		return err
	}
	message := fmt.Sprintf("code commit %s is not in the history of HEAD, so that later commits cannot be reverted",
		to.ID.Short())
	memory := "git context rollback " + r.to.Commit().ID.Short()
	reset := memory + " --code --reset"
	if behind > 0 {
		message += fmt.Sprintf("; --reset would leave %s of this branch behind", prose.Count(behind, "commit"))
		reset = "git branch kept-of-" + head.ID.Short() + " && " + reset
	}
	return fail.New(fail.ErrRefused, fail.CodeElsewhere, message, memory, reset)
}

// countBetween counts the commits that head reaches and to does not.
func (r *rollback) countBetween(ctx context.Context, head, to *git.Commit) (int, error) {
	out, err := r.Store.Repo().View(ctx, "rev-list", "--count", "--end-of-options", string(head.ID),
		"^"+string(to.ID), "--")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, fmt.Errorf("git rev-list: %w", err)
	}
	return n, nil
}

// writeRevert makes the code commit with the old tree: by the user, signed as the user's
// commits are.
func (r *rollback) writeRevert(ctx context.Context, head, to *git.Commit) (git.ID, error) {
	cfg, err := r.Store.Repo().Config(ctx)
	if err != nil {
		return "", err
	}
	text, err := r.revertMessage(ctx, head, to)
	if err != nil {
		return "", err
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", string(to.Tree), "-p", string(head.ID), "-F", "-"}
	switch sign, err := cfg.Bool("commit.gpgSign", false); { // commit-tree ignores it
	case err != nil:
		return "", err
	case sign:
		args = append(args, "-S")
	}
	var out bytes.Buffer
	o := git.UserOptions{Input: []byte(text), Out: &out, Err: r.o.Code.Output, Terminal: r.o.Code.Terminal}
	if err := r.Store.Repo().RunUser(ctx, o, args...); err != nil {
		return "", fmt.Errorf("cannot make the commit that takes the code back: %w", err)
	}
	id := git.ID(strings.TrimSpace(out.String()))
	if !git.IsID(string(id)) {
		return "", fmt.Errorf("git commit-tree: cannot understand '%s'", prose.OneLine(out.String(), 100))
	}
	return id, nil
}

// revertMessage returns the message of that commit.
func (r *rollback) revertMessage(ctx context.Context, head, to *git.Commit) (string, error) {
	list, err := r.Store.Repo().View(ctx, "log", "--format=%h %s", "--abbrev=10", "--no-color", "-n",
		strconv.Itoa(maxReverted),
		"--end-of-options", string(head.ID), "^"+string(to.ID), "--")
	if err != nil {
		return "", err
	}
	n, err := r.countBetween(ctx, head, to)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Revert to \"%s\"\n\nThe code is as it was at %s. This takes back:\n\n",
		prose.OneLine(to.Subject(), 100), to.ID)
	for line := range strings.Lines(string(list)) {
		text.WriteString(prose.OneLine(line, 120) + "\n")
	}
	if n > maxReverted {
		fmt.Fprintf(&text, "and %d more\n", n-maxReverted)
	}
	return text.String(), nil
}

// finishRollback writes the memory commit of an intent whose code has moved.
func finishRollback(ctx context.Context, tx *store.Transaction, in *Intent) (RollbackResult, error) {
	to, err := tx.Store.Repo().Commit(ctx, git.ID(in.Rollback.To))
	if err != nil {
		return RollbackResult{}, unfinished(tx.Store, in, err)
	}
	r := &rollback{Transaction: tx, o: in.Rollback.RollbackOptions, to: tx.Store.TipOf(in.Branch, to), intent: in}
	r.o.Branch = in.Branch
	if r.replaced, err = r.describe(ctx, tx.Store); err != nil {
		return RollbackResult{}, unfinished(tx.Store, in, err)
	}
	return r.restore(ctx)
}

// quoteSome names the first few of a list of paths.
func quoteSome(paths []string) string {
	const most = 5
	var b strings.Builder
	for i, path := range paths[:min(most, len(paths))] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + prose.OneLine(path, 200) + "'")
	}
	if more := len(paths) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
