package share

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// What one remote asks to forget is in the roadmap here as soon as it is hidden. Before somebody has answered, no other
// remote gets it: its clones would hide there what is only hidden here, though nobody with a right to push there has asked.

// withheld lists the requests of other remotes that wait for an answer, and that the roadmap of this one does not make.
func (ex *exchanger) withheld(ctx context.Context, theirs git.ID) ([]expunge.Request, error) {
	list, err := expunge.Unanswered(ctx, ex.s)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, theirs)
	return slices.DeleteFunc(list, func(r expunge.Request) bool {
		return r.Asker() == remote.NameOf(ex.peer.Name) || e.Contains(r.Asked)
	}), err
}

// withholdRoadmap keeps the planned push of the roadmap from passing on what waits for an answer. theirs is the roadmap of the
// other side. It gets the other tombstones alone: without them other clones would bring back what was expunged here.
func (ex *exchanger) withholdRoadmap(ctx context.Context, ses *store.Transaction, st *refAction, theirs git.ID) error {
	if !ex.push || st.push == "" {
		return nil
	}
	list, err := ex.withheld(ctx, theirs)
	if err != nil || len(list) == 0 {
		return err
	}
	st.push = ""
	askers := expunge.Askers(list, "")
	ex.warn(fmt.Sprintf("the roadmap is not pushed to '%s' until you answer what %s asks to forget: %s", ex.peer.Name,
		prose.QuotedList(askers), expunge.ShowCommand(askers[0])))
	if theirs == "" {
		return nil
	}
	err = ex.sendAnswered(ctx, ses, st, theirs)
	if ex.sent[0] == theirs {
		ex.sent[1] = st.push
	}
	return err
}

// sendAnswered is sendTombstones without what waits for an answer.
func (ex *exchanger) sendAnswered(ctx context.Context, ses *store.Transaction, st *refAction, theirs git.ID) error {
	known, err := expunge.TombstonesAt(ctx, ex.s, st.ours)
	if err != nil || known.Empty() {
		return err
	}
	list, err := ex.withheld(ctx, theirs)
	if err != nil {
		return err
	}
	for _, r := range list {
		known = known.Except(r.Asked)
	}
	has, err := expunge.TombstonesAt(ctx, ex.s, theirs)
	if err != nil {
		return err
	}
	if err := addReplaced(&has, known); err != nil || has.Contains(known) { // replaced commits alone are no reason
		return err
	}
	return ex.sendTombstones(ctx, ses, st, known, theirs)
}

// refuseFirst refuses to give a remote its first memory while it would be without what waits for an answer.
func (ex *exchanger) refuseFirst(ctx context.Context) error {
	list, err := ex.withheld(ctx, "")
	if err != nil {
		return err
	}
	return refuseHidden(fmt.Sprintf("'%s' gets no memory", ex.peer.Name), list)
}

// refuseHidden is the error for a copy of all memory, which would be without what some requests ask to forget; nil without requests.
func refuseHidden(what string, list []expunge.Request) error {
	if len(list) == 0 {
		return nil
	}
	askers := expunge.Askers(list, "")
	return fail.New(fail.ErrRefused, fail.ExpungeAsked,
		fmt.Sprintf("%s until you answer what %s asks to forget, which is hidden here", what, prose.QuotedList(askers)),
		expunge.AnswerCommands(askers)...)
}

// unansweredAskers returns who asks to forget something and has no answer, this remote first.
func (ex *exchanger) unansweredAskers(ctx context.Context) ([]string, error) {
	list, err := expunge.Unanswered(ctx, ex.s)
	return expunge.Askers(list, remote.NameOf(ex.peer.Name)), err
}

// errAsked is the error for a remote that has old history while somebody asks to forget something and has no answer. No
// command is named that cleans the remote: it would delete there what waits for the answer.
func (ex *exchanger) errAsked(refs string, askers []string) error {
	text := fmt.Sprintf("'%s' asks to forget what it still contains itself, in %s; these refs are not pushed until you answer", ex.peer.Name, refs)
	if askers[0] != ex.peer.Name {
		text = fmt.Sprintf("'%s' still contains what is hidden here, in %s; these refs are not pushed until you answer what %s asks to forget",
			ex.peer.Name, refs, prose.QuotedList(askers))
	}
	return fail.New(fail.ErrRefused, fail.ExpungeAsked, text, expunge.AnswerCommands(askers)...)
}

