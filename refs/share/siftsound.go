package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// takeSound brings what is valid below branches, the roadmap and notes of one object that git refuses: what others have pushed there may say what
// they have expunged, and the refs must not be set back to before it. git refuses all that came with a bad object, so that it is fetched once
// more, into a quarantine. The tracking ref moves to the newest valid commit, if there is one. It returns what is valid of those refs of which it
// could tell; of what others do not need, only while there is time.
func (p *sifting) takeSound(ctx context.Context, refs []git.Ref) (below map[string]incoming.Sound, err error) {
	var list []git.Ref
	for _, r := range refs[:min(len(refs), mostNames)] {
		here := git.Ref{Name: git.NameHere(r.Name, p.ex.peer.Heads), ID: r.ID}
		if _, role := p.ex.refsToCheck(here); role != 0 && !(&refAction{ref: here.Name}).isTag() && (p.needs(r) || p.mayLook()) {
			list = append(list, here)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	q, remove, err := p.ex.s.Repo().Quarantine(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	below = map[string]incoming.Sound{}
	failed := q.Fetch(ctx, git.FetchOptions{Remote: remote.NameOf(p.ex.peer.Name), Refspecs: []string{refs[0].Name}, Unchecked: true, Progress: p.ex.o.Progress})
	for _, r := range list {
		var sound incoming.Sound
		if failed == nil {
			sound, failed = p.takeSoundOf(ctx, q, r)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(failed, git.ErrStale):
			return nil, failed
		case failed != nil: // who has pushed it may want that; the other refs are exchanged
			p.ex.warn(fmt.Sprintf("what is valid below '%s' of '%s' is not known: %v", git.DisplayName(r.Name), p.ex.peer.Name, failed))
			return below, nil
		}
		below[r.Name] = sound
	}
	return below, nil
}

// mostLooked is below how many refs that nothing needs one exchange looks: anybody can push thousands.
const mostLooked = 4

func (p *sifting) mayLook() bool {
	p.looked++
	return p.looked <= mostLooked && time.Now().Before(p.until)
}

// takeSoundOf is takeSound for one ref, which is in a quarantine.
func (p *sifting) takeSoundOf(ctx context.Context, q *git.Repo, r git.Ref) (incoming.Sound, error) {
	there := newExchanger(p.ex.s.Over(q), p.ex.o, p.ex.peer, p.ex.res)
	_, role := there.refsToCheck(r)
	sound, err := there.soundBelow(ctx, r, role, p.ours)
	if err != nil || len(sound.Tips) == 0 {
		return sound, err
	}
	had, tip := expunge.RefID(p.before, r.Name), sound.Tips[0]
	if len(sound.Tips) == 1 && tip == had {
		return sound, p.raise(ctx, r, tip)
	}
	if err := p.bring(ctx, q, sound.Tips); err != nil {
		return sound, err
	}
	if len(sound.Tips) > 1 {
		_, isBranch := git.BranchName(r.Name)
		if !p.ex.merge || r.Name == git.NotesRef || !p.ex.peer.OtherNames && !(isBranch && expunge.RefID(p.ours, r.Name) == "") { // these are joined here
			return sound, nil
		}
		if tip, err = p.united(ctx, r, had, sound.Tips); err != nil || tip == "" {
			return sound, errors.Join(err, p.raise(ctx, r, sound.Tips...))
		}
		sound.Tips = []git.ID{tip}
	}
	fault.Point("sound-brought")
	ses, err := p.ex.s.Begin(ctx, p.ex.o.Writer, "fetch: "+prose.OneLine(p.ex.peer.Name, 100))
	if err != nil {
		return sound, err
	}
	defer ses.Close()
	ses.Refs.Update(p.ex.peer.Tracking.Of(r.Name), tip, had)
	if err := ses.Commit(ctx); err != nil {
		return sound, err
	}
	set(p.before, git.Ref{Name: r.Name, ID: tip})
	return sound, p.raise(ctx, r, tip)
}

// united is exchanger.unite, with what the tracking ref and the names in use have.
func (p *sifting) united(ctx context.Context, r git.Ref, had git.ID, tips []git.ID) (git.ID, error) {
	known := []git.ID{had}
	if p.ex.peer.OtherNames {
		named, err := remote.Tracked(ctx, p.ex.s, p.ex.named.peer)
		if err != nil {
			return "", err
		}
		known = append(known, expunge.RefID(&named, r.Name))
	}
	return p.ex.unite(ctx, r.Name, tips, p.ours, known...)
}

// bring copies commits from a quarantine, unless our refs lead to all of them.
func (p *sifting) bring(ctx context.Context, q *git.Repo, tips []git.ID) error {
	beyond, err := q.Beyond(ctx, tips, idsOf(p.ours))
	if err != nil || len(beyond) == 0 {
		return err
	}
	return p.ex.s.Repo().Bring(ctx, q, tips, idsOf(p.ours))
}

// raise notes a branch that is not here of which what is valid below the refused commit leads to what was expunged: it is cleaned as if the other side
// had it, see replaceTracking. Of several commits that are not united it only warns.
func (p *sifting) raise(ctx context.Context, r git.Ref, tips ...git.ID) error {
	if _, isBranch := git.BranchName(r.Name); !isBranch || expunge.RefID(p.ours, r.Name) != "" || p.ex.peer.OtherNames {
		return nil
	}
	e, err := expunge.TombstonesAt(ctx, p.ex.s, p.ours.Roadmap)
	if err != nil || e.Empty() {
		return err
	}
	now, err := expunge.NewRewriter(p.ex.s, e).RewriteNew(ctx, tips)
	if cannotRedact(err) {
		return nil
	}
	switch dirty := slices.ContainsFunc(tips, func(id git.ID) bool { return now[id] != id }); {
	case err != nil || !dirty:
	case len(tips) == 1:
		p.ex.raised[r.Name] = r.ID
	default:
		p.ex.warnBelow(r.Name)
	}
	return err
}
