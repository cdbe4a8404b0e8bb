package code

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Commit is COMMIT together with a commit of the code (`commit --code`), on a branch that
// the transaction has locked:
//
//  1. a state in which git commit would make no code commit is refused;
//  2. the memory commit is built, and nothing moves: this proves that it can be;
//  3. the intent is written;
//  4. git commits the code, by the user's own settings and hooks, with the same message;
//  5. the memory commit is built again, with the steps recorded meanwhile, and the branch moves;
//  6. the note of the code commit links it, and the intent is removed.
//
// A process that dies before 4 has moved the code has done nothing. If it dies later, the
// next transaction of the branch finishes it, see SettleIntent. It returns an error of the
// kind fail.ErrRefused if git makes no code commit, and of the code fail.IntentUnfinished
// if memory could not follow the code yet.
func Commit(ctx context.Context, tx *store.Transaction, branch string,
	o store.CommitOptions) (store.CommitResult, error) {
	if _, err := tx.Store.Tip(ctx, branch); err != nil {
		return store.CommitResult{}, err
	}
	if err := mayCommitCode(ctx, tx.Store, o.Code.All); err != nil {
		return store.CommitResult{}, err
	}
	rehearsed, err := tx.BuildCommit(ctx, branch, o)
	if err == nil {
		err = tx.Refs.Rehearse()
	}
	if err != nil {
		return store.CommitResult{}, err
	}
	in, err := newIntent(ctx, tx, branch, rehearsed.Commit.Parents[0])
	if err != nil {
		return store.CommitResult{}, err
	}
	o.Writer, in.Commit = tx.Writer, &o
	if err := writeIntent(tx.Store, in); err != nil {
		return store.CommitResult{}, err
	}
	fault.Point("after-intent")
	args := []string{"commit", "-F", "-"}
	if o.Code.All {
		args = append(args, "-a")
	}
	failed := tx.Store.Repo().RunUser(ctx, asUser(tx, in, o.Code, codeMessage(o)), args...)
	if tx.Code, err = movedTo(ctx, tx.Store, in, failed == nil); err != nil {
		return store.CommitResult{}, unknown(tx.Store, in, errors.Join(failed, err))
	}
	if tx.Code == "" {
		return store.CommitResult{}, errors.Join(noCodeCommit(failed), dropIntent(tx.Store, in))
	}
	fault.Point("after-code")
	// hooks may run long, and memory must not be older than its code
	if tx.Signature.When, err = tx.Store.Stamp(); err != nil {
		return store.CommitResult{}, unfinished(tx.Store, in, err)
	}
	res, err := finishCommit(ctx, tx, in)
	if failed != nil {
		res.Warnings = append(res.Warnings, "once the code commit was made: "+failed.Error())
	}
	return res, err
}

// asUser returns how git is run for an intent. The child inherits the commit lock: while it
// lives, no other process may judge by the reflog, even if this one is killed.
func asUser(tx *store.Transaction, in *Intent, o *store.CodeOptions, input []byte) git.UserOptions {
	return git.UserOptions{Action: in.action(), Input: input, Out: o.Output, Err: o.Output, Terminal: o.Terminal,
		Keep: tx.LockFiles()}
}

// codeMessage returns the message that the code commit and the memory commit share.
func codeMessage(o store.CommitOptions) []byte {
	if o.Contribution == o.Summary {
		return []byte(o.Summary + "\n")
	}
	return []byte(o.Summary + "\n\n" + o.Contribution + "\n")
}

// noCodeCommit is the error if git made no code commit. Git and its hooks have printed the
// reason already; for a signal no reason is needed.
func noCodeCommit(failed error) error {
	if errors.Is(failed, context.Canceled) {
		return failed
	}
	e := &fail.Error{Code: fail.CodeRefused, Kind: fail.ErrRefused, Err: failed,
		Message: "no code commit was made, and no memory commit"}
	var child *git.Error
	if errors.As(failed, &child) && child.Code > 0 {
		e.Hints = []string{"git or a hook printed the reason; recorded steps stay pending"}
	}
	return e
}

// mayCommitCode refuses if git commit would find nothing to commit: memory alone must not
// be committed by surprise. A commit that concludes a merge may be without changes.
func mayCommitCode(ctx context.Context, s *store.Store, all bool) error {
	if s.Repo().WorkTree() == "" {
		return fail.New(fail.ErrRefused, fail.NoWorktree, "there is no worktree here to commit code from",
			"git context commit -m SUMMARY")
	}
	switch doing, err := s.Repo().InProgress(ctx); {
	case err != nil:
		return err
	case doing == "merge", doing == "cherry-pick", doing == "revert":
		return nil
	}
	changed, err := s.Repo().Edited(ctx, true)
	if err == nil && len(changed) == 0 && all {
		changed, err = s.Repo().Edited(ctx, false)
	}
	switch {
	case err != nil || len(changed) > 0:
		return err
	case all:
		return fail.New(fail.ErrRefused, fail.NothingChanged, "nothing has changed in the tracked files of the code",
			"git add FILE...", "git context commit -m SUMMARY")
	}
	return fail.New(fail.ErrRefused, fail.NothingStaged, "nothing is staged for a code commit", "git add FILE...",
		"git context commit --code -a -m SUMMARY", "git context commit -m SUMMARY")
}

// finishCommit writes the memory commit of an intent whose code commit exists. A change by
// others must not make it fail: if the item of the roadmap is gone, the roadmap stays as it
// is.
func finishCommit(ctx context.Context, tx *store.Transaction, in *Intent) (store.CommitResult, error) {
	res, made, err := tx.MakeCommit(ctx, in.Branch, *in.Commit)
	var wrong *fail.Error
	if errors.As(err, &wrong) && wrong.Code == fail.ItemNotFound {
		o := *in.Commit
		o.Roadmap = store.RoadmapChange{}
		res, made, err = tx.MakeCommit(ctx, in.Branch, o)
		res.Warnings = append(res.Warnings, "roadmap not revised: "+wrong.Message)
	}
	if err != nil {
		return res, unfinished(tx.Store, in, err)
	}
	res.Warnings = append(res.Warnings, in.incomplete(complete(ctx, tx, in, made))...)
	return res, nil
}

// writeJudgementOnce notes a judgement of a memory commit, unless its note contains one.
func writeJudgementOnce(ctx context.Context, tx *store.Transaction, m *git.Commit, j store.Judgement) error {
	note, err := notes.Read(ctx, tx.Store.Repo(), m.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(notes.Parse(note), func(f notes.Fact) bool {
		return f.Kind == notes.KindScore || f.Kind == notes.KindOutcome || f.Kind == notes.KindTag
	}) {
		return nil
	}
	return tx.WriteJudgement(ctx, m, j)
}

// incomplete is a warning for a memory commit whose notes are still to be written.
func (in *Intent) incomplete(err error) []string {
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("memory commit made, but not all of its notes; "+
		"the next command that changes branch '%s' continues: %v", in.Branch, err)}
}