// warnDirty warns in a rehearsal of old history that the other side has.
func (ex *exchanger) warnDirty(ctx context.Context) error {
	held := ex.dirty.List()
	if len(held) == 0 {
		return nil
	}
	askers, err := ex.unansweredAskers(ctx)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("'%s' still contains what was expunged, in %s; ", ex.peer.Name, namesOf(held))
	if len(askers) == 0 {
		text += fmt.Sprintf("'%s' prints the commands that remove it", remote.SyncCommand(ex.peer.Name))
	} else {
		text += fmt.Sprintf("these refs are not pushed until you answer what %s asks to forget: %s", prose.QuotedList(askers), expunge.ShowCommand(askers[0]))
	}
	ex.warn(text)
	return nil
}

// holdReturning sets aside branches, tags and notes that would bring back to the other side what it has expunged, while its roadmap, which says so,
// is refused: anybody may put a commit on top of the tombstones that nobody takes in. roadmap is as the other side has it. What the other side
// itself still has is not held back, whatever the tombstones ask.
func (ex *exchanger) holdReturning(ctx context.Context, ours, theirs *remote.RefSet, roadmap git.ID) error {
	if !ex.push || ex.aside[git.RoadmapRef] == nil || roadmap == "" || ours.Empty() {
		return nil
	}
	known, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return err
	}
	var there doc.Expunged
	infos, err := ex.s.Repo().Infos(ctx, []git.ID{roadmap})
	if err != nil {
		return err
	}
	below := ex.spared[git.RoadmapRef].Tips // what git refuses has not come, and several tips are in no tracking ref
	unread := infos[0].Type != "commit" || ex.unread && len(below) == 0
	if infos[0].Type == "commit" {
		below = append(slices.Clone(below), roadmap)
	}
	for _, id := range below {
		e, err := ex.readableTombstones(ctx, ours.Roadmap, id)
		if err != nil {
			return err
		}
		there = there.Union(e)
	}
	if !unread && known.Contains(there) {
		return nil
	}
	tracked, err := remote.Tracked(ctx, ex.s, ex.peer) // theirs has ours where a ref is set aside
	if err != nil {
		return err
	}
	for ref := range ex.aside { // it may not have been fetched
		set(&tracked, git.Ref{Name: ref})
	}
	if f := ex.followed(ours, &tracked); f != nil {
		maps.DeleteFunc(tracked.Branches, func(name string, _ git.ID) bool { return !f.has(name) })
	}
	b := returning{ex: ex, known: known, fresh: known.Union(there).Without(known), rest: map[string]*expunge.Rewriter{}, hits: map[string]doc.Expunged{}, theirs: tipsOf(&tracked), branches: slices.Sorted(maps.Values(ours.Branches))}
	b.unread = unread
	b.all = expunge.NewRewriter(ex.s, known.Union(there))
	for _, r := range refsOf(ours) {
		if err := b.hold(ctx, r, expunge.RefID(&tracked, r.Name)); err != nil {
			return err
		}
	}
	ex.setAside(ours, theirs)
	return nil
}

// returning looks for what would bring back something that the other side has expunged.
type returning struct {
	ex           *exchanger
	known, fresh doc.Expunged      // our tombstones, and theirs that we have not taken over
	all          *expunge.Rewriter // by both
	branches     []git.ID          // of ours
	theirs       []git.ID          // the branches and tags of the other side
	unread       bool              // there may be tombstones that cannot be read
	held         bool              // something is held

	rest map[string]*expunge.Rewriter // by both without some of fresh, by the list of these
	hits map[string]doc.Expunged      // which of fresh some commits have, by the list of these
}

// tipsOf lists the commits of branches and tags.
func tipsOf(v *remote.RefSet) []git.ID {
	ids := slices.Concat(slices.Collect(maps.Values(v.Branches)), slices.Collect(maps.Values(v.Tags)))
	return slices.DeleteFunc(ids, func(id git.ID) bool { return id == "" })
}

