package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// intent is what `commit --code` or `rollback --code` has set out to do: one file of
// local state for a branch, written before the code is touched and removed when all is
// done. The branch's commit lock is held throughout, by git too while it runs, so that
// whoever holds the lock and finds a file knows that its writer is dead. Then either
// the code has moved, and memory follows; or it has not, and nothing was begun.
type Intent struct {
	Version int    `json:"version"`
	Token   string `json:"token"` // stands in the reflog of HEAD where the code moved
	Branch  string `json:"branch"`
	Tip     git.ID `json:"tip"` // of the branch before
	// Worktree is the one whose HEAD moves, see [git.Repo.WorktreeDir].
	Worktree string               `json:"worktree"`
	Head     git.ID               `json:"head"` // of the code before; "" while it is unborn
	Commit   *store.CommitOptions `json:"commit,omitempty"`
	Rollback *rollbackIntent      `json:"rollback,omitempty"`
}

// rollbackIntent is the part of a rollback.
type rollbackIntent struct {
	RollbackOptions

	Target git.ID `json:"target"` // where HEAD goes
	Made   bool   `json:"made"`   // Target was made for it, and gets its link
	Report string `json:"said"`   // what the milestone says of the code
}

const (
	codeIntentVersion = 1
)

func IntentFile(branch string) string { return store.IntentDir + "/" + git.FileName(branch, ".json") }

// newIntent begins an intent on a branch that is at tip.
func newIntent(ctx context.Context, ses *store.Transaction, branch string, tip git.ID) (*Intent, error) {
	token, err := ses.Store.NewID("")
	if err != nil {
		return nil, err
	}
	head, err := ses.Store.CodeHead(ctx)
	if err != nil {
		return nil, err
	}
	return &Intent{Version: codeIntentVersion, Token: token, Branch: branch, Tip: tip, Head: head, Worktree: ses.Store.Repo().WorktreeDir()}, nil
}

// command is what the user ran.
func (in *Intent) command() string {
	if in.Rollback != nil {
		return "rollback --code"
	}
	return "commit --code"
}

// mark is what a line of the reflog holds that came of an intent.
func (in *Intent) mark() string { return "(context " + in.Token + ")" }

// action is what such a line begins with: git's own word, and the mark.
func (in *Intent) action() string {
	if in.Rollback != nil {
		return "rollback " + in.mark()
	}
	return "commit " + in.mark()
}

// writer is who asked for it.
func (in *Intent) writer() store.Writer {
	if in.Rollback != nil {
		return in.Rollback.Writer
	}
	return in.Commit.Writer
}

// readIntent reads what was left on a branch; nil, after one look at the disk, where
// nothing was.
func readIntent(s *store.Store, branch string) (*Intent, error) {
	in := new(Intent)
	found, bad, err := s.ReadState(IntentFile(branch), in)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || in.Version != codeIntentVersion || (in.Commit == nil) == (in.Rollback == nil) {
		return nil, &fail.Error{Code: fail.IntentUnreadable, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("a commit or rollback of branch '%s' with --code was interrupted, and what it set out to do cannot be read", branch),
			Hints: []string{"git log -g -3 shows in '(context ...)' whether it moved the code",
				"rm " + prose.ShellQuoted(s.StatePath(IntentFile(branch))) + " forgets it; what is recorded stays pending"}}
	}
	return in, nil
}

func writeIntent(s *store.Store, in *Intent) error {
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(IntentFile(in.Branch), append(data, '\n'))
}

