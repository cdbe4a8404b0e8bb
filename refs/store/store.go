package store

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// DefaultBranch is the first memory branch's name where nothing says otherwise.
const DefaultBranch = "main"

// Options say where a Store looks for its repository, and what it uses of the process.
type Options struct {
	Dir    string           // where to look for the repository; empty: the process's
	Env    []string         // the environment of discovery, settings and children
	Now    func() time.Time // the clock; nil: time.Now
	Branch string           // acts instead of CONTEXT_HEAD's branch; empty: GIT_CONTEXT_BRANCH, else CONTEXT_HEAD
	Trace  io.Writer        // one line for each child, if set

	LockWait time.Duration // for one of our locks; 0: until the context ends, a minute if it has no deadline
	ReadOnly bool          // for views that shall not even write caches

	// Interruptible is that of git.Options: how ^C reaches a child that signs.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)

	// Program is the path of git-context, which a change of memory now and then starts as
	// `git-context gc --auto` in the background; empty: never.
	Program string

	// Progress is that of git.Options: who waits for long work, and is told how far it has
	// come.
	Progress io.Writer

	// Warn, if not nil, is told what no result can say: that an earlier command, which
	// was interrupted, is finished now.
	Warn func(message string)
}

// Store is the memory of one repository, seen from one worktree. Its methods are
// safe for concurrent use, and safe beside any other process.
type Store struct {
	repo   *git.Repo
	Clock  func() time.Time
	Branch string // overrides CONTEXT_HEAD where set
	warn   func(string)

	program string // see Options
	above   Above

	mu    sync.Mutex
	known map[string]*sources // by branch

	redacted map[string]bool // the kinds of secrets that were found
}

// New finds the repository. Whether it has memory is found out by the first
// method that needs it.
func New(ctx context.Context, o Options, above Above) (*Store, error) {
	if err := above.check(); err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, git.Options{Dir: o.Dir, Env: o.Env, Trace: o.Trace, Now: o.Now, Interruptible: o.Interruptible, LockWait: o.LockWait, ReadOnly: o.ReadOnly, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	s := &Store{repo: repo, Clock: repo.Now, Branch: o.Branch, warn: o.Warn, program: o.Program, above: above, known: map[string]*sources{}, redacted: map[string]bool{}}
	if s.Branch == "" {
		s.Branch = repo.Getenv("GIT_CONTEXT_BRANCH")
	}
	if s.Branch != "" {
		if err := CheckBranchName(s.Branch); err != nil {
			return nil, errors.Join(err, repo.Close())
		}
	}
	return s, nil
}

// Close ends the Store's children, and warns of secrets that were redacted.
func (s *Store) Close() error {
	s.warnRedacted()
	return s.repo.Close()
}

// Over returns the same Store over another view of its repository, such as a quarantine. It
// does not warn and starts no maintenance.
func (s *Store) Over(repo *git.Repo) *Store {
	return &Store{repo: repo, Clock: s.Clock, Branch: s.Branch, known: map[string]*sources{}, above: s.above, redacted: map[string]bool{}}
}

// Repo returns the repository.
func (s *Store) Repo() *git.Repo { return s.repo }

// Warn calls Options.Warn, if it is set.
func (s *Store) Warn(message string) {
	if s.warn != nil {
		s.warn(message)
	}
}

// Current is the name of the current memory branch, which need not exist:
//
//  1. the one this process was told (-b, GIT_CONTEXT_BRANCH),
//  2. this worktree's CONTEXT_HEAD,
//  3. the main worktree's,
//  4. context.defaultBranch,
//  5. main.
func (s *Store) Current(ctx context.Context) (string, error) {
	if s.Branch != "" {
		return s.Branch, nil
	}
	heads := []string{git.HeadName}
	if s.repo.Linked() {
		heads = append(heads, mainHead)
	}
	for _, head := range heads {
		target, err := s.repo.SymbolicRef(ctx, head)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		name, ok := git.BranchName(target)
		if !ok {
			return "", fail.New(fail.ErrInvalid, fail.HeadInvalid, head+" points to '"+target+"', which is no memory branch",
				"git context switch "+DefaultBranch)
		}
		return name, nil
	}
	return s.DefaultBranch(ctx)
}

// OnBranch does something on a branch; on the current one for "", and again where another
// process renames that meanwhile: of a rename CONTEXT_HEAD is what moves last. What is done
// must have changed nothing when it says that there is no such branch.
func OnBranch[T any](ctx context.Context, s *Store, branch string, do func(branch string) (T, error)) (T, error) {
	if branch != "" {
		return do(branch)
	}
	branch, err := s.Current(ctx)
	if err != nil {
		var none T
		return none, err
	}
	for try := 1; ; try++ {
		v, err := do(branch)
		if !noSuchBranch(err) || s.Branch != "" || try == MaxTries {
			return v, err
		}
		if there, err1 := s.HasBranch(ctx, branch); there || err1 != nil { // it is another one that is not there
			return v, errors.Join(err, err1)
		}
		now, err1 := s.renamedNow(ctx, branch)
		if err1 != nil || now == "" {
			return v, errors.Join(err, err1)
		}
		branch = now
	}
}

// DefaultBranch returns context.defaultBranch, or "main" where it is not set.
func (s *Store) DefaultBranch(ctx context.Context) (string, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return "", err
	}
	name, ok := cfg.String("context.defaultBranch")
	if !ok || name == "" {
		return DefaultBranch, nil
	}
	return name, CheckBranchName(name)
}