// hold sets a ref of ours aside if it would. there is what the other side has of it, if anything.
func (b *returning) hold(ctx context.Context, r git.Ref, there git.ID) error {
	st := &refAction{ref: r.Name}
	name, isBranch := git.BranchName(r.Name)
	if r.ID == "" || r.ID == there || isBranch && !b.ex.wants(name) || r.Name == git.RoadmapRef || st.isWork() || st.isTag() && there != "" || b.ex.aside[r.Name] != nil {
		return nil
	}
	tips := []git.ID{there}
	if there == "" {
		tips = b.theirs
	}
	returns, err := b.returns(ctx, r, tips)
	why := "contains what '%s' has expunged"
	if err == nil && !returns && b.unread {
		why = "was rewritten on '%s', perhaps because something was expunged"
		if returns = b.held; r.Name != git.NotesRef {
			returns, err = b.rewritten(ctx, r.ID, b.theirs) // something of another branch may be in it, too
		}
	}
	if err != nil || !returns {
		return err
	}
	b.held = true
	b.ex.aside[r.Name] = fail.New(fail.ErrRefused, fail.ExpungedOnRemote, fmt.Sprintf("'%s' "+why+"; it is neither merged nor pushed while the roadmap there is refused",
		git.DisplayName(r.Name), b.ex.peer.Name))
	return nil
}

// returns reports whether a ref has something that the tombstones name, and that the other side has no more.
func (b *returning) returns(ctx context.Context, r git.Ref, theirs []git.ID) (bool, error) {
	has, err := b.contains(ctx, b.all, r)
	if err != nil || !has {
		return false, err
	}
	still, err := b.shared(ctx, r.ID, theirs)
	if err != nil || still.Empty() {
		return err == nil, err
	}
	rest := b.rest[string(still.Bytes())]
	if rest == nil {
		rest = expunge.NewRewriter(b.ex.s, b.known.Union(b.fresh.Except(still)))
		b.rest[string(still.Bytes())] = rest
	}
	return b.contains(ctx, rest, r)
}

// rewritten reports whether the other side has other commits in the place of some of ours, made by the same people at the same time, as
// an expunge leaves them.
func (b *returning) rewritten(ctx context.Context, ours git.ID, theirs []git.ID) (bool, error) {
	mine, err := b.ex.s.Repo().Hands(ctx, []git.ID{ours}, theirs)
	if err != nil || len(mine) == 0 {
		return false, err
	}
	others, err := b.ex.s.Repo().Hands(ctx, theirs, []git.ID{ours})
	for hand := range mine {
		if others[hand] {
			return true, err
		}
	}
	return false, err
}

// contains reports whether a ref contains what a rewriter removes, or it cannot be told.
func (b *returning) contains(ctx context.Context, w *expunge.Rewriter, r git.Ref) (bool, error) {
	if r.Name == git.NotesRef {
		if _, err := w.Rewrite(ctx, b.branches); err != nil && !cannotRedact(err) { // notes go with their commits
			return false, err
		}
		now, err := w.CleanNotes(ctx, r.ID, "")
		return now != r.ID, err
	}
	now, err := w.Rewrite(ctx, []git.ID{r.ID})
	if cannotRedact(err) {
		return true, nil
	}
	return now[r.ID] != r.ID, err
}

// shared returns the tombstones of what commits have that both ours and some commits of the other side lead to. What else the other side has
// does not count: anybody can push a commit there that looks like what is expunged, or a text of his own that the tombstones name.
func (b *returning) shared(ctx context.Context, ours git.ID, theirs []git.ID) (doc.Expunged, error) {
	repo := b.ex.s.Repo()
	both, err := repo.Beyond(ctx, []git.ID{ours}, nil)
	if err != nil {
		return doc.Expunged{}, err
	}
	lacks, err := repo.Beyond(ctx, []git.ID{ours}, theirs)
	if err != nil {
		return doc.Expunged{}, err
	}
	maps.DeleteFunc(both, func(id git.ID, _ bool) bool { return lacks[id] })
	list := slices.Sorted(maps.Keys(both))
	key := fmt.Sprint(list)
	if hits, known := b.hits[key]; known { // most branches share the same commits
		return hits, nil
	}
	hits, err := expunge.HitsOf(ctx, b.ex.s, b.fresh, list)
	b.hits[key] = hits
	return hits, err
}

// readableTombstones returns the tombstones that are in force in commits of the other side's roadmap which ours does not have: in one that is refused
// they may be lifted. A commit whose list cannot be read is passed over.
func (ex *exchanger) readableTombstones(ctx context.Context, ours, id git.ID) (all doc.Expunged, err error) {
	list, err := ex.aheadOfRoadmap(ctx, ours, id)
	if err != nil {
		return all, err
	}
	for _, c := range list {
		e, err := expunge.TombstonesIn(ctx, ex.s, ex.s.Repo().Edit(c.Tree))
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if e = e.Without(doc.Expunged{}); err == nil && !all.Contains(e) {
			all = all.Union(e)
		}
	}
	return all, nil
}
