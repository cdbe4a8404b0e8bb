package share

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// takeSound moves the tracking refs of refs which git refuses, and which others need, to the newest valid commit below them: with what others
// have pushed there it may say what they have expunged, and it is what the refs can be set back to. git refuses all that came with a bad
// object, so that it is fetched once more, into a quarantine. It returns the refs, by their names here, of which it could not tell.
func (p *sifting) takeSound(ctx context.Context, refs []git.Ref) (unread []string, err error) {
	refs = slices.DeleteFunc(slices.Clone(refs), func(r git.Ref) bool { return !p.needs(r) })
	if len(refs) == 0 {
		return nil, nil
	}
	q, remove, err := p.ex.s.Repo().Quarantine(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	found := q.Fetch(ctx, git.FetchOptions{Remote: p.ex.peer.Name, Refspecs: []string{refs[0].Name}, Unchecked: true, Progress: p.ex.o.Progress})
	for _, r := range refs {
		here, took := git.NameHere(r.Name, p.ex.peer.Heads), false
		if found == nil {
			took, found = p.takeSoundOf(ctx, q, git.Ref{Name: here, ID: r.ID})
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(found, git.ErrStale):
			return nil, found
		case found != nil: // who has pushed it may want that; the other refs are exchanged
			p.ex.warn(fmt.Sprintf("what is valid below '%s' of '%s' is not known: %v", displayRef(here), p.ex.peer.Name, found))
		}
		if !took {
			unread = append(unread, here)
		}
	}
	return unread, nil
}

// takeSoundOf is takeSound for one ref, which is in a quarantine. Where there are several valid commits it takes none: a ref has room for one.
func (p *sifting) takeSoundOf(ctx context.Context, q *git.Repo, r git.Ref) (bool, error) {
	there := newExchanger(p.ex.s.Over(q), p.ex.o, p.ex.peer, p.ex.res)
	_, role := there.refsToCheck(r)
	sound, err := there.soundBelow(ctx, r, role, p.ours)
	if err != nil || len(sound.Tips) != 1 {
		return false, err
	}
	had, tip := expunge.RefID(p.before, r.Name), sound.Tips[0]
	if tip == had {
		return true, nil
	}
	if err := p.ex.s.Repo().Bring(ctx, q, sound.Tips, idsOf(p.ours)); err != nil {
		return false, err
	}
	fault.Point("sound-brought")
	ses, err := p.ex.s.Begin(ctx, p.ex.o.Writer, "fetch: "+prose.OneLine(p.ex.peer.Name, 100))
	if err != nil {
		return false, err
	}
	defer ses.Close()
	ses.Refs.Update(p.ex.peer.Tracking.Of(r.Name), tip, had)
	if err := ses.Commit(ctx); err != nil {
		return false, err
	}
	set(p.before, git.Ref{Name: r.Name, ID: tip})
	return true, nil
}