func dropIntent(s *store.Store, in *Intent) error {
	if err := os.Remove(s.StatePath(IntentFile(in.Branch))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// inHookOf refuses to wait for a branch in a hook that git runs for an intent: the
// intent's writer waits for the hook.
func CheckHook(s *store.Store, branch string) error {
	action := s.Repo().Getenv("GIT_REFLOG_ACTION")
	if !strings.Contains(action, "(context ") {
		return nil
	}
	in, err := readIntent(s, branch)
	if err != nil || in == nil || !strings.Contains(action, in.mark()) {
		return err
	}
	return fail.New(fail.ErrRefused, fail.BranchBusy, fmt.Sprintf("branch '%s' waits for the hook that this is run in, of 'git context %s'", branch, in.command()),
		"git context record -o TEXT", "git context -b OTHER commit -m SUMMARY")
}

// settle finishes or forgets what an interrupted command left on a branch, whose lock
// is held:
//
//  1. nothing was left;
//  2. the code has not moved, or its worktree is gone: forgotten;
//  3. the code has moved: the milestone is made, unless it stands already, and linked.
func SettleIntent(ctx context.Context, ses *store.Transaction, branch string) error {
	in, err := readIntent(ses.Store, branch)
	if err != nil || in == nil {
		return err
	}
	code, err := movedTo(ctx, ses.Store, in, false)
	if err != nil {
		return unknown(ses.Store, in, err)
	}
	if code == "" {
		if !ses.Store.Repo().HasWorktree(in.Worktree) { // the commit may stand on a branch
			ses.Store.Warn(fmt.Sprintf("'git context %s' was interrupted in a worktree that is gone; it is given up, and what is recorded stays pending", in.command()))
		}
		return dropIntent(ses.Store, in)
	}
	_, err = ses.Store.Tip(ctx, branch)
	if errors.Is(err, fail.ErrNotFound) || errors.Is(err, fail.ErrNoMemory) { // taken away by other means than ours
		ses.Store.Warn(fmt.Sprintf("'git context %s' was interrupted, and branch '%s' is gone: code commit %s has no milestone",
			in.command(), branch, code.Short()))
		return dropIntent(ses.Store, in)
	}
	if err != nil {
		return err
	}
	id, warnings, err := finish(ctx, ses, in, code)
	if err != nil {
		return unfinished(ses.Store, in, err)
	}
	ses.Store.Warn(fmt.Sprintf("'git context %s' was interrupted once the code had moved to %s; it is finished now: milestone %s",
		in.command(), code.Short(), id))
	for _, w := range warnings {
		ses.Store.Warn(w)
	}
	return nil
}

// finish does what an intent still lacks, in a session of its writer's, and returns
// the milestone's id.
func finish(ctx context.Context, ses *store.Transaction, in *Intent, code git.ID) (id string, warnings []string, err error) {
	cfg, err := ses.Store.Repo().Config(ctx)
	if err != nil {
		return "", nil, err
	}
	as := &store.Transaction{Store: ses.Store, Writer: in.writer(), Signature: ses.Signature, Locks: ses.Locks, Code: code}
	if as.Sign, err = as.Writer.Sign.Wanted(cfg); err != nil {
		return "", nil, err
	}
	if err := as.Start(ctx, in.command()); err != nil {
		return "", nil, err
	}
	defer as.Refs.Close()
	made, err := madeFor(ctx, as, in)
	switch {
	case err != nil:
		return "", nil, err
	case made != nil:
		return made.Trailer(store.TrailerID), in.incomplete(complete(ctx, as, in, made)), nil
	case in.Rollback != nil:
		res, err := finishRollback(ctx, as, in)
		return res.ID, res.Warnings, err
	}
	res, err := finishCommit(ctx, as, in)
	return res.ID, res.Warnings, err
}

// madeFor is the milestone that an intent led to already; nil if there is none.
func madeFor(ctx context.Context, ses *store.Transaction, in *Intent) (*git.Commit, error) {
	tip, err := ses.Store.Repo().Ref(ctx, git.BranchRef(in.Branch))
	if err != nil || tip == in.Tip {
		return nil, err
	}
	since, err := ses.Store.Repo().Between(ctx, in.Tip, "..", tip)
	if err != nil {
		return nil, err
	}
	for _, id := range since {
		c, err := ses.Store.Repo().Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if c.Trailer(store.TrailerID) != "" && git.ID(c.Trailer(store.TrailerCode)) == ses.Code && store.BranchOf(c) == in.Branch {
			return c, nil
		}
	}
	return nil, nil
}

// complete does what comes behind the branch's move: what is said of the milestone, if
// it is not noted yet, and its link. Then the intent is done.
func complete(ctx context.Context, ses *store.Transaction, in *Intent, m *git.Commit) error {
	if in.Commit != nil && !in.Commit.Judging.Empty() {
		if err := writeJudgementOnce(ctx, ses, m, in.Commit.Judging); err != nil {
			return err
		}
	}
	if in.Rollback == nil || in.Rollback.Made {
		if err := WriteLink(ctx, ses, ses.Code, m); err != nil {
			return err
		}
	}
	fault.Point("after-link")
	return dropIntent(ses.Store, in)
}

// unfinished says that the code has moved, and memory has not.
func unfinished(s *store.Store, in *Intent, err error) error {
	return intentError(s, in, err, "the code has moved, but what 'git context %s' is to make of it on branch '%s' cannot be made yet")
}

// unknown says that it is not known whether the code has moved.
func unknown(s *store.Store, in *Intent, err error) error {
	return intentError(s, in, err, "whether 'git context %s' of branch '%s' has moved the code cannot be found out")
}

// intentError words that an intent stays where it is.
func intentError(s *store.Store, in *Intent, err error, message string) error {
	var already *fail.Error
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &already) && already.Code == fail.IntentUnfinished {
		return err
	}
	return &fail.Error{Code: fail.IntentUnfinished, Kind: fail.ErrRefused, Err: err, Message: fmt.Sprintf(message, in.command(), in.Branch),
		Hints: []string{"nothing is lost: the next command that changes the branch tries again, for example: git context commit -m SUMMARY",
			"rm " + prose.ShellQuoted(s.StatePath(IntentFile(in.Branch))) + " gives it up; what is recorded stays pending"}}
}
