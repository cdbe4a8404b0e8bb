package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// sifting fetches refs after git refused an object of one of them. It halves the list until it knows which: those are set
// aside, and the others come. Refs of one object stay together, because anybody can give thousands of names to one.
type sifting struct {
	ex           *exchanger
	ours, before *remote.RefSet
	get          func([]string) error
	until        time.Time // then a list that has nothing of what needs says is not divided any more
	looked       int       // below how many refs that nothing needs
}

// fetchApart fetches the refs that moved, after git refused an object of one of them. o is the exchange with the other names, which one fetch brings
// together with these.
func (ex *exchanger) fetchApart(ctx context.Context, ours, before *remote.RefSet, o *exchanger, get func([]string) error) error {
	named, other, err := ex.listBoth(ctx)
	if err != nil {
		return err
	}
	f := ex.followed(&remote.RefSet{}, before)
	p := sifting{ex: ex, ours: ours, before: before, get: get, until: time.Now().Add(mostApart)}
	if err := errors.Join(p.fetch(ctx, p.group(p.moved(f, named))), p.remember(ctx)); err != nil {
		return err
	}
	return o.fetchBesideApart(ctx, ours, f, other, get)
}

// moved returns the followed refs of a list that are to be fetched, by their names there.
func (p *sifting) moved(f *followed, list []git.Ref) (moved []git.Ref) {
	for _, r := range list {
		if name, ok := git.BranchName(r.Name); ok && f != nil && !f.has(name) {
			continue
		}
		if held := p.ex.dirty.Refs[r.Name]; held.Old == r.ID { // it is left out of each fetch, and would be pruned
			continue
		}
		if expunge.RefID(p.before, r.Name) != r.ID && p.ex.spared[r.Name].ID != r.ID {
			moved = append(moved, git.Ref{Name: git.NameOn(r.Name, p.ex.peer.Heads), ID: r.ID})
		}
	}
	return moved
}

// remember writes what git refused, see [expunge.CleanState], without the refs that moved meanwhile: each was fetched by
// its name, so that it is not known which object was refused.
func (p *sifting) remember(ctx context.Context) error {
	list, err := p.ex.listMemory(ctx)
	if err != nil {
		return err
	}
	there := map[string]git.ID{}
	for _, r := range list {
		there[git.NameHere(r.Name, p.ex.peer.Heads)] = r.ID
	}
	maps.DeleteFunc(p.ex.spared, func(ref string, r expunge.RefusedRef) bool { return r.ByGit && there[ref] != r.ID })
	return p.ex.saveRefused(ctx, p.ours, p.before)
}

// saveRefused writes the refs that are not to be fetched again.
func (ex *exchanger) saveRefused(ctx context.Context, ours, tracked *remote.RefSet) error {
	if ex.remove || ours.Empty() { // as in refusedBefore
		return nil
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return err
	}
	known, err := expunge.ReadCleanState(ctx, ex.s, ex.peer, e)
	if err != nil {
		return err
	}
	known.Refused = ex.spared
	return expunge.WriteCleanState(ex.s, ex.peer, known, nil, tracked)
}

// refuseAgain sets those aside that git refused before, and that the other side still has as they were.
func (ex *exchanger) refuseAgain(ctx context.Context, ours, before *remote.RefSet) error {
	p := sifting{ex: ex, ours: ours, before: before}
	var refs []git.Ref
	below := map[string]incoming.Sound{}
	for _, ref := range slices.Sorted(maps.Keys(ex.spared)) {
		r := ex.spared[ref]
		if !r.ByGit {
			continue
		}
		refs = append(refs, git.Ref{Name: git.NameOn(ref, ex.peer.Heads), ID: r.ID})
		if r.Sifted {
			below[ref] = incoming.Sound{Tips: r.Tips}
		}
	}
	for _, group := range p.group(refs) {
		if err := p.refuse(ctx, group, errors.New(ex.spared[git.NameHere(group[0].Name, ex.peer.Heads)].Why), below); err != nil {
			return err
		}
	}
	return nil
}

// group joins the refs of one object. Groups with a ref that is here come first; the others are in no order, so that the
// time that they have is not always that of the same ones.
func (p *sifting) group(refs []git.Ref) (groups [][]git.Ref) {
	at := map[git.ID]int{}
	for _, r := range refs {
		n, known := at[r.ID]
		if !known {
			n = len(groups)
			at[r.ID] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], r)
	}
	rand.Shuffle(len(groups), func(a, b int) { groups[a], groups[b] = groups[b], groups[a] })
	last := func(group []git.Ref) int {
		here := refAction{ref: git.NameHere(group[0].Name, p.ex.peer.Heads)}
		switch {
		case slices.ContainsFunc(group, p.needs):
			return 0
		case len(group) == 1 && here.isTag(): // behind the other names of an object, too
			return 2
		}
		return 1
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b git.Ref) int { return cmp.Compare(last([]git.Ref{a}), last([]git.Ref{b})) })
	}
	slices.SortStableFunc(groups, func(a, b []git.Ref) int { return cmp.Compare(last(a), last(b)) })
	return groups
}

