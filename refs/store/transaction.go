package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// A lost race is tried again. Sixty tries with full jitter are more than thirty
// times what sixteen writers on one branch ever needed.
const (
	MaxTries  = 60
	firstWait = time.Millisecond
	longWait  = 100 * time.Millisecond

	// A writer that has lost so many races has many rivals, and waits for its turn, see takeTurn.
	// Without turns, some of eighty writers of the roadmap lost all tries on a busy machine.
	turnTry  = 5
	turnWait = 20 * time.Second

	// A lock that outlives three waits of two seconds was left by a process that
	// was killed: git's own commands do not wait that long.
	LockedTries = 3
	// LockedHint says what to do about one.
	LockedHint = "if no git process is running, remove the .lock file that is named above; " +
		"git context fsck --fix removes those that are older than 10 minutes"
)

// ErrNothing ends Swap without an error and without moving a ref.
var ErrNothing = errors.New("nothing to do")

// Transaction is one change of memory: the locks of the branches that it changes, and the
// child git update-ref that will move the refs. The child starts before anything is read, so
// that its start costs no time, and inherits the locks: when this process is killed, no other
// one enters while the child may still move a ref. Use it in one goroutine, and close it.
type Transaction struct {
	Store     *Store
	Writer    Writer
	Signature git.Signature
	Sign      bool // its commits
	Locks     []*git.Lock
	Refs      *git.Tx
	Code      git.ID // the code commit that it is about; "": HEAD

	made    []git.ID        // commits that are not listed as made here yet
	quoting []string        // entries written with "(expunged)", which are not listed yet
	told    map[git.ID]told // all that were made, for the journal
}

// Begin finishes an expunge that a killed process left, locks branches and starts a
// Transaction. reason goes into the reflogs.
func (s *Store) Begin(ctx context.Context, w Writer, reason string, branches ...string) (*Transaction, error) {
	if err := s.above.FinishExpunge(ctx, s, w); err != nil {
		return nil, err
	}
	return s.BeginLocked(ctx, w, reason, branches...)
}

// BeginLocked is Begin without finishing an expunge.
func (s *Store) BeginLocked(ctx context.Context, w Writer, reason string, branches ...string) (*Transaction, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkConfig(cfg); err != nil {
		return nil, err
	}
	ident, err := s.Identity(ctx)
	if err != nil {
		return nil, err
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
	tx := &Transaction{Store: s, Writer: w, Signature: git.Signature{Name: ident.Name, Email: ident.Email, When: now}}
	if tx.Sign, err = w.Sign.Wanted(cfg); err != nil {
		return nil, err
	}
	branches = slices.Compact(slices.Sorted(slices.Values(branches)))
	if tx.Locks, err = s.lockBranches(ctx, branches); err != nil {
		return nil, err
	}
	for _, b := range branches {
		if err := s.above.SettleIntent(ctx, tx, b); err != nil {
			return nil, errors.Join(err, tx.Close())
		}
	}
	if err := tx.Start(ctx, reason); err != nil {
		return nil, errors.Join(err, tx.Close())
	}
	return tx, nil
}

// Identity returns who commits. fail.ErrRefused: git does not know.
func (s *Store) Identity(ctx context.Context) (git.Identity, error) {
	ident, err := s.repo.Committer(ctx)
	if err != nil {
		err = &fail.Error{Code: fail.IdentityUnknown, Kind: fail.ErrRefused, Err: err, Message: "git knows no name and email to commit with",
			Hints: []string{"git config user.name NAME", "git config user.email EMAIL"}}
	}
	return ident, err
}

// lockBranch waits for a branch's lock, unless its owner waits for this process.
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

// WhileLocked calls do while no command changes the branches.
func (s *Store) WhileLocked(ctx context.Context, do func() error, branches ...string) error {
	locks, err := s.lockBranches(ctx, branches)
	if err != nil {
		return err
	}
	return errors.Join(do(), unlock(locks))
}

// Start starts the child that will move the refs. reason goes into the reflogs.
func (tx *Transaction) Start(ctx context.Context, reason string) (err error) {
	tx.Refs, err = tx.Store.repo.Begin(ctx, git.TxOptions{Message: reflogPrefix + reason,
		Committer: git.Identity{Name: tx.Signature.Name, Email: tx.Signature.Email}, Keep: tx.LockFiles()})
	return err
}

// LockFiles returns the files of the locks, which children inherit.
func (tx *Transaction) LockFiles() []*os.File {
	var files []*os.File
	for _, l := range tx.Locks {
		files = append(files, l.File())
	}
	return files
}

// Close ends the child and releases the locks. What was changed may have been the last
// straw for maintenance.
func (tx *Transaction) Close() error {
	var errs []error
	if tx.Refs != nil {
		defer tx.Store.maintain(tx.Refs.Moved())
		errs = append(errs, tx.Refs.Close())
	}
	return errors.Join(append(errs, unlock(tx.Locks))...)
}

// LateWarnings returns warnings for what failed after the refs had moved. A later command
// makes up for it.
func (tx *Transaction) LateWarnings(mark, fold error) []string {
	var warnings []string
	if mark != nil {
		warnings = append(warnings, "journal not marked: "+mark.Error())
	}
	if fold != nil {
		warnings = append(warnings, "note not written: "+fold.Error())
	}
	return warnings
}

// Swap builds a change and moves the refs, again and again while another process
// is faster. build reads everything anew each time. Nothing queued is nothing
// done.
func (tx *Transaction) Swap(ctx context.Context, build func(context.Context) error) (err error) {
	var turn *git.Lock
	defer func() {
		if turn != nil {
			err = errors.Join(err, turn.Unlock())
		}
	}()
	wait, locked := firstWait, 0
	for try := 1; ; try++ {
		if try == turnTry {
			if turn, err = tx.Store.takeTurn(ctx); err != nil {
				return err
			}
		}
		err = build(ctx)
		if err == nil {
			err = tx.Commit(ctx)
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
					Hints: []string{LockedHint}}
			}
		}
		if try == MaxTries {
			return &fail.Error{Code: fail.Busy, Kind: fail.ErrStale, Err: err, Hints: []string{"run the command again; nothing is lost"},
				Message: fmt.Sprintf("other processes moved the refs first, %d times", MaxTries)}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(wait) + 1):
		}
		wait = min(2*wait, longWait)
	}
}

