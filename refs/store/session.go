package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// A lost race is tried again. Sixty tries with full jitter are more than thirty
// times what sixteen writers on one branch ever needed.
const (
	MaxTries  = 60
	firstWait = time.Millisecond
	longWait  = 100 * time.Millisecond

	// A lock that outlives three waits of two seconds was left by a process that
	// was killed: git's own commands do not wait that long.
	LockedTries = 3
)

// errNothing ends a swap without moving anything.
var ErrNothing = errors.New("nothing to do")

// session is one change of memory: the commit locks of the branches that it
// changes, and the update-ref child that will move the refs. The child is
// started before anything is read, so that its start-up costs nothing, and holds
// the locks too: when this process is killed, nobody else enters while the
// child may still move a ref.
type Transaction struct {
	Store     *Store
	Writer    Writer
	Signature git.Signature
	Sign      bool // its commits
	Locks     []*git.Lock
	Refs      *git.Tx
	Code      git.ID // the code commit that it is about; "": HEAD
}

// begin finishes what a killed process was forgetting, and locks branches.
func (s *Store) Begin(ctx context.Context, w Writer, reason string, branches ...string) (*Transaction, error) {
	if err := s.above.FinishExpunge(ctx, s, w); err != nil {
		return nil, err
	}
	return s.BeginLocked(ctx, w, reason, branches...)
}

// beginLocked is begin where no expunge needs finishing.
func (s *Store) BeginLocked(ctx context.Context, w Writer, reason string, branches ...string) (*Transaction, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkConfig(cfg); err != nil {
		return nil, err
	}
	ident, err := s.repo.Committer(ctx)
	if err != nil {
		return nil, &fail.Error{Code: fail.IdentityUnknown, Kind: fail.ErrRefused, Err: err, Message: "no identity to commit as",
			Hints: []string{"git config user.name NAME", "git config user.email EMAIL"}}
	}
	if w, err = s.checkWriter(w, ident); err != nil {
		return nil, err
	}
	now, err := s.Stamp()
	if err != nil {
		return nil, err
	}
	if s.Branch != "" && !slices.Contains(branches, s.Branch) { // mistyped, it must not be ignored
		if _, err := s.Tip(ctx, s.Branch); err != nil {
			return nil, err
		}
	}
	ses := &Transaction{Store: s, Writer: w, Signature: git.Signature{Name: ident.Name, Email: ident.Email, When: now}}
	if ses.Sign, err = w.Sign.Wanted(cfg); err != nil {
		return nil, err
	}
	branches = slices.Compact(slices.Sorted(slices.Values(branches)))
	if ses.Locks, err = s.lockBranches(ctx, branches); err != nil {
		return nil, err
	}
	for _, b := range branches {
		if err := s.above.SettleIntent(ctx, ses, b); err != nil {
			return nil, errors.Join(err, ses.Close())
		}
	}
	if err := ses.Start(ctx, reason); err != nil {
		return nil, errors.Join(err, ses.Close())
	}
	return ses, nil
}

// lockBranch waits for a branch's lock, unless who holds it waits for us.
func (s *Store) lockBranch(ctx context.Context, branch string) (*git.Lock, error) {
	l, ok, err := s.repo.TryLock(BranchLock(branch))
	if ok || err != nil {
		return l, err
	}
	if err := s.above.CheckHook(s, branch); err != nil {
		return nil, err
	}
	return s.repo.Lock(ctx, BranchLock(branch))
}

// lockBranches locks branches, each once and always in the order of their names, so that
// two who do cannot wait for each other. The list stays as it is.
func (s *Store) lockBranches(ctx context.Context, branches []string) ([]*git.Lock, error) {
	var locks []*git.Lock
	for _, b := range slices.Compact(slices.Sorted(slices.Values(branches))) {
		l, err := s.lockBranch(ctx, b)
		if err != nil {
			return nil, errors.Join(err, unlock(locks))
		}
		locks = append(locks, l)
	}
	return locks, nil
}

func unlock(locks []*git.Lock) error {
	var errs []error
	for _, l := range locks {
		errs = append(errs, l.Unlock())
	}
	return errors.Join(errs...)
}

// whileHeld does something while no command changes some branches.
func (s *Store) WhileLocked(ctx context.Context, do func() error, branches ...string) error {
	locks, err := s.lockBranches(ctx, branches)
	if err != nil {
		return err
	}
	return errors.Join(do(), unlock(locks))
}

// start starts the child that will move the refs.
func (ses *Transaction) Start(ctx context.Context, reason string) (err error) {
	ses.Refs, err = ses.Store.repo.Begin(ctx, git.TxOptions{Message: "context " + reason,
		Committer: git.Identity{Name: ses.Signature.Name, Email: ses.Signature.Email}, Keep: ses.LockFiles()})
	return err
}

// held are the files of the locks, for children that must hold them too.
func (ses *Transaction) LockFiles() []*os.File {
	var files []*os.File
	for _, l := range ses.Locks {
		files = append(files, l.File())
	}
	return files
}

// close ends the child and releases the locks. What was changed may have been the last
// straw for maintenance.
func (ses *Transaction) Close() error {
	var errs []error
	if ses.Refs != nil {
		defer ses.Store.maintain(ses.Refs.Moved())
		errs = append(errs, ses.Refs.Close())
	}
	return errors.Join(append(errs, unlock(ses.Locks))...)
}

// afterwards words what failed once the refs had moved. It is a warning: what was
// asked for is done, and what is missing is found out and made up for later.
func (ses *Transaction) LateWarnings(mark, fold error) []string {
	var warnings []string
	if mark != nil {
		warnings = append(warnings, "journal not marked: "+mark.Error())
	}
	if fold != nil {
		warnings = append(warnings, "note not written: "+fold.Error())
	}
	return warnings
}

// swap builds a change and moves the refs, again and again while somebody else
// is faster. build reads everything anew each time. Nothing queued is nothing
// done.
func (ses *Transaction) Swap(ctx context.Context, build func(context.Context) error) error {
	wait, locked := firstWait, 0
	for try := 1; ; try++ {
		err := build(ctx)
		if err == nil {
			err = ses.Refs.Commit(ctx)
		}
		if errors.Is(err, ErrNothing) {
			return nil
		}
		if !errors.Is(err, git.ErrStale) {
			return err
		}
		if errors.Is(err, git.ErrLocked) {
			if locked++; locked == LockedTries {
				return &fail.Error{Code: fail.RefLocked, Kind: fail.ErrRefused, Err: err, Message: "a ref is locked",
					Hints: []string{"if no git process is running, remove the .lock file that is named above"}}
			}
		}
		if try == MaxTries {
			return &fail.Error{Code: fail.Busy, Kind: fail.ErrStale, Err: err, Hints: []string{"run the command again; nothing is lost"},
				Message: fmt.Sprintf("other writers were faster %d times", MaxTries)}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(wait) + 1):
		}
		wait = min(2*wait, longWait)
	}
}