// needs reports whether a ref of the remote is the roadmap, the notes, or a branch that is here.
func (p *sifting) needs(r git.Ref) bool {
	r.Name = git.NameHere(r.Name, p.ex.peer.Heads)
	return p.ex.rank(p.ours, r) < leastNeeded
}

func (p *sifting) fetch(ctx context.Context, groups [][]git.Ref) error {
	if len(groups) == 0 {
		return nil
	}
	all := slices.Concat(groups...)
	first := make([]git.Ref, len(groups)) // one name of each object says whether git takes it
	for i, group := range groups {
		first[i] = group[0]
	}
	err := p.get(p.refspecs(first))
	switch half := len(groups) / 2; {
	case err == nil && len(first) < len(all):
		return p.get(p.refspecs(all))
	case !errors.Is(err, git.ErrBadObject):
		return err
	case half == 0:
		below, failed := p.takeSound(ctx, all)
		if failed != nil {
			return failed
		}
		return p.refuse(ctx, all, err, below)
	case time.Now().After(p.until) && !slices.ContainsFunc(all, p.needs):
		p.leave(all)
		return nil
	default:
		if err := p.fetch(ctx, groups[:half]); err != nil {
			return err
		}
		return p.fetch(ctx, groups[half:])
	}
}

func (p *sifting) refspecs(refs []git.Ref) (specs []string) {
	for _, r := range refs {
		specs = append(specs, "+"+r.Name+":"+p.ex.peer.Tracking.Of(git.NameHere(r.Name, p.ex.peer.Heads)))
	}
	return specs
}

// refuse sets the refs of one object aside. below has what is valid below those of which that is known: each of these may be set back to it.
func (p *sifting) refuse(ctx context.Context, refs []git.Ref, err error, below map[string]incoming.Sound) error {
	first := git.NameHere(refs[0].Name, p.ex.peer.Heads)
	why := &fail.Error{Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: err,
		Message: fmt.Sprintf("'%s' of '%s' was not fetched", git.DisplayName(first), p.ex.peer.Name),
		Hints:   []string{noCommand}}
	shown, more := 0, 0
	for n, r := range refs {
		here := git.NameHere(r.Name, p.ex.peer.Heads)
		if p.ex.raised[here] == r.ID {
			delete(p.ex.aside, here) // of the round before
			p.ex.warn(fmt.Sprintf("'%s' of '%s' was not fetched: %v", git.DisplayName(here), p.ex.peer.Name, err))
			continue
		}
		p.ex.aside[here] = why
		sound, known := below[here]
		one := known && len(sound.Tips) < 2
		p.ex.unread = p.ex.unread || here == git.RoadmapRef && !one
		own := expunge.RefID(p.ours, here)
		if had := p.ex.spared[here]; had.ID != r.ID && (one || !known || own != "") { // several that are not joined here are looked at each time
			p.ex.spared[here] = expunge.RefusedRef{ID: r.ID, At: p.ex.s.Clock(), Why: err.Error(), ByGit: true, Sifted: known, Tips: sound.Tips}
		}
		var hints []string
		st := &refAction{ref: first}
		if (st.isTag() || st.isWork()) && !p.ex.peer.Bundle && shown < mostNames { // these come last: nothing else has the object
			hints = p.ex.setBackHints(git.Ref{Name: here, ID: r.ID}, "")
		}
		if known && !p.ex.peer.Bundle && shown < mostNames {
			var failed error
			if hints, failed = p.ex.mendTo(ctx, git.Ref{Name: here, ID: r.ID}, sound, p.ours, why); failed != nil {
				return failed
			}
		}
		why.Hints = append(why.Hints, hints...)
		if len(hints) > 0 {
			shown++
		} else if n > 0 {
			more++
		}
	}
	if more > 0 {
		why.Hints = append(why.Hints, fmt.Sprintf("the same object has %s there", prose.Count(more, "more name")))
	}
	return nil
}

// leave sets refs aside that were not told apart in time.
func (p *sifting) leave(refs []git.Ref) {
	first := git.NameHere(refs[0].Name, p.ex.peer.Heads)
	why := fail.New(fail.ErrRefused, fail.IncomingInvalid, fmt.Sprintf(
		"%s of '%s' were not fetched, because git refuses some of them: '%s' and so on; the next sync goes on",
		prose.Count(len(refs), "ref"), p.ex.peer.Name, git.DisplayName(first)))
	for _, r := range refs {
		p.ex.aside[git.NameHere(r.Name, p.ex.peer.Heads)] = why
	}
}

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
