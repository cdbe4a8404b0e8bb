package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// Options say where a repository is looked for, and what its children see.
type Options struct {
	// Dir is where to start; empty means the process's directory.
	Dir string
	// Env is the environment for discovery and for children, as "key=value".
	// Nil means the process's own.
	Env []string
	// Trace, if not nil, gets one line per child: time, milliseconds, exit code,
	// arguments. Arguments never hold what a user wrote in a document.
	Trace io.Writer
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Interruptible, if not nil, makes the context of a child that may wait for a
	// person (one that signs) and has no terminal: ^C must end that context, or it
	// ends us and leaves the child behind. The context's cause is what is returned.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)
	// LockWait is how long one of our locks is waited for at most; 0 means until the
	// caller's context ends, a minute if it has no deadline.
	LockWait time.Duration
	// ReadOnly keeps even caches from being written.
	ReadOnly bool
	// Progress, if not nil, is told how far long work has come, as git tells it: lines
	// that a carriage return ends are written over by the next. For a person who waits.
	Progress io.Writer
}

// Repo is a git repository, seen from one of its worktrees.
type Repo struct {
	gitDir    string // this worktree's
	commonDir string // shared by all worktrees; equals gitDir in the main one
	workTree  string // empty if bare
	objectDir string
	dir       string // where the search began: that of the user
	format    format

	env      []string // as given
	childEnv []string // for children of this repository
	trace    *tracer
	now      func() time.Time

	lockWait time.Duration // 0: the caller's
	readOnly bool          // no caches either
	progress io.Writer     // nil: nobody waits

	interruptible func(context.Context) (context.Context, context.CancelFunc)

	gitMu sync.Mutex
	git   *installation // nil until the first child is needed

	configMu sync.Mutex             // held while the configuration is read
	config   atomic.Pointer[Config] // nil until then

	cat     catFile
	behind  behind
	deflate sync.Pool // of *compressor: 0.6 MB each, worth keeping
}

// Open finds the repository at or above o.Dir, or the one GIT_DIR names.
// It returns ErrNotRepository where there is none; a repository that git
// refuses (an owner that safe.directory does not list, a format from the
// future) is an *Error with git's own words. It starts no process where the
// repository is plain and ours.
func Open(ctx context.Context, o Options) (*Repo, error) {
	r := &Repo{env: o.Env, now: o.Now, lockWait: o.LockWait, readOnly: o.ReadOnly, progress: o.Progress, trace: &tracer{w: o.Trace}}
	if r.env == nil {
		r.env = os.Environ()
	}
	if r.now == nil {
		r.now = time.Now
	}
	r.interruptible = o.Interruptible
	if r.interruptible == nil {
		r.interruptible = context.WithCancel
	}
	start, err := startDir(o.Dir)
	if err != nil {
		return nil, err
	}
	place, err := r.discover(ctx, start)
	if err != nil {
		return nil, err
	}
	r.gitDir, r.commonDir, r.workTree = place.gitDir, place.commonDir, place.workTree
	r.format, r.dir = place.format, start
	r.objectDir = filepath.Join(r.commonDir, "objects")
	if dir := r.Getenv("GIT_OBJECT_DIRECTORY"); dir != "" {
		r.objectDir = disk.Absolute(start, dir)
	}
	r.childEnv = r.environment(start)
	r.cat.init(r)
	return r, nil
}

// startDir is the directory the search begins at, without symbolic links: the
// parent of a link is not the parent of what it points to.
func startDir(dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("cannot open directory '%s': %w", dir, err)
	}
	return abs, nil
}

// GitDir returns this worktree's git directory, absolute.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir returns the git directory that all worktrees share, absolute.
func (r *Repo) CommonDir() string { return r.commonDir }

// WorkTree returns the worktree's top directory, or "" in a bare repository.
func (r *Repo) WorkTree() string { return r.workTree }

// Linked reports whether this is a linked worktree (`git worktree add`).
func (r *Repo) Linked() bool { return r.gitDir != r.commonDir }

// StateDir returns where local state is kept: <common dir>/context. It need not
// exist. Nothing in it is shared with another clone.
func (r *Repo) StateDir() string { return filepath.Join(r.commonDir, "context") }

// Now returns the time by the clock given to Open.
func (r *Repo) Now() time.Time { return r.now() }

// Getenv returns a variable of the environment given to Open.
func (r *Repo) Getenv(key string) string {
	value, _ := lookupEnv(r.env, key)
	return value
}

// ObjectFormat returns the name of the repository's hash: "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format.hash }

// ObjectDir returns the directory that objects are written to, absolute: that of the
// common git directory, or GIT_OBJECT_DIRECTORY.
func (r *Repo) ObjectDir() string { return r.objectDir }

// Progress returns Options.Progress.
func (r *Repo) Progress() io.Writer { return r.progress }

// RefFiles reports whether refs are files that are read in process; else only git reads
// them (reftable).
func (r *Repo) RefFiles() bool { return r.format.refFiles }

// IsID reports whether s is the full name of an object in this repository's format.
func (r *Repo) IsID(s string) bool { return isHex(s, r.hexLen()) }

// hexLen is the length of an object's name.
func (r *Repo) hexLen() int {
	if r.format.hash == "sha256" {
		return 64
	}
	return 40
}

// ZeroID returns the id that names nothing in git's own protocols.
func (r *Repo) ZeroID() ID { return ID(strings.Repeat("0", r.hexLen())) }

// EmptyTree returns the id of the tree without entries, which git knows without
// its being stored.
func (r *Repo) EmptyTree() ID {
	if r.format.hash == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Close ends the child that reads objects. The Repo may still be used: a new
// child is started when one is needed.
func (r *Repo) Close() error { return r.cat.close() }