// TurnLock is the lock of the writers that take turns in Swap.
const TurnLock = "turn"

// takeTurn waits until no other writer that has lost many races tries again. It returns nil after
// turnWait: the turn only orders writers, and its owner may wait for this process.
func (s *Store) takeTurn(ctx context.Context) (*git.Lock, error) {
	limited, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	turn, err := s.repo.Lock(limited, TurnLock)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil
	}
	return turn, err
}

// Signing says whether memory commits are signed. The zero value leaves it to
// context.gpgSign; commit.gpgSign speaks of the user's own commits and has no say.
type Signing struct {
	Mode SignMode
	// Key is what git takes behind -S; empty: user.signingKey, or what git makes of
	// its absence.
	Key string
}

// SignMode is who decides whether memory commits are signed.
type SignMode uint8

// The zero SignMode asks the setting; the others overrule it.
const (
	SignAsConfigured SignMode = iota
	SignAlways
	SignNever
)

// Wanted reports whether commits are to be signed.
func (o Signing) Wanted(cfg *git.Config) (bool, error) {
	if o.Mode != SignAsConfigured {
		return o.Mode == SignAlways, nil
	}
	return cfg.Bool(KeySign, false)
}

// storeCommit stores a memory commit, signed where that is wanted: all commits that a
// transaction makes go through it, those of the notes too, because others may refuse what has
// no signature. A lost race signs again, with the commit lock held; that of the journal is free,
// so that record never waits for it.
func (tx *Transaction) storeCommit(ctx context.Context, c *git.Commit) (*git.Commit, error) {
	if tx.Sign {
		signed, err := tx.Store.repo.SignCommit(ctx, c, tx.Writer.Sign.Key)
		if err != nil {
			return nil, tx.signError(ctx, err)
		}
		c = signed
	} else {
		var err error
		if c.ID, err = tx.Store.repo.WriteCommit(ctx, c); err != nil {
			return nil, err
		}
	}
	tx.made = append(tx.made, c.ID)
	return c, nil
}

// QueueNotes writes the commit of an update of the notes and queues the update of their ref. It
// reports false if nothing changed.
func (tx *Transaction) QueueNotes(ctx context.Context, u *notes.Update, subject string) (bool, error) {
	return u.Queue(ctx, tx.Refs, tx.Signature, subject, tx.storeCommit)
}

// signError says that git made no signed commit. What else it fails at (no space)
// it says itself.
func (tx *Transaction) signError(ctx context.Context, err error) error {
	var failed *git.Error
	if !errors.As(err, &failed) || errors.Is(err, context.Canceled) {
		return err
	}
	cfg, problem := tx.Store.repo.Config(ctx)
	if problem != nil {
		return errors.Join(err, problem)
	}
	code, message := fail.SignFailed, "cannot sign the memory commit"
	if errors.Is(err, context.DeadlineExceeded) {
		code, message = fail.SignTimeout, "the program that signs does not answer"
	}
	configured, _ := cfg.String("user.signingKey")
	key := prose.OneLine(cmp.Or(tx.Writer.Sign.Key, configured), 200)
	format, _ := cfg.String("gpg.format")
	hints := signHints(cmp.Or(format, "openpgp"), key, code == fail.SignTimeout)
	return &fail.Error{Code: code, Kind: fail.ErrRefused, Err: err, Message: message,
		Hints: append(hints, "nothing was changed; without a signature: --no-gpg-sign, or git config "+KeySign+" false")}
}

// signHints says what to look at. GnuPG's own words reach us only through newer git.
func signHints(format, key string, late bool) []string {
	switch {
	case format == "ssh" && key != "":
		return []string{"the key is '" + key + "'; if it has a passphrase: ssh-add PRIVATE-KEY"}
	case format == "ssh":
		return []string{"git config user.signingKey ~/.ssh/id_ed25519.pub"}
	case format == "openpgp" && late:
		return []string{"if the key has a passphrase: export GPG_TTY=$(tty)"}
	case format == "openpgp":
		return []string{"gpg --list-secret-keys", "git config user.signingKey KEY", "if the key has a passphrase: export GPG_TTY=$(tty)"}
	}
	return []string{"git config user.signingKey KEY"}
}
