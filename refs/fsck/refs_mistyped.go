package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// mistyped is the kind of a remote's ref that names no commit.
const mistyped = "remote-ref-type"

// mistypedThere reports a tracking ref that names an object of the wrong type because the remote's ref does. There is
// no repair here: the next fetch would bring the ref back. git reads such a ref, so that the other checks go on. It returns
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
	name, ok := thereOf(r.Name, peer)
	if !ok {
		return false, nil
	}
	p.Kind = mistyped
	p.Message += fmt.Sprintf(": remote '%s' has it so, and nothing of it is taken in", git.Shown(from))
	p.Repair = peer.PushCommand() + " " + prose.ShellQuoted(from) + " " + prose.ShellQuoted(":"+name)
	c.report(ctx, nil, p)
	return true, nil
}

// thereOf returns the name on its remote of what a tracking ref copies.
func thereOf(ref string, peer remote.Remote) (string, bool) {
	for _, t := range []git.Tracking{peer.Tracking, git.OtherTracking(peer.Name)} {
		heads := peer.Heads == (t == peer.Tracking)
		if ref == t.Notes() {
			return git.NameOn(git.NotesRef, heads), true
		}
		if rest, ok := strings.CutPrefix(ref, t.All()[0]); ok {
			return git.NameOn(git.Root+rest, heads), true
		}
	}
	return "", false
}
