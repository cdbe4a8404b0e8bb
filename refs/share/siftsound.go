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
// object, so that it is fetched once more, into a quarantine.
func (p *sifting) takeSound(ctx context.Context, refs []git.Ref) error {
	refs = slices.DeleteFunc(slices.Clone(refs), func(r git.Ref) bool { return !p.needs(r) })
	if len(refs) == 0 {
		return nil
	}
	q, remove, err := p.ex.s.Repo().Quarantine(ctx)
	if err != nil {
		return err
	}
	err = q.Fetch(ctx, git.FetchOptions{Remote: p.ex.peer.Name, Refspecs: []string{refs[0].Name}, Unchecked: true, Progress: p.ex.o.Progress})
	for _, r := range refs {
		if err == nil {
			err = p.takeSoundOf(ctx, q, r)
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if err != nil { // what is known of the ref stays as it was
		p.ex.warn(fmt.Sprintf("what is valid below '%s' of '%s' is not known: %v", displayRef(git.NameHere(refs[0].Name, p.ex.peer.Heads)), p.ex.peer.Name, err))
		err = nil
	}
	return errors.Join(err, remove())
}

// takeSoundOf is takeSound for one ref, which is in a quarantine. Where there are several valid commits it takes none: a ref has room for one.
func (p *sifting) takeSoundOf(ctx context.Context, q *git.Repo, r git.Ref) error {
	here, own := git.NameHere(r.Name, p.ex.peer.Heads), idsOf(p.ours)
	there := newExchanger(p.ex.s.Over(q), p.ex.o, p.ex.peer, p.ex.res)
	_, role := there.refsToCheck(git.Ref{Name: here})
	sound, err := there.soundBelow(ctx, git.Ref{Name: here, ID: r.ID}, role, p.ours)
	if err != nil || len(sound.Tips) != 1 {
		return err
	}
	had, tip := expunge.RefID(p.before, here), sound.Tips[0]
	if tip == had {
		return nil
	}
	if err := p.ex.s.Repo().Bring(ctx, q, sound.Tips, own); err != nil {
		return err
	}
	fault.Point("sound-brought")
	ses, err := p.ex.s.Begin(ctx, p.ex.o.Writer, "fetch: "+prose.OneLine(p.ex.peer.Name, 100))
	if err != nil {
		return err
	}
	defer ses.Close()
	ses.Refs.Update(p.ex.peer.Tracking.Of(here), tip, had)
	if err := ses.Commit(ctx); err != nil {
		return err
	}
	set(p.before, git.Ref{Name: here, ID: tip})
	return nil
}
