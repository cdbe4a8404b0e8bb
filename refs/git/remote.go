package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/process"
	"github.com/git-context/git-context/refs/prose"
)

// A remote, here, is what git takes for one: a configured name, a URL, a path
// (a relative one is read from the worktree's top), or, to fetch from, a bundle
// file.

// Remotes lists the configured remotes that have a url or a pushurl, sorted by name. A name may contain what
// a ref's cannot: such a remote is left out, because no ref can keep what it has.
func (r *Repo) Remotes(ctx context.Context) ([]string, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range c.Subsections("remote") {
		_, url := c.String("remote." + name + ".url")
		_, pushURL := c.String("remote." + name + ".pushurl")
		if (url || pushURL) && IsRemoteName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// IsRemoteName reports whether tracking refs can have the name of a remote, by git-check-ref-format(1), and tell it from
// the name of the branch.
func IsRemoteName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return checkRefName(name) == nil && !strings.Contains(name, "@{") && !strings.Contains(name+"/", "/heads/") &&
		!strings.ContainsFunc(name, func(c rune) bool { return c < ' ' })
}

// SharesTracking reports whether the refs of two remotes would have the same names here: the name of one lies where
// the other one's tags, code, roadmap or notes do. git before 2.55 lets a remote have such a name.
func SharesTracking(a, b string) bool {
	inside := func(name, other string) bool {
		rest, ok := strings.CutPrefix(name, other+"/")
		first, _, _ := strings.Cut(rest+"/", "/")
		return ok && slices.Contains([]string{"tags", "work", "roadmap", "context"}, first)
	}
	return inside(a, b) || inside(b, a)
}

// LsRemote asks a remote which refs it has whose whole names match one of the patterns,
// see [Matches]; all its refs without a pattern. The remote sends the names of all its
// refs, whatever is asked: where only the memory is of interest and its objects are wanted
// too, Fetch is cheaper. Without a deadline it gets a minute. ErrUnreachable as Fetch.
func (r *Repo) LsRemote(ctx context.Context, remote string, patterns ...string) ([]Ref, error) {
	args := append([]string{"ls-remote", "--refs", "--", remote}, patterns...)
	out, err := r.talk(ctx, remote, command{args: args, limit: askTimeout})
	if err != nil {
		return nil, remoteError(remote, err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !matchesAny(patterns, name) {
			continue // git matches the ends of names
		}
		if !r.IsID(id) || checkRefName(name) != nil {
			return nil, fmt.Errorf("remote '%s': cannot understand '%s'", shownRemote(remote), Shown(line))
		}
		refs = append(refs, Ref{Name: name, ID: ID(id)})
	}
	return refs, nil
}

// mostArguments is how many bytes of refspecs are arguments: the system limits a single one to 128 KiB and all of them to
// more, and a remote decides how long the names of its refs are.
const mostArguments = 64 << 10

// FetchOptions are the options of [Repo.Fetch].
type FetchOptions struct {
	Remote string
	// Refspecs are the only ones that count: neither configured ones nor tags
	// are fetched. At least one.
	Refspecs []string
	// DryRun brings the objects and moves no ref.
	DryRun bool
	// Unchecked takes objects that git refuses. It is for a [Repo.Quarantine].
	Unchecked bool
	// Prune deletes the refs on the refspecs' right side that the remote has not.
	Prune bool
	// Progress, if not nil, gets git's messages and progress as they come, with
	// carriage returns and whatever the remote says in them. It is written to by
	// one goroutine; the fetch waits for it.
	Progress io.Writer
}

// Fetch brings refs and their objects here, and writes the right sides of the
// refspecs alone: no FETCH_HEAD, no tags, no other tracking refs, no submodules,
// no gc. In a partial clone it leaves nothing out. Objects that `git fsck` would
// refuse are refused (from a bundle by git 2.46 and newer only).
//
// ErrBadObject: an object is refused; no ref has moved.
// ErrStale: another process moved one of the refs, or had its lock, meanwhile; the
// others were fetched. ErrNotFound: the remote lacks the ref of a
// refspec without a "*". ErrUnreachable: the remote is not known, does not
// exist, refuses access, or the connection was cut; no ref has moved then.
//
// Nothing asks on a terminal: without a key, a helper or GIT_ASKPASS that knows
// the answer the remote is out of reach. The caller's context stops it at once,
// with all its descendants. Without a deadline it may take an hour. An HTTP
// transfer without progress for a minute fails (http.lowSpeedLimit and
// http.lowSpeedTime change that); a dead ssh or git host is left to their own
// time limits (ConnectTimeout and ServerAliveInterval in ssh's configuration).
func (r *Repo) Fetch(ctx context.Context, o FetchOptions) error {
	if len(o.Refspecs) == 0 {
		return errors.New("cannot fetch: no refspec")
	}
	args := []string{"-c", fmt.Sprint("fetch.fsckObjects=", !o.Unchecked), "-c", r.refsLockWait(), "fetch",
		"--no-write-fetch-head", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance",
		"--no-write-commit-graph", "--no-filter",
		// Else tracking refs of the same names that are configured move too.
		"--refmap="}
	if o.Prune {
		args = append(args, "--prune")
	} else {
		args = append(args, "--no-prune")
	}
	if o.DryRun {
		args = append(args, "--dry-run")
	}
	if o.Progress != nil {
		args = append(args, "--progress")
	}
	c := command{limit: transferTimeout, also: o.Progress}
	if list := strings.Join(o.Refspecs, "\n"); len(list) > mostArguments {
		args = append(args, "--stdin", "--", o.Remote)
		c.stdin = []byte(list + "\n")
	} else {
		args = append(append(args, "--", o.Remote), o.Refspecs...)
	}
	c.args = args
	_, err := r.talk(ctx, o.Remote, c)
	if lacksPromised(err) {
		cfg, failed := r.Config(ctx)
		if failed != nil {
			return failed
		}
		if cfg.Promisor() {
			c.args = append([]string{"-c", "fetch.negotiationAlgorithm=noop"}, args...)
			_, err = r.talk(ctx, o.Remote, c)
		}
	}
	return r.fetchError(o.Remote, err)
}

// lacksPromised reports whether a fetch failed because a partial clone told the remote of commits that it has in part, as branches of memory that
// git clone has brought as branches of the code: the remote leaves out what such a commit has. Without a word on what is here it sends all.
func lacksPromised(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && strings.Contains(failed.Stderr, "did not receive expected object")
}

// fetchError classifies the failure of a fetch.
func (r *Repo) fetchError(remote string, err error) error {
	var failed *Error
	if !errors.As(err, &failed) || failed.Err != nil {
		return remoteError(remote, err)
	}
	if locked, ok := r.reftableLocked(failed); ok {
		return locked
	}
	switch {
	case strings.Contains(failed.Stderr, "couldn't find remote ref"):
		return fmt.Errorf("remote '%s': %w: %w", shownRemote(remote), ErrNotFound, err)
	case staleText(failed.Stderr) && strings.Contains(failed.Stderr, ".lock': File exists"):
		return lockedError{err}
	case staleText(failed.Stderr):
		return fmt.Errorf("%w: %w", ErrStale, err)
	case strings.Contains(failed.Stderr, "fsck error in pack"):
		return fmt.Errorf("remote '%s': %w: %w", shownRemote(remote), ErrBadObject, err)
	}
	if why := r.refusedRef(failed.Stderr); why != nil {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return remoteError(remote, err)
}

// refusedRef asks the file system why git could not write the lock of a ref, which it
// names without the cause; nil where it said nothing like that.
func (r *Repo) refusedRef(stderr string) error {
	_, rest, _ := strings.Cut(complaint(stderr), "cannot update ref '")
	ref, _, named := strings.Cut(rest, "'")
	if !named || !unsaidText(stderr) || checkRefName(ref) != nil {
		return nil
	}
	return r.refused([]refChange{{ref: ref}})
}

// talk runs a child that talks to a remote. A remote's name is never printed with the
// password that a URL may contain.
func (r *Repo) talk(ctx context.Context, remote string, c command) ([]byte, error) {
	if remote == "" {
		return nil, fmt.Errorf("remote '': %w: it has no name", ErrUnreachable)
	}
	settings, err := r.talkSettings(ctx)
	if err != nil {
		return nil, err
	}
	c.args = append(settings, c.args...)
	c.env, c.silent = r.talkEnv(), true
	out, err := r.start(ctx, c)
	if errors.Is(err, errHeldOpen) {
		// A helper that keeps a connection or a password has our standard error.
		err = nil
	}
	return out, err
}

// talkEnv is the environment of children that talk to remotes, without the ways in which
// ssh, gpg and credential managers ask a user. GIT_ASKPASS stays: it names a program that
// answers without a terminal.
func (r *Repo) talkEnv() []string {
	env := without(without(r.childEnv, "SSH_ASKPASS"), "GPG_TTY")
	return append(without(env, "SSH_ASKPASS_REQUIRE"), "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never")
}

// talkSettings is the configuration that such children get.
func (r *Repo) talkSettings(ctx context.Context) ([]string, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	settings := []string{"-c", "core.askPass="}
	_, limit := c.String("http.lowSpeedLimit")
	_, span := c.String("http.lowSpeedTime")
	if !limit && !span {
		settings = append(settings, "-c", "http.lowSpeedLimit=1",
			"-c", fmt.Sprintf("http.lowSpeedTime=%d", int(stallTimeout.Seconds())))
	}
	return settings, nil
}

// refsLockWait is the setting that lets git wait for a ref's lock, or for that of all refs
// in a reftable: where Options.LockWait is less, a quarter of that, because a swap that was
// refused is tried again.
func (r *Repo) refsLockWait() string {
	wait := refsLockTimeout
	if r.lockWait > 0 {
		wait = min(wait, r.lockWait/4)
	}
	key := "core.filesRefLockTimeout"
	if !r.format.refFiles {
		key = "reftable.lockTimeout"
	}
	return fmt.Sprintf("%s=%d", key, wait.Milliseconds())
}

// remoteError marks a failure that lies between us and the remote.
func remoteError(remote string, err error) error {
	var failed *Error
	if err == nil || errors.Is(err, ErrUnreachable) || !errors.As(err, &failed) {
		return err
	}
	slow := errors.Is(failed.Err, context.DeadlineExceeded)
	// A helper that ends at once may kill git push, which still writes to it.
	ended := failed.Err == nil || process.PipeClosed(failed.Err)
	if slow || ended && unreachableText(failed.Stderr) {
		return fmt.Errorf("remote '%s': %w: %w", shownRemote(remote), ErrUnreachable, err)
	}
	return fmt.Errorf("remote '%s': %w", shownRemote(remote), err)
}

// unreachableText reports whether git's complaint is that it did not get through to a
// repository, or lost the connection. Lines of the remote itself do not count.
func unreachableText(stderr string) bool {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "remote: ") {
			continue
		}
		for _, text := range []string{
			"Could not read from remote repository", // a path, ssh
			"does not appear to be a git repository",
			"repository '",        // '<url>' not found; '<path>' does not exist
			"unable to access '",  // all of HTTP
			"unable to connect",   // git://
			"unable to look up",   //
			"remote error: ",      // the server said no before the protocol began
			"could not read User", // no terminal to ask on
			"could not read Pass", //
			"Authentication failed",
			"the remote end hung up",
			"unexpected disconnect",
			"early EOF",
			"RPC failed",
			"remote failed to report status",
			"is not a git command", // a URL's scheme that git does not know
			"nable to find remote helper",
			"not allowed", // transport '<name>' not allowed
			"protocol error",
			"bad line length",
			"no path specified",
			"strange ", // hostname, pathname '<name>' blocked
		} {
			if strings.Contains(line, text) {
				return true
			}
		}
	}
	return false
}

// shownRemote is a remote fit to be printed: a URL without its user and password.
func shownRemote(remote string) string {
	if scheme, rest, ok := strings.Cut(remote, "://"); ok {
		remote = scheme + "://" + rest[prose.UserEnd(rest)+1:]
	}
	return Shown(remote)
}

// matchesAny reports whether a name matches one of the patterns, or there are
// none.
func matchesAny(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, name) })
}

// Matches compares a whole name with a pattern, in which "*" matches any text.
func Matches(pattern, name string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	name, ok := strings.CutPrefix(name, first)
	if !star || !ok {
		return ok && name == ""
	}
	for i := range len(name) + 1 {
		if Matches(rest, name[i:]) {
			return true
		}
	}
	return false
}
