package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
)

// commitBoth is COMMIT together with a commit of the code:
//
//  1. what cannot become a code commit is refused;
//  2. the milestone is built, and nothing moves: this proves that it can be;
//  3. the intent is written;
//  4. git commits the code, by the user's own rules and with the same message;
//  5. the milestone is built anew, with what was recorded meanwhile, and the branch moves;
//  6. the code commit's note links it, and the intent is removed.
//
// The commit lock is held throughout. What dies before 4 has moved the code has done
// nothing; what dies behind it is finished by the branch's next session, see settle.
func (ses *Transaction) commitBoth(ctx context.Context, branch string, o CommitOptions) (CommitResult, error) {
	if _, err := ses.Store.Tip(ctx, branch); err != nil {
		return CommitResult{}, err
	}
	if err := ses.Store.mayCommitCode(ctx, o.Code.All); err != nil {
		return CommitResult{}, err
	}
	rehearsed, err := ses.Commit(ctx, branch, o)
	if err == nil {
		err = ses.Tx.Rehearse()
	}
	if err != nil {
		return CommitResult{}, err
	}
	in, err := ses.newIntent(ctx, branch, rehearsed.commit.Parents[0])
	if err != nil {
		return CommitResult{}, err
	}
	o.Writer, in.Commit = ses.w, &o
	if err := ses.Store.writeIntent(in); err != nil {
		return CommitResult{}, err
	}
	fault.Point("after-intent")
	args := []string{"commit", "-F", "-"}
	if o.Code.All {
		args = append(args, "-a")
	}
	failed := ses.Store.repo.RunUser(ctx, ses.asUser(in, o.Code, codeMessage(o)), args...)
	if ses.code, err = ses.Store.movedTo(ctx, in, failed == nil); err != nil {
		return CommitResult{}, ses.Store.unknown(in, errors.Join(failed, err))
	}
	if ses.code == "" {
		return CommitResult{}, errors.Join(noCodeCommit(failed), ses.Store.dropIntent(in))
	}
	fault.Point("after-code")
	if ses.by.When, err = ses.Store.time(); err != nil { // hooks may take long, and memory is no older than its code
		return CommitResult{}, ses.Store.unfinished(in, err)
	}
	res, err := ses.finishCommit(ctx, in)
	if failed != nil {
		res.Warnings = append(res.Warnings, "once the code commit was made: "+failed.Error())
	}
	return res, err
}

// asUser is how git is run for an intent. It holds the commit lock too: while it
// lives, whoever killed this process, nobody may judge by the reflog.
func (ses *Transaction) asUser(in *Intent, o *CodeOptions, input []byte) git.UserOptions {
	return git.UserOptions{Action: in.action(), Input: input, Out: o.Output, Err: o.Output, Terminal: o.Terminal, Keep: ses.held()}
}

// codeMessage is what a code commit shares with its milestone.
func codeMessage(o CommitOptions) []byte {
	if o.Contribution == o.Summary {
		return []byte(o.Summary + "\n")
	}
	return []byte(o.Summary + "\n\n" + o.Contribution + "\n")
}

// noCodeCommit words why git made no code commit. Its own words, and those of hooks,
// have been shown; a signal needs none.
func noCodeCommit(failed error) error {
	if errors.Is(failed, context.Canceled) {
		return failed
	}
	e := &fail.Error{Code: fail.CodeRefused, Kind: fail.ErrRefused, Err: failed, Message: "no code commit was made, and no milestone"}
	var child *git.Error
	if errors.As(failed, &child) && child.Code > 0 {
		e.Hints = []string{"git, or a hook, has said why; what is recorded stays pending"}
	}
	return e
}

// mayCommitCode refuses where git commit would find nothing to commit: memory must not
// be committed alone by surprise. What ends a merge may hold no change.
func (s *Store) mayCommitCode(ctx context.Context, all bool) error {
	if s.repo.WorkTree() == "" {
		return fail.New(fail.ErrRefused, fail.NoWorktree, "there is no worktree here to commit code from", "git context commit -m SUMMARY")
	}
	switch doing, err := s.repo.InProgress(ctx); {
	case err != nil:
		return err
	case doing == "merge", doing == "cherry-pick", doing == "revert":
		return nil
	}
	changed, err := s.repo.Edited(ctx, true)
	if err == nil && len(changed) == 0 && all {
		changed, err = s.repo.Edited(ctx, false)
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

// finishCommit makes the milestone of an intent whose code commit is made. It must not
// fail at what others did meanwhile: a roadmap whose item is gone is left as it is.
func (ses *Transaction) finishCommit(ctx context.Context, in *Intent) (CommitResult, error) {
	res, made, err := ses.milestone(ctx, in.Branch, *in.Commit)
	var wrong *fail.Error
	if errors.As(err, &wrong) && wrong.Code == fail.ItemNotFound {
		o := *in.Commit
		o.Roadmap = RoadmapChange{}
		res, made, err = ses.milestone(ctx, in.Branch, o)
		res.Warnings = append(res.Warnings, "roadmap not revised: "+wrong.Message)
	}
	if err != nil {
		return res, ses.Store.unfinished(in, err)
	}
	res.Warnings = append(res.Warnings, in.incomplete(ses.complete(ctx, in, made))...)
	return res, nil
}

// judgeOnce says of a milestone what its writer said, unless it was said.
func (ses *Transaction) judgeOnce(ctx context.Context, m *git.Commit, j Judging) error {
	note, err := notes.Read(ctx, ses.Store.repo, m.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(notes.Parse(note), func(f notes.Fact) bool {
		return f.Kind == notes.KindScore || f.Kind == notes.KindOutcome || f.Kind == notes.KindTag
	}) {
		return nil
	}
	return ses.said(ctx, m, j)
}

// incomplete is a warning: the milestone stands, and what is missing will be made up for.
func (in *Intent) incomplete(err error) []string {
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("milestone made, but not all of its notes; the next command that changes branch '%s' goes on: %v", in.Branch, err)}
}
