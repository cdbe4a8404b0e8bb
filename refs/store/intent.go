package store

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
	Worktree string          `json:"worktree"`
	Head     git.ID          `json:"head"` // of the code before; "" while it is unborn
	Commit   *CommitOptions  `json:"commit,omitempty"`
	Rollback *rollbackIntent `json:"rollback,omitempty"`
}

// rollbackIntent is the part of a rollback.
type rollbackIntent struct {
	RollbackOptions

	Target git.ID `json:"target"` // where HEAD goes
	Made   bool   `json:"made"`   // Target was made for it, and gets its link
	Said   string `json:"said"`   // what the milestone says of the code
}

const (
	codeIntentVersion = 1
)

func IntentName(branch string) string { return IntentDir + "/" + git.FileName(branch, ".json") }

// newIntent begins an intent on a branch that is at tip.
func (ses *Transaction) newIntent(ctx context.Context, branch string, tip git.ID) (*Intent, error) {
	token, err := ses.Store.NewID("")
	if err != nil {
		return nil, err
	}
	head, err := ses.Store.CodeHead(ctx)
	if err != nil {
		return nil, err
	}
	return &Intent{Version: codeIntentVersion, Token: token, Branch: branch, Tip: tip, Head: head, Worktree: ses.Store.repo.WorktreeDir()}, nil
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
func (in *Intent) writer() Writer {
	if in.Rollback != nil {
		return in.Rollback.Writer
	}
	return in.Commit.Writer
}

// readIntent reads what was left on a branch; nil, after one look at the disk, where
// nothing was.
func (s *Store) readIntent(branch string) (*Intent, error) {
	in := new(Intent)
	found, bad, err := s.ReadState(IntentName(branch), in)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || in.Version != codeIntentVersion || (in.Commit == nil) == (in.Rollback == nil) {
		return nil, &fail.Error{Code: fail.IntentUnreadable, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("a commit or rollback of branch '%s' with --code was interrupted, and what it set out to do cannot be read", branch),
			Hints: []string{"git log -g -3 shows in '(context ...)' whether it moved the code",
				"rm " + prose.ShellQuoted(s.StatePath(IntentName(branch))) + " forgets it; what is recorded stays pending"}}
	}
	return in, nil
}

func (s *Store) writeIntent(in *Intent) error {
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return s.repo.WriteStateFile(IntentName(in.Branch), append(data, '\n'))
}

func (s *Store) dropIntent(in *Intent) error {
	if err := os.Remove(s.StatePath(IntentName(in.Branch))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// inHookOf refuses to wait for a branch in a hook that git runs for an intent: the
// intent's writer waits for the hook.
func (s *Store) inHookOf(branch string) error {
	action := s.repo.Getenv("GIT_REFLOG_ACTION")
	if !strings.Contains(action, "(context ") {
		return nil
	}
	in, err := s.readIntent(branch)
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
func (ses *Transaction) settle(ctx context.Context, branch string) error {
	in, err := ses.Store.readIntent(branch)
	if err != nil || in == nil {
		return err
	}
	code, err := ses.Store.movedTo(ctx, in, false)
	if err != nil {
		return ses.Store.unknown(in, err)
	}
	if code == "" {
		if !ses.Store.repo.HasWorktree(in.Worktree) { // the commit may stand on a branch
			ses.Store.Tell(fmt.Sprintf("'git context %s' was interrupted in a worktree that is gone; it is given up, and what is recorded stays pending", in.command()))
		}
		return ses.Store.dropIntent(in)
	}
	_, err = ses.Store.Tip(ctx, branch)
	if errors.Is(err, fail.ErrNotFound) || errors.Is(err, fail.ErrNoMemory) { // taken away by other means than ours
		ses.Store.Tell(fmt.Sprintf("'git context %s' was interrupted, and branch '%s' is gone: code commit %s has no milestone",
			in.command(), branch, code.Short()))
		return ses.Store.dropIntent(in)
	}
	if err != nil {
		return err
	}
	id, warnings, err := ses.finish(ctx, in, code)
	if err != nil {
		return ses.Store.unfinished(in, err)
	}
	ses.Store.Tell(fmt.Sprintf("'git context %s' was interrupted once the code had moved to %s; it is finished now: milestone %s",
		in.command(), code.Short(), id))
	for _, w := range warnings {
		ses.Store.Tell(w)
	}
	return nil
}

// finish does what an intent still lacks, in a session of its writer's, and returns
// the milestone's id.
func (ses *Transaction) finish(ctx context.Context, in *Intent, code git.ID) (id string, warnings []string, err error) {
	cfg, err := ses.Store.repo.Config(ctx)
	if err != nil {
		return "", nil, err
	}
	as := &Transaction{Store: ses.Store, w: in.writer(), by: ses.by, locks: ses.locks, code: code}
	if as.sign, err = as.w.Sign.wanted(cfg); err != nil {
		return "", nil, err
	}
	if err := as.start(ctx, in.command()); err != nil {
		return "", nil, err
	}
	defer as.Tx.Close()
	made, err := as.madeFor(ctx, in)
	switch {
	case err != nil:
		return "", nil, err
	case made != nil:
		return made.Trailer(TrailerID), in.incomplete(as.complete(ctx, in, made)), nil
	case in.Rollback != nil:
		res, err := as.finishRollback(ctx, in)
		return res.ID, res.Warnings, err
	}
	res, err := as.finishCommit(ctx, in)
	return res.ID, res.Warnings, err
}

// madeFor is the milestone that an intent led to already; nil if there is none.
func (ses *Transaction) madeFor(ctx context.Context, in *Intent) (*git.Commit, error) {
	tip, err := ses.Store.repo.Ref(ctx, git.BranchRef(in.Branch))
	if err != nil || tip == in.Tip {
		return nil, err
	}
	since, err := ses.Store.repo.Between(ctx, in.Tip, "..", tip)
	if err != nil {
		return nil, err
	}
	for _, id := range since {
		c, err := ses.Store.repo.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if c.Trailer(TrailerID) != "" && git.ID(c.Trailer(TrailerCode)) == ses.code && BranchOf(c) == in.Branch {
			return c, nil
		}
	}
	return nil, nil
}

// complete does what comes behind the branch's move: what is said of the milestone, if
// it is not noted yet, and its link. Then the intent is done.
func (ses *Transaction) complete(ctx context.Context, in *Intent, m *git.Commit) error {
	if in.Commit != nil && !in.Commit.Judging.Empty() {
		if err := ses.judgeOnce(ctx, m, in.Commit.Judging); err != nil {
			return err
		}
	}
	if in.Rollback == nil || in.Rollback.Made {
		if err := ses.Link(ctx, ses.code, m); err != nil {
			return err
		}
	}
	fault.Point("after-link")
	return ses.Store.dropIntent(in)
}

// unfinished says that the code has moved, and memory has not.
func (s *Store) unfinished(in *Intent, err error) error {
	return s.left(in, err, "the code has moved, but what 'git context %s' is to make of it on branch '%s' cannot be made yet")
}

// unknown says that it is not known whether the code has moved.
func (s *Store) unknown(in *Intent, err error) error {
	return s.left(in, err, "whether 'git context %s' of branch '%s' has moved the code cannot be found out")
}

// left words that an intent stays where it is.
func (s *Store) left(in *Intent, err error, message string) error {
	var already *fail.Error
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &already) && already.Code == fail.IntentUnfinished {
		return err
	}
	return &fail.Error{Code: fail.IntentUnfinished, Kind: fail.ErrRefused, Err: err, Message: fmt.Sprintf(message, in.command(), in.Branch),
		Hints: []string{"nothing is lost: the next command that changes the branch tries again, for example: git context commit -m SUMMARY",
			"rm " + prose.ShellQuoted(s.StatePath(IntentName(in.Branch))) + " gives it up; what is recorded stays pending"}}
}
