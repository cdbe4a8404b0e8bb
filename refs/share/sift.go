package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// sifting fetches refs after git refused an object of one of them. It halves the list until it knows which: those are set
// aside, and the others come. Refs of one object stay together, because anybody can give thousands of names to one.
type sifting struct {
	ex           *exchanger
	ours, before *remote.RefSet
	get          func([]string) error
	until        time.Time // then a list without a ref that is here is not divided any more
}

// fetchApart fetches the refs that moved, after git refused an object of one of them.
func (ex *exchanger) fetchApart(ctx context.Context, ours, before *remote.RefSet, get func([]string) error) error {
	list, err := ex.listMemory(ctx)
	if err != nil {
		return err
	}
	f := ex.followed(&remote.RefSet{}, before)
	p := sifting{ex: ex, ours: ours, before: before, get: get, until: time.Now().Add(mostApart)}
	var moved []git.Ref
	for _, r := range list {
		here := git.NameHere(r.Name, ex.peer.Heads)
		if name, ok := git.BranchName(here); ok && f != nil && !f.has(name) {
			continue
		}
		if expunge.RefID(before, here) != r.ID {
			moved = append(moved, r)
		}
	}
	return p.fetch(p.group(moved))
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
		if slices.ContainsFunc(group, p.needs) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(groups, func(a, b []git.Ref) int { return cmp.Compare(last(a), last(b)) })
	return groups
}

// needs reports whether a ref is the roadmap, the notes, or one that is here.
func (p *sifting) needs(r git.Ref) bool {
	here := git.NameHere(r.Name, p.ex.peer.Heads)
	return here == git.RoadmapRef || here == git.NotesRef || expunge.RefID(p.ours, here) != ""
}

func (p *sifting) fetch(groups [][]git.Ref) error {
	if len(groups) == 0 {
		return nil
	}
	all := slices.Concat(groups...)
	var refspecs []string
	for _, r := range all {
		refspecs = append(refspecs, "+"+r.Name+":"+p.ex.peer.Tracking.Of(git.NameHere(r.Name, p.ex.peer.Heads)))
	}
	err := p.get(refspecs)
	switch half := len(groups) / 2; {
	case !errors.Is(err, git.ErrBadObject):
		return err
	case half == 0:
		p.refuse(all, err)
		return nil
	case time.Now().After(p.until) && !slices.ContainsFunc(all, p.needs):
		p.leave(all)
		return nil
	default:
		if err := p.fetch(groups[:half]); err != nil {
			return err
		}
		return p.fetch(groups[half:])
	}
}

// refuse sets the refs of one object aside. Each may be set back to where it was when it was last fetched, else to ours:
// what others have pushed since is in their clones.
func (p *sifting) refuse(refs []git.Ref, err error) {
	first := git.NameHere(refs[0].Name, p.ex.peer.Heads)
	why := &fail.Error{Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: err,
		Message: fmt.Sprintf("'%s' of '%s' was not fetched", displayRef(first), p.ex.peer.Name),
		Hints:   []string{"who has pushed it must replace it there"}}
	shown, more := 0, 0
	for n, r := range refs {
		here := git.NameHere(r.Name, p.ex.peer.Heads)
		p.ex.aside[here] = why
		to := cmp.Or(expunge.RefID(p.before, here), expunge.RefID(p.ours, here))
		if to != "" && !(&refAction{ref: here}).isTag() && shown < mostNames {
			shown++
			why.Hints = append(why.Hints, p.ex.setBackHints(git.Ref{Name: here, ID: r.ID}, to)...)
		} else if n > 0 {
			more++
		}
	}
	if more > 0 {
		why.Hints = append(why.Hints, fmt.Sprintf("the same object has %s there", prose.Count(more, "more name")))
	}
}

// leave sets refs aside that were not told apart in time.
func (p *sifting) leave(refs []git.Ref) {
	first := git.NameHere(refs[0].Name, p.ex.peer.Heads)
	why := fail.New(fail.ErrRefused, fail.IncomingInvalid, fmt.Sprintf(
		"%s of '%s' were not fetched, because git refuses some of them: '%s' and so on; the next sync goes on",
		prose.Count(len(refs), "ref"), p.ex.peer.Name, displayRef(first)))
	for _, r := range refs {
		p.ex.aside[git.NameHere(r.Name, p.ex.peer.Heads)] = why
	}
}
