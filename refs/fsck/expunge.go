package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// checkExpunge looks for an interrupted expunge. The next command that writes finishes it;
// mending does that now. A locked one is running and no problem.
func checkExpunge(ctx context.Context, c *checker) error {
	file := c.s.StatePath(expunge.IntentName)
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	lock, free, err := c.s.Repo().TryLock(expunge.LockName)
	if err != nil || !free {
		return err
	}
	left, err := expunge.ReadIntent(c.s)
	if err1 := lock.Unlock(); err1 != nil {
		return errors.Join(err, err1)
	}
	switch {
	case errors.Is(err, fail.ErrInvalid):
		c.report(ctx, nil, Problem{Kind: "expunge-unreadable", Object: file,
			Message: err.Error() + "; then expunge again what was to be forgotten",
			Repair:  "rm " + prose.ShellQuoted(file)})
	case err != nil:
		return err
	case left != nil:
		c.report(ctx, func(ctx context.Context) error { return expunge.Complete(ctx, c.s, c.w) },
			Problem{Kind: "expunge-left", Object: file,
				Repair: FixCommand, Message: "an expunge was interrupted and is not finished"})
	}
	return nil
}

// checkCameBack looks for what was expunged and is back, because something else than a command of ours moved
// branches or the roadmap.
func checkCameBack(ctx context.Context, c *checker) error {
	if c.forgotten == nil { // checkRefs or checkDocuments reports why
		return nil
	}
	_, here := expunge.Here(c.s)
	_, hidden := expunge.HiddenTexts(c.s)
	_, roadmaps := expunge.ReplacedRoadmaps(c.s)
	for name, err := range map[string]error{expunge.HereName: here, store.HiddenName: hidden, expunge.RoadmapsName: roadmaps} {
		if errors.Is(err, fail.ErrInvalid) {
			path := c.s.StatePath(name)
			c.report(ctx, nil, Problem{Kind: "expunge-unreadable", Object: path, Message: err.Error(), Repair: "rm " + prose.ShellQuoted(path)})
		} else if err != nil {
			return err
		}
	}
	refs, err := expunge.CameBack(ctx, c.s, *c.forgotten)
	if err != nil || len(refs) == 0 && c.missing.Empty() {
		return err
	}
	asked, err := expunge.Waiting(ctx, c.s)
	if err != nil {
		return err
	}
	repair, mend := FixCommand, func(ctx context.Context) error {
		op := &expunge.Operation{Store: c.s, Writer: c.w}
		return op.Run(ctx, c.missing)
	}
	from := ""
	if len(asked) > 0 { // a sync keeps what was written here
		from = asked[0].Asker()
	} else if from, err = c.roadmapBehind(ctx); err != nil {
		return err
	}
	if from != "" {
		repair, mend = remote.SyncCommand(prose.ShellWord(from)), nil
	}
	moved := "because it was moved by something else than git context"
	if !c.missing.Empty() {
		c.report(ctx, mend, Problem{Kind: "tombstones-lost", Object: git.RoadmapRef, Repair: repair,
			Message: fmt.Sprintf("'%s' lacks the record of an expunge here (%s), %s", git.RoadmapRef, expunge.AskedText(c.missing), moved)})
	}
	for _, ref := range refs {
		c.report(ctx, mend, Problem{Kind: "expunged-back", Object: ref, Repair: repair,
			Message: fmt.Sprintf("'%s' contains what was expunged, %s", ref, moved)})
	}
	return nil
}

// roadmapBehind returns a remote with memory whose roadmap ours does not contain, or is not known, as after a lost roadmap was
// set back: it may have the record that an expunge was refused. It returns "" for none.
func (c *checker) roadmapBehind(ctx context.Context) (string, error) {
	names, err := c.s.Repo().Remotes(ctx)
	if err != nil {
		return "", err
	}
	ours, err := c.s.Repo().Ref(ctx, git.RoadmapRef)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		refs, err := c.s.Repo().Refs(ctx, git.RemotePrefix+name)
		if err != nil {
			return "", err
		}
		if len(refs) == 0 {
			continue
		}
		theirs, err := c.s.Repo().Ref(ctx, git.RemoteTracking(name).Roadmap())
		if errors.Is(err, git.ErrNotFound) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		if has, err := c.s.Repo().IsAncestor(ctx, theirs, ours); err != nil || !has {
			return name, err
		}
	}
	return "", nil
}

// checkRequests looks for records of what remotes ask to forget that cannot be read. Their history is
// kept all the same, by their parents, of which the record is made again.
func checkRequests(ctx context.Context, c *checker) error {
	refs, err := c.s.Repo().Refs(ctx, git.KeptPrefix)
	if err != nil {
		return err
	}
	for _, r := range refs {
		req, err := expunge.ReadRequest(ctx, c.s, r)
		if ctx.Err() != nil {
			return err
		}
		if err == nil {
			continue
		}
		p := Problem{Kind: "request-unreadable", Object: r.Name, Repair: FixCommand,
			Message: fmt.Sprintf("the record '%s' of what a remote asks to forget cannot be read: %v; its parents are what is hidden", r.Name, err)}
		if req.Remote != "" {
			c.report(ctx, func(ctx context.Context) error { return expunge.Rebuild(ctx, c.s, c.w, r) }, p)
			continue
		}
		p.Repair = fmt.Sprintf("git context restore %s && git update-ref -d %s %s", r.ID, r.Name, r.ID)
		p.Message = fmt.Sprintf("'%s' is no record of what a remote asks to forget: %v", r.Name, err)
		c.report(ctx, nil, p)
	}
	return nil
}

// expungeAtWork reports whether an expunge runs now. Where locks cannot be taken none can run;
// another check reports that.
func expungeAtWork(s *store.Store) bool {
	if _, err := os.Stat(s.StatePath(expunge.IntentName)); err != nil {
		return false
	}
	lock, free, err := s.Repo().TryLock(expunge.LockName)
	if free {
		_ = lock.Unlock() // it ends with this process at the latest
	}
	return err == nil && !free
}

// forgotMeanwhile reports whether something was expunged since this run began. It waits for a
// running expunge.
func (c *checker) forgotMeanwhile(ctx context.Context) (bool, error) {
	if expungeAtWork(c.s) {
		lock, err := c.s.Repo().Lock(ctx, expunge.LockName)
		if err != nil {
			return false, err
		}
		return true, lock.Unlock()
	}
	if c.forgetting || c.forgotten == nil {
		return c.forgetting, nil
	}
	known, err := expunge.Tombstones(ctx, c.s)
	return err == nil && !c.forgotten.Contains(known), nil
}
