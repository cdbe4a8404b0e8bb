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
func Commit(ctx context.Context, ses *store.Transaction, branch string, o store.CommitOptions) (store.CommitResult, error) {
	if _, err := ses.Store.Tip(ctx, branch); err != nil {
		return store.CommitResult{}, err
	}
	if err := mayCommitCode(ctx, ses.Store, o.Code.All); err != nil {
		return store.CommitResult{}, err
	}
	rehearsed, err := ses.BuildCommit(ctx, branch, o)
	if err == nil {
		err = ses.Refs.Rehearse()
	}
	if err != nil {
		return store.CommitResult{}, err
	}
	in, err := newIntent(ctx, ses, branch, rehearsed.Commit.Parents[0])
	if err != nil {
		return store.CommitResult{}, err
	}
	o.Writer, in.Commit = ses.Writer, &o
	if err := writeIntent(ses.Store, in); err != nil {
		return store.CommitResult{}, err
	}
	fault.Point("after-intent")
	args := []string{"commit", "-F", "-"}
	if o.Code.All {
		args = append(args, "-a")
	}
	failed := ses.Store.Repo().RunUser(ctx, asUser(ses, in, o.Code, codeMessage(o)), args...)
	if ses.Code, err = movedTo(ctx, ses.Store, in, failed == nil); err != nil {
		return store.CommitResult{}, unknown(ses.Store, in, errors.Join(failed, err))
	}
	if ses.Code == "" {
		return store.CommitResult{}, errors.Join(noCodeCommit(failed), dropIntent(ses.Store, in))
	}
	fault.Point("after-code")
	if ses.Signature.When, err = ses.Store.Stamp(); err != nil { // hooks may take long, and memory is no older than its code
		return store.CommitResult{}, unfinished(ses.Store, in, err)
	}
	res, err := finishCommit(ctx, ses, in)
	if failed != nil {
		res.Warnings = append(res.Warnings, "once the code commit was made: "+failed.Error())
	}
	return res, err
}

// asUser is how git is run for an intent. It holds the commit lock too: while it
// lives, whoever killed this process, nobody may judge by the reflog.
func asUser(ses *store.Transaction, in *Intent, o *store.CodeOptions, input []byte) git.UserOptions {
	return git.UserOptions{Action: in.action(), Input: input, Out: o.Output, Err: o.Output, Terminal: o.Terminal, Keep: ses.LockFiles()}
}

// codeMessage is what a code commit shares with its milestone.
func codeMessage(o store.CommitOptions) []byte {
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
func mayCommitCode(ctx context.Context, s *store.Store, all bool) error {
	if s.Repo().WorkTree() == "" {
		return fail.New(fail.ErrRefused, fail.NoWorktree, "there is no worktree here to commit code from", "git context commit -m SUMMARY")
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

// finishCommit makes the milestone of an intent whose code commit is made. It must not
// fail at what others did meanwhile: a roadmap whose item is gone is left as it is.
func finishCommit(ctx context.Context, ses *store.Transaction, in *Intent) (store.CommitResult, error) {
	res, made, err := ses.MakeCommit(ctx, in.Branch, *in.Commit)
	var wrong *fail.Error
	if errors.As(err, &wrong) && wrong.Code == fail.ItemNotFound {
		o := *in.Commit
		o.Roadmap = store.RoadmapChange{}
		res, made, err = ses.MakeCommit(ctx, in.Branch, o)
		res.Warnings = append(res.Warnings, "roadmap not revised: "+wrong.Message)
	}
	if err != nil {
		return res, unfinished(ses.Store, in, err)
	}
	res.Warnings = append(res.Warnings, in.incomplete(complete(ctx, ses, in, made))...)
	return res, nil
}

// writeJudgementOnce says of a milestone what its writer said, unless it was said.
func writeJudgementOnce(ctx context.Context, ses *store.Transaction, m *git.Commit, j store.Judgement) error {
	note, err := notes.Read(ctx, ses.Store.Repo(), m.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(notes.Parse(note), func(f notes.Fact) bool {
		return f.Kind == notes.KindScore || f.Kind == notes.KindOutcome || f.Kind == notes.KindTag
	}) {
		return nil
	}
	return ses.WriteJudgement(ctx, m, j)
}

// incomplete is a warning: the milestone stands, and what is missing will be made up for.
func (in *Intent) incomplete(err error) []string {
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("milestone made, but not all of its notes; the next command that changes branch '%s' goes on: %v", in.Branch, err)}
}
