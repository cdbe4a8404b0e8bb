package share

import (
	"context"
	"fmt"
	"slices"

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
	text := fmt.Sprintf("'%s' still contains what was expunged, in %s; ", ex.peer.Name, prose.QuotedList(refNames(held)))
	if len(askers) == 0 {
		text += fmt.Sprintf("'%s' prints the commands that remove it", remote.SyncCommand(ex.peer.Name))
	} else {
		text += fmt.Sprintf("these refs are not pushed until you answer what %s asks to forget: %s", prose.QuotedList(askers), expunge.ShowCommand(askers[0]))
	}
	ex.warn(text)
	return nil
}
