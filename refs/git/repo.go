package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
)

// Options say where to look for a repository, and what its children see.
type Options struct {
	// Dir is where to start; empty means the process's directory.
	Dir string
	// Env is the environment for discovery and for children, as "key=value".
	// Nil means the process's own.
	Env []string
	// Trace, if not nil, gets one line per child: time, milliseconds, exit code,
	// arguments. Arguments never contain what a user wrote in a document.
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
	// Progress, if not nil, gets the progress of long work, in git's form: lines that end
	// in a carriage return are overwritten by the next. It is for a person who waits.
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
	progress io.Writer     // nil: progress is not shown

	interruptible func(context.Context) (context.Context, context.CancelFunc)

	gitMu sync.Mutex
	git   *installation // nil until the first child is needed

	configMu sync.Mutex             // locked while the configuration is read
	config   atomic.Pointer[Config] // nil until then

	noGraph  atomic.Bool // children pass over the commit-graph
	promises promises

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
	r := &Repo{env: o.Env, now: o.Now, lockWait: o.LockWait, readOnly: o.ReadOnly, progress: o.Progress,
		trace: &tracer{w: o.Trace}, interruptible: o.Interruptible}
	if r.env == nil {
		r.env = os.Environ()
	}
	if r.now == nil {
		r.now = time.Now
	}
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
	if err := r.checkPipes(); err != nil {
		return nil, err
	}
	if err := r.checkState(); err != nil {
		return nil, err
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

// PassGraph makes children look at commits themselves, and not at the commit-graph: it goes on naming those that are lost, so that
// nothing seems to be missing. A long walk takes longer.
func (r *Repo) PassGraph() { r.noGraph.Store(true) }

// lookupEnv returns the last value of key: that is the one a process sees.
func lookupEnv(env []string, key string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		e := env[i]
		if len(e) > len(key) && e[len(key)] == '=' && e[:len(key)] == key {
			return e[len(key)+1:], true
		}
	}
	return "", false
}

// dropped reports whether a variable must not reach our children: the state of the user's
// own operation that a hook's environment contains, variables that point git elsewhere,
// and those that change the meaning or the form of its answers. GIT_CONFIG is obeyed by
// `git config` alone, so two children would disagree.
func dropped(key string) bool {
	switch key {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX",
		"GIT_OBJECT_DIRECTORY", "GIT_IMPLICIT_WORK_TREE", "GIT_CONFIG",
		"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER_IN_USE", "GIT_ATTR_SOURCE",
		"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_NO_REPLACE_OBJECTS", "GIT_GRAFT_FILE",
		"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
		"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "LC_ALL", "LANGUAGE":
		return true
	}
	return strings.HasPrefix(key, "GIT_AUTHOR_") || strings.HasPrefix(key, "GIT_INTERNAL_")
}

// fixed is what every child gets.
var fixed = [...]string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_EDITOR=:",
	"GIT_GRAFT_FILE=" + os.DevNull + "/none", // git advises against a file that exists
}

// environment returns the environment of children: they see the repository that was found,
// in whatever directory they run.
func (r *Repo) environment(start string) []string {
	env := make([]string, 0, len(r.env)+12)
	for _, e := range r.env {
		if key, _, _ := strings.Cut(e, "="); !dropped(key) {
			env = append(env, e)
		}
	}
	env = append(env, fixed[:]...)
	env = append(env, "GIT_DIR="+r.gitDir)
	if r.Getenv("GIT_COMMON_DIR") != "" {
		env = append(env, "GIT_COMMON_DIR="+r.commonDir)
	}
	if r.Getenv("GIT_OBJECT_DIRECTORY") != "" {
		env = append(env, "GIT_OBJECT_DIRECTORY="+r.objectDir)
	}
	if r.workTree == "" {
		// Without this, GIT_DIR alone makes the current directory a worktree.
		return append(env, "GIT_IMPLICIT_WORK_TREE=0")
	}
	return append(env, "GIT_WORK_TREE="+r.workTree)
}

// without returns env without the variables of that name.
func without(env []string, key string) []string {
	kept := make([]string, 0, len(env)+1)
	for _, e := range env {
		if k, _, _ := strings.Cut(e, "="); k != key {
			kept = append(kept, e)
		}
	}
	return kept
}

// findGit looks git up in the PATH of env.
func findGit(env []string) (string, error) {
	path, _ := lookupEnv(env, "PATH")
	return process.Find("git", path)
}

// Quarantine opens the repository again, such that new objects are written into a folder
// that remove deletes. No other process sees them. Refs must not be moved there.
func (r *Repo) Quarantine(ctx context.Context) (q *Repo, remove func() error, err error) {
	const pattern = "git-context-objects-"
	dir, err := os.MkdirTemp("", pattern) // this repository may be read-only
	if err != nil {
		dir, err = os.MkdirTemp(r.objectDir, "tmp_objdir-"+pattern) // git gc removes one that a killed process left
	}
	if err != nil {
		return nil, nil, err
	}
	others := r.objectDir
	if more := r.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"); more != "" {
		others += string(os.PathListSeparator) + more
	}
	env := append(r.env[:len(r.env):len(r.env)], "GIT_DIR="+r.gitDir, "GIT_OBJECT_DIRECTORY="+dir,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+others)
	if r.workTree != "" {
		env = append(env, "GIT_WORK_TREE="+r.workTree)
	}
	if q, err = Open(ctx, Options{Dir: r.gitDir, Env: env, Now: r.now, Trace: r.trace.w}); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return q, func() error { return errors.Join(q.Close(), os.RemoveAll(dir)) }, nil
}

const (
	// meterDelay is how long work takes before its progress is shown.
	meterDelay = time.Second
	// meterPause is the pause between two lines.
	meterPause = 100 * time.Millisecond
)

// Meter reports the progress of long work in git's words: "Recording steps:  42%
// (420/1000)", or "Reading steps: 420" where the total is not known. Work that takes less
// than a second prints nothing. A nil Meter prints nothing and costs nothing. It is for
// one goroutine.
type Meter struct {
	to          io.Writer
	now         func() time.Time
	title       string
	done, total int
	next        time.Time // when to print the next line
	shown       bool
}

// NewMeter returns a Meter that writes to to; nil if to is nil. total is 0 if it is not
// known. The caller must call End.
func NewMeter(to io.Writer, now func() time.Time, title string, total int) *Meter {
	if to == nil {
		return nil
	}
	return &Meter{to: to, now: now, title: title, total: total, next: now().Add(meterDelay)}
}

// Meter returns a Meter that writes to Options.Progress.
func (r *Repo) Meter(title string, total int) *Meter {
	return NewMeter(r.progress, r.now, title, total)
}

// Add counts n more units as done.
func (m *Meter) Add(n int) {
	if m == nil {
		return
	}
	m.done += n
	if now := m.now(); !now.Before(m.next) {
		m.next, m.shown = now.Add(meterPause), true
		m.tell("\r")
	}
}

// End ends the line that was printed last.
func (m *Meter) End() {
	switch {
	case m == nil || !m.shown:
	case m.done >= m.total:
		m.tell(", done.\n")
	default: // stopped
		m.tell("\n")
	}
}

// tell writes one line. An error of the writer does not stop the work.
func (m *Meter) tell(end string) {
	if m.total == 0 {
		_, _ = fmt.Fprintf(m.to, "%s: %d%s", m.title, m.done, end)
		return
	}
	_, _ = fmt.Fprintf(m.to, "%s: %3d%% (%d/%d)%s", m.title, 100*m.done/m.total, m.done, m.total, end)
}
