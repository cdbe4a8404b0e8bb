package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// PushUpdate is a ref of the remote and its new value.
type PushUpdate struct {
	ID  ID     // "" deletes it
	Ref string // its full name there
}

// PushStatus is the kind of a result.
type PushStatus int

const (
	// PushDone: the remote's ref has moved.
	PushDone PushStatus = iota
	// PushUpToDate: it was there already.
	PushUpToDate
	// PushStale: another push was faster, or had the ref's lock. Fetch, merge, and
	// push again.
	PushStale
	// PushRefused: trying again will not help.
	PushRefused
)

// Pushed is the result of one update.
type Pushed struct {
	Ref    string
	Status PushStatus
	// Reason is why it was rejected, in one line of at most about 1,000 bytes.
	Reason string
	// Said is all that the server said beside a rejection of its own, blank lines too; it is
	// the same for all refs of one push. Both may contain anything, terminal escapes too.
	Said []string
}

// PushOptions are the options of [Repo.Push].
type PushOptions struct {
	Remote  string
	Updates []PushUpdate // each ref once
	// Expected are the values that some of the refs must have, "" for none: one with another
	// value would be stale, even where the update would only move it forward. Such a ref may
	// move to what does not contain its old value.
	Expected map[string]ID
	// Atomic: all or none. A single update is atomic in any case.
	Atomic bool
	// Untracked leaves the configured tracking refs of memory as they are.
	Untracked bool
	// Progress, if not nil, gets git's messages and progress as they come, as
	// with Fetch.
	Progress io.Writer
}

// Push moves refs of the remote, each only forward, or from the expected value: so it
// compares and swaps. The user's pre-push hook does not run, no tags, submodules
// or push options go along. As with every push, configured tracking refs of what
// was pushed follow, but see Untracked.
//
// Whenever the remote answered, there is one Pushed for each update, in their
// order, and no error, even if all were rejected. ErrNoAtomic: the remote cannot
// do that; nothing was pushed. ErrUnreachable: it was not reached, or the
// connection was cut: some of the refs may have moved, which a Fetch shows;
// pushing the same again does no harm. Time limits and prompts are as with Fetch.
func (r *Repo) Push(ctx context.Context, o PushOptions) ([]Pushed, error) {
	if len(o.Updates) == 0 {
		return nil, nil
	}
	args := []string{"-c", "push.pushOption=", "-c", "advice.pushUpdateRejected=false", "-c", r.refsLockWait(), "push",
		"--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"}
	if o.Atomic && len(o.Updates) > 1 {
		args = append(args, "--atomic")
	}
	if o.Progress != nil {
		args = append(args, "--progress")
	}
	for _, ref := range slices.Sorted(maps.Keys(o.Expected)) {
		if err := r.checkUpdate(PushUpdate{Ref: ref, ID: o.Expected[ref]}); err != nil {
			return nil, err
		}
		args = append(args, "--force-with-lease="+ref+":"+string(o.Expected[ref]))
	}
	args = append(args, "--", o.Remote)
	for _, u := range o.Updates {
		if err := r.checkUpdate(u); err != nil {
			return nil, err
		}
		args = append(args, string(u.ID)+":"+u.Ref)
	}
	settings, err := r.pushSettings(ctx, o)
	if err != nil {
		return nil, err
	}
	args = append(settings, args...)
	var said tail
	out, err := r.talk(ctx, o.Remote, command{args: args, limit: transferTimeout, said: &said, also: o.Progress})
	lines := worstLines(parsePorcelain(string(out)))
	if err := pushError(o, lines, err); err != nil {
		return nil, err
	}
	return classify(o.Updates, lines, parseWords(said.String())), nil
}

// pushSettings is the configuration of a push. With remote.<name>.mirror, as git clone --mirror sets it, git
// would refuse refspecs, and without them force every ref. A name with "=" gets none: -c ends a key at the first.
func (r *Repo) pushSettings(ctx context.Context, o PushOptions) ([]string, error) {
	c, err := r.Config(ctx)
	if err != nil || strings.Contains(o.Remote, "=") {
		return nil, err
	}
	var settings []string
	if _, set := c.String("remote." + o.Remote + ".mirror"); set {
		settings = append(settings, "-c", "remote."+o.Remote+".mirror=false")
	}
	if o.Untracked {
		for _, ref := range []string{Root + "*", NotesRef, headsMapping + "*"} {
			settings = append(settings, "-c", "remote."+o.Remote+".fetch=^"+ref)
		}
	}
	return settings, nil
}

// checkUpdate keeps from git what would be another refspec than was meant.
func (r *Repo) checkUpdate(u PushUpdate) error {
	if u.ID != "" && !r.IsID(string(u.ID)) {
		return fmt.Errorf("cannot push '%s': it is no full object name", Shown(string(u.ID)))
	}
	if !strings.HasPrefix(u.Ref, "refs/") {
		return fmt.Errorf("cannot push to '%s': it is no full ref name", Shown(u.Ref))
	}
	return checkRefName(u.Ref)
}

// pushError returns why the remote gave no answer; nil if it did. git exits with
// 1 when a ref was rejected, but also when an HTTP request failed: then there are
// lines only for what needed no push.
func pushError(o PushOptions, lines map[string]pushLine, err error) error {
	var failed *Error
	if err == nil || !errors.As(err, &failed) {
		return err
	}
	if strings.Contains(failed.Stderr, "does not support --atomic") {
		return fmt.Errorf("remote '%s': %w: %w", shownRemote(o.Remote), ErrNoAtomic, err)
	}
	rejected, lost := false, false
	for _, u := range o.Updates {
		line, ok := lines[u.Ref]
		rejected = rejected || ok && line.class > done
		lost = lost || line.class == lostReport
	}
	switch {
	case lost:
		return fmt.Errorf("remote '%s': %w: %w", shownRemote(o.Remote), ErrUnreachable, err)
	case failed.Code == 1 && rejected:
		return nil
	}
	return remoteError(o.Remote, err)
}
