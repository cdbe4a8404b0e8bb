package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
)

// mistyped is the kind of a remote's ref that names no commit.
const mistyped = "remote-ref-type"

// mostLooks is how many branches that only a remote has are looked at for the commit to which they can be set back: anybody
// can push thousands.
const mostLooks = 20

// mistypedThere reports a tracking ref that names an object of the wrong type because the remote's ref does. There is
// no repair here: the next fetch would bring the ref back. The repair there is the one that a sync prints: with a lease, and
// no deletion of what can be set back. git reads such a ref, so that the other checks go on. It returns
// false for another ref, and for one of a remote that no longer exists.
func (c *checker) mistypedThere(ctx context.Context, r lostRef, p Problem) (bool, error) {
	remotes, err := c.s.Repo().Remotes(ctx)
	if err != nil {
		return false, err
	}
	from := remoteOf(r.Name, remotes)
	if !tracking(r.Name) || !slices.Contains(remotes, from) {
		return false, nil
	}
	peer, err := remote.Find(ctx, c.s, from)
	if err != nil {
		return false, err
	}
	here, ok := hereOf(r.Name, &peer)
	if !ok {
		return false, nil
	}
	if c.mistyped++; c.mistyped == 1 {
		if c.here, _, err = remote.Survey(ctx, c.s, peer); err != nil {
			return false, err
		}
	}
	back, err := share.SetBack(ctx, c.s, peer, &c.here, git.Ref{Name: here, ID: r.ID}, c.mistyped <= mostLooks)
	if err != nil && git.ExitCode(err) <= 0 { // else something is damaged here: another check says what
		return false, err
	}
	p.Kind = mistyped
	p.Message += fmt.Sprintf(": remote '%s' has it so, and nothing of it is taken in", git.Shown(from))
	p.Repair = remote.SyncCommand(prose.ShellWord(from))
	if len(back) > 0 {
		p.Message += "; " + strings.TrimSuffix(back[0], ":")
		p.Repair = back[1]
	}
	c.report(ctx, nil, p)
	return true, nil
}

// hereOf returns the name here of what a tracking ref copies. It sets peer to the names of that copy.
func hereOf(ref string, peer *remote.Remote) (string, bool) {
	for _, t := range []git.Tracking{peer.Tracking, git.OtherTracking(peer.Name)} {
		rest, ok := strings.CutPrefix(ref, t.All()[0])
		if !ok && ref != t.Notes() {
			continue
		}
		peer.Heads, peer.Tracking = peer.Heads == (t == peer.Tracking), t
		if !ok {
			return git.NotesRef, true
		}
		return git.Root + rest, true
	}
	return "", false
}
