package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Intent is what `commit --code` or `rollback --code` is about to do: a file of local state
// for each branch, written before the code changes and removed at the end. The commit lock
// of the branch is locked for all of that time, also by git while it runs. Therefore a
// process that has the lock and finds a file knows that its writer is dead. Then either the
// code has moved, and memory must follow, or nothing has happened.
type Intent struct {
	Version int    `json:"version"`
	Token   string `json:"token"` // is part of the reflog of HEAD if the code moved
	Branch  string `json:"branch"`
	Tip     git.ID `json:"tip"` // of the branch, before
	// Origin is that of the branch's lock. An intent that came with a copy of the repository, or an archive from
	// elsewhere, has another one: nothing says that the user of this copy ran the command.
	Origin string `json:"origin"`
	// Worktree is the worktree whose HEAD moves, see [git.Repo.WorktreeDir].
	Worktree string               `json:"worktree"`
	Head     git.ID               `json:"head"` // of the code, before; "" while it is unborn
	Commit   *store.CommitOptions `json:"commit,omitempty"`
	Rollback *rollbackIntent      `json:"rollback,omitempty"`
}

// rollbackIntent is the part of an Intent that only a rollback has.
type rollbackIntent struct {
	RollbackOptions

	Target git.ID `json:"target"` // the new HEAD
	Made   bool   `json:"made"`   // Target was made for the rollback, and gets its link
	Report string `json:"said"`   // the sentence about the code in the memory commit
	// Roadmap is the roadmap then: what others add until the rollback is finished is not undone.
	Roadmap git.ID `json:"roadmap,omitempty"`
}

// IntentVersion is the version of the file of an Intent.
const IntentVersion = 1

// IntentFile returns the path below the local state of a branch's Intent.
func IntentFile(branch string) string { return store.IntentDir + "/" + git.FileName(branch, ".json") }

// newIntent returns an intent for a branch whose tip is tip.
func newIntent(ctx context.Context, tx *store.Transaction, branch string, tip git.ID) (*Intent, error) {
	token, err := tx.Store.NewID("")
	if err != nil {
		return nil, err
	}
	head, err := tx.Store.CodeHead(ctx)
	if err != nil {
		return nil, err
	}
	return &Intent{Version: IntentVersion, Token: token, Branch: branch, Tip: tip, Head: head,
		Worktree: tx.Store.Repo().WorktreeDir(), Origin: tx.Store.Repo().LockOrigin(store.BranchLock(branch))}, nil
}

// command returns the command that the user ran.
func (in *Intent) command() string {
	if in.Rollback != nil {
		return "rollback --code"
	}
	return "commit --code"
}

// mark returns the text that identifies the intent in the reflog.
func (in *Intent) mark() string { return "(context " + in.Token + ")" }

// action returns how such a line of the reflog begins: git's own word, and the mark.
func (in *Intent) action() string {
	if in.Rollback != nil {
		return "rollback " + in.mark()
	}
	return "commit " + in.mark()
}

// writer returns the writer of the command.
func (in *Intent) writer() store.Writer {
	if in.Rollback != nil {
		return in.Rollback.Writer
	}
	return in.Commit.Writer
}

// ReadIntent reads the intent of a branch; nil, with one look at the disk, if there is
// none. The error for one that makes no sense has the code fail.IntentUnreadable.
func ReadIntent(s *store.Store, branch string) (*Intent, error) {
	in := new(Intent)
	found, bad, err := s.ReadState(IntentFile(branch), in)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || !in.sound(branch) {
		return nil, &fail.Error{Code: fail.IntentUnreadable, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("a commit or rollback of branch '%s' with --code was interrupted, "+
				"and the record of its work cannot be read", branch),
			Hints: []string{"git log -g -3 shows in '(context ...)' whether it moved the code",
				"git context fsck --fix sets it aside; recorded steps stay pending"}}
	}
	return in, nil
}