// Stamp returns the time of entries and commits: Moment in whole seconds, as git stores it.
func (s *Store) Stamp() (time.Time, error) {
	t, err := s.Moment()
	return t.Truncate(time.Second), err
}

// Moment returns the present time, or GIT_COMMITTER_DATE, in UTC.
func (s *Store) Moment() (time.Time, error) {
	t, ok, err := s.repo.CommitterDate()
	if err != nil {
		return time.Time{}, fail.New(fail.ErrInvalid, fail.DateInvalid, err.Error())
	}
	if !ok {
		t = s.Clock()
	}
	return t.UTC(), nil
}

// NewID makes an id that is larger than after. Its time is Moment, but never later than the clock: other clones refuse
// ids that are ahead of their clocks, and GIT_COMMITTER_DATE may be any date.
func (s *Store) NewID(after string) (string, error) {
	t, err := s.Moment()
	if err != nil {
		return "", err
	}
	if now := s.Clock(); t.After(now) {
		t = now
	}
	return doc.NextID(t, after)
}

// StatePath returns the path of a file of local state; name uses slashes.
func (s *Store) StatePath(name string) string {
	return filepath.Join(s.repo.StateDir(), filepath.FromSlash(name))
}

// JournalPath returns the path of a branch's journal.
func (s *Store) JournalPath(branch string) string {
	return s.StatePath("journal/" + journal.FileName(branch))
}

// CheckBranchName refuses a name that git or this program does not allow: fail.ErrInvalid.
func CheckBranchName(name string) error {
	if err := git.CheckBranchName(name); err != nil {
		return fail.New(fail.ErrInvalid, fail.BranchName, err.Error(), "git context branch")
	}
	return nil
}

// Above contains what the store calls of the packages above it. Package refs fills it in;
// every function is needed.
type Above struct {
	// FinishExpunge finishes an expunge that a killed process left, before anything is
	// changed. It holds no lock when it is called.
	FinishExpunge func(context.Context, *Store, Writer) error

	// SettleIntent finishes or forgets a `commit --code` or `rollback --code` that a killed
	// process left on a branch, whose lock is held.
	SettleIntent func(ctx context.Context, tx *Transaction, branch string) error

	// CheckHook refuses to wait for a branch's lock inside a hook that its owner waits for.
	CheckHook func(s *Store, branch string) error

	// CommitCode makes a memory commit together with a code commit.
	CommitCode func(ctx context.Context, tx *Transaction, branch string, o CommitOptions) (CommitResult, error)

	// AdoptBranch makes a branch that only a remote has; false where no remote has it.
	AdoptBranch func(ctx context.Context, s *Store, name string) (bool, error)

	// FetchHint returns the command that may bring a branch that was not found, for a hint;
	// "" where the repository has no remote.
	FetchHint func(ctx context.Context, s *Store, branch string) string

	// CheckForeign checks history that no ref of this repository leads to before one does.
	CheckForeign func(ctx context.Context, s *Store, at git.Ref, hint string) error

	// HealSource returns a commit on top of a branch that is to be merged which has what commits of the branch have lost
	// since it left the target; nil where nothing is lost.
	HealSource func(ctx context.Context, tx *Transaction, source *Tip, target git.ID) (*git.Commit, error)
}

func (a Above) check() error {
	if a.FinishExpunge == nil || a.SettleIntent == nil || a.CheckHook == nil || a.CommitCode == nil ||
		a.AdoptBranch == nil || a.FetchHint == nil || a.CheckForeign == nil || a.HealSource == nil {
		return errors.New("store: Above is not filled in")
	}
	return nil
}

// mainHead is the CONTEXT_HEAD that counts for a linked worktree without one of its own.
const mainHead = "main-worktree/" + git.HeadName