// sound reports whether an intent of a branch can have been written by this program: its names and hashes become
// arguments of git, and name refs and files.
func (in *Intent) sound(branch string) bool {
	hashes := []git.ID{in.Tip}
	if !in.Head.IsZero() {
		hashes = append(hashes, in.Head)
	}
	if in.Rollback != nil {
		hashes = append(hashes, in.Rollback.Target, git.ID(in.Rollback.To))
		if in.Rollback.Roadmap != "" {
			hashes = append(hashes, in.Rollback.Roadmap)
		}
	}
	return in.Version == IntentVersion && (in.Commit == nil) != (in.Rollback == nil) && in.Branch == branch && doc.ValidID(in.Token) &&
		!slices.ContainsFunc(hashes, func(id git.ID) bool { return !git.IsID(string(id)) })
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

// CheckHook refuses to wait for a branch in a hook that git runs for an intent of that
// branch: the writer of the intent waits for the hook. The error is of the kind
// fail.ErrRefused.
func CheckHook(s *store.Store, branch string) error {
	action := s.Repo().Getenv("GIT_REFLOG_ACTION")
	if !strings.Contains(action, "(context ") {
		return nil
	}
	in, err := ReadIntent(s, branch)
	if err != nil || in == nil || !strings.Contains(action, in.mark()) {
		return err
	}
	return fail.New(fail.ErrRefused, fail.BranchBusy,
		fmt.Sprintf("branch '%s' is locked by the 'git context %s' whose hook runs this command", branch, in.command()),
		"git context record -o TEXT", "git context -b OTHER commit -m SUMMARY")
}

// SettleIntent finishes or removes what an interrupted command left on a branch whose
// commit lock is locked:
//
//  1. there is no intent: nothing to do;
//  2. it was not written in this copy of the repository: it is set aside, because it would become a commit by
//     the user of this one, with the user's signature;
//  3. the code has not moved, or its worktree is gone: the intent is removed;
//  4. the code has moved: the memory commit is written, unless it exists, and linked.
//
// It warns about what it did. If memory cannot follow yet, the intent stays, and the error
// has the code fail.IntentUnfinished.
func SettleIntent(ctx context.Context, tx *store.Transaction, branch string) error {
	in, err := ReadIntent(tx.Store, branch)
	if err != nil || in == nil {
		return err
	}
	if in.Origin == "" || in.Origin != tx.Store.Repo().LockOrigin(store.BranchLock(branch)) {
		aside, err := tx.Store.SetAside(IntentFile(branch))
		if err == nil {
			tx.Store.Warn(fmt.Sprintf("an interrupted 'git context %s' is not finished, because it was not run in this copy of the repository; "+
				"its record is now '%s'", in.command(), aside))
		}
		return err
	}
	code, err := movedTo(ctx, tx.Store, in, false)
	if err != nil {
		return unknown(tx.Store, in, err)
	}
	if code == "" {
		if !tx.Store.Repo().HasWorktree(in.Worktree) { // the code commit may be on a branch
			tx.Store.Warn(fmt.Sprintf("'git context %s' was interrupted in a worktree that is gone; "+
				"it is dropped, and recorded steps stay pending", in.command()))
		}
		return dropIntent(tx.Store, in)
	}
	_, err = tx.Store.Tip(ctx, branch)
	if errors.Is(err, fail.ErrNotFound) || errors.Is(err, fail.ErrNoMemory) { // another program deleted it
		tx.Store.Warn(fmt.Sprintf("'git context %s' was interrupted, "+
			"and branch '%s' is gone: code commit %s has no memory commit",
			in.command(), branch, code.Short()))
		return dropIntent(tx.Store, in)
	}
	if err != nil {
		return err
	}
	id, warnings, err := finish(ctx, tx, in, code)
	if err != nil {
		return unfinished(tx.Store, in, err)
	}
	tx.Store.Warn(fmt.Sprintf("'git context %s' was interrupted after the code had moved to %s; "+
		"it is finished now: memory commit %s",
		in.command(), code.Short(), id))
	for _, w := range warnings {
		tx.Store.Warn(w)
	}
	return nil
}

// finish completes an intent, in a transaction of the intent's writer, and returns the id
// of the memory commit.
func finish(ctx context.Context, tx *store.Transaction, in *Intent,
	code git.ID) (id string, warnings []string, err error) {
	cfg, err := tx.Store.Repo().Config(ctx)
	if err != nil {
		return "", nil, err
	}
	as := &store.Transaction{Store: tx.Store, Writer: in.writer(), Signature: tx.Signature, Locks: tx.Locks, Code: code}
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

// madeFor returns the memory commit that the intent led to already, or nil.
func madeFor(ctx context.Context, tx *store.Transaction, in *Intent) (*git.Commit, error) {
	tip, err := tx.Store.Repo().Ref(ctx, git.BranchRef(in.Branch))
	if err != nil || tip == in.Tip {
		return nil, err
	}
	since, err := tx.Store.Repo().Between(ctx, in.Tip, "..", tip)
	if err != nil {
		return nil, err
	}
	for _, id := range since {
		c, err := tx.Store.Repo().Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if c.Trailer(store.TrailerID) != "" && git.ID(c.Trailer(store.TrailerCode)) == tx.Code &&
			store.BranchOf(c) == in.Branch {
			return c, nil
		}
	}
	return nil, nil
}

// complete does what follows the move of the branch: the judgement of the memory commit, if
// its note has none, and its link. Then it removes the intent.
func complete(ctx context.Context, tx *store.Transaction, in *Intent, m *git.Commit) error {
	if in.Commit != nil && !in.Commit.Judging.Empty() {
		if err := writeJudgementOnce(ctx, tx, m, in.Commit.Judging); err != nil {
			return err
		}
	}
	if in.Rollback == nil || in.Rollback.Made {
		if err := WriteLink(ctx, tx, tx.Code, m); err != nil {
			return err
		}
	}
	fault.Point("after-link")
	return dropIntent(tx.Store, in)
}

// unfinished is the error if the code has moved, and memory has not.
func unfinished(s *store.Store, in *Intent, err error) error {
	return intentError(s, in, err, "the code has moved, "+
		"but the memory commit of 'git context %s' on branch '%s' cannot be made yet")
}

// unknown is the error if it cannot be determined whether the code has moved.
func unknown(s *store.Store, in *Intent, err error) error {
	return intentError(s, in, err, "cannot find out whether 'git context %s' of branch '%s' has moved the code")
}

// intentError wraps an error that leaves an intent in place.
func intentError(s *store.Store, in *Intent, err error, message string) error {
	var already *fail.Error
	if err == nil || errors.Is(err, context.Canceled) ||
		errors.As(err, &already) && already.Code == fail.IntentUnfinished {
		return err
	}
	return &fail.Error{Code: fail.IntentUnfinished, Kind: fail.ErrRefused, Err: err,
		Message: fmt.Sprintf(message, in.command(), in.Branch),
		Hints: []string{"nothing is lost: the next command that changes the branch tries again, " +
			"for example: git context commit -m SUMMARY",
			"rm " + prose.ShellQuoted(s.StatePath(IntentFile(in.Branch))) + " drops it; recorded steps stay pending"}}
}
