package share

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/lift"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Who may push to a remote may ask there that others forget. What was written here is then hidden
// until somebody here has said yes. What came from elsewhere is deleted unasked, within limits over
// all syncs since the last yes: a tenth of all entries, at least followEntries, but never half of them,
// and followTexts texts. What only the other side has counts, too: a clone that has never seen it would
// print the command that deletes it there. Entries are counted one by one: totals can be forged. Entries and topics that
// lose texts have a limit like that of entries: a single line may be in all of them. A word always is too much: nobody knows how
// much of what is written later contains it.
const (
	followEntries = 10
	followTexts   = 100
)

// followBytes is what expunged.txt may have with the tombstones of others, unasked. The rest of its limit is for
// what is expunged here.
const followBytes = doc.MaxExpunged / 2

// UnaskedName is the file of local state that counts what was deleted unasked.
const UnaskedName = "unasked.json"

type unasked struct {
	Entries  int `json:"entries"`
	Texts    int `json:"texts"`
	Redacted int `json:"redacted"` // entries and topics that lost texts
}

func (ex *exchanger) readUnasked() (f unasked, err error) {
	_, bad, err := ex.s.ReadState(UnaskedName, &f)
	if bad != nil { // a damaged file counts as none
		f = unasked{}
	}
	return f, err
}

func writeUnasked(s *store.Store, f unasked) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(UnaskedName, append(data, '\n'))
}

// toHide returns which of some new tombstones of the other side must not be applied without consent:
// what was written here; all of them, if the rest is more than the limits allow.
func (ex *exchanger) toHide(ctx context.Context, fresh doc.Expunged) (doc.Expunged, error) {
	if fresh.Empty() || ex.accepted || ex.peer.Accepts {
		return doc.Expunged{}, nil
	}
	own, err := expunge.OwnHits(ctx, ex.s, fresh)
	if err != nil {
		return own, err
	}
	ok, err := ex.withinLimits(ctx, fresh.Without(own))
	if err == nil && !ok {
		own = fresh
	}
	return own, err
}

// withinLimits counts what some tombstones remove, and adds it to what was removed before unless it
// is too much. The count is written before anything is removed, so that a killed process does not
// forget it.
func (ex *exchanger) withinLimits(ctx context.Context, e doc.Expunged) (bool, error) {
	if e.Empty() || e.Words() > 0 {
		return e.Empty(), nil
	}
	before, err := ex.readUnasked()
	if err != nil {
		return false, err
	}
	more, most, err := ex.count(ctx, e, before)
	if err != nil {
		return false, err
	}
	now := unasked{before.Entries + more.Entries, before.Texts + more.Texts, before.Redacted + more.Redacted}
	if now.Entries > most || now.Redacted > most || now.Texts > followTexts {
		return false, nil
	}
	if ex.rehearsal || !ex.merge || ex.dry || now == before {
		return true, nil
	}
	return true, writeUnasked(ex.s, now)
}

// count counts what some tombstones remove, and how many entries may go in all.
func (ex *exchanger) count(ctx context.Context, e doc.Expunged, before unasked) (more unasked, most int, err error) {
	there, err := ex.tracking(ctx)
	if err != nil {
		return more, 0, err
	}
	var own, res expunge.Result // without and with branches that only the other side has
	err = errors.Join(expunge.Describe(ctx, ex.s, e, &own), expunge.Describe(ctx, ex.s, e, &res, there...))
	if err != nil {
		return more, 0, err
	}
	all := cmp.Or(own.All, res.All) + before.Entries
	return unasked{res.Entries, res.Texts, res.Redacted}, min(max(followEntries, all/10), all/2), nil
}

// tracking lists the branches that tracking refs of the other side have, and had when it was asked before.
func (ex *exchanger) tracking(ctx context.Context) ([]git.Ref, error) {
	there, err := ex.s.Repo().Refs(ctx, ex.peer.Tracking.Branches())
	if err != nil {
		return nil, err
	}
	replaced, err := ex.replacedBranches(ctx)
	return append(there, replaced...), err
}

// hideFirst hides what a remote asks to forget of its own memory, of which nothing is here yet, if that is too much. It
// reports whether it has hidden anything. Of tombstones that the remote itself has followed nothing is left to count.
func (ex *exchanger) hideFirst(ctx context.Context, e doc.Expunged, roadmap git.ID) (bool, error) {
	if !ex.merge || ex.rehearsal || ex.peer.Bundle || ex.peer.Accepts || e.InForce() == 0 {
		return false, nil
	}
	more, most, err := ex.count(ctx, e, unasked{})
	if words := e.Without(doc.Expunged{}).Words(); err != nil || words == 0 && max(more.Entries, more.Redacted) <= most {
		return false, err
	}
	return ex.keep(ctx, e, roadmap)
}

// hide keeps what must not go without consent, out of sight, and returns the other tombstones.
func (ex *exchanger) hide(ctx context.Context, e, asked doc.Expunged, roadmap git.ID) (doc.Expunged, error) {
	if asked.Empty() {
		return e, nil
	}
	_, err := ex.keep(ctx, asked, roadmap)
	return e.Except(asked), err
}

// HeardName is the file of local state that says how much of the list of what was written here was compared with the
// tombstones, see [store.Store.WrittenSince].
const HeardName = "heard.json"

type heard struct {
	Bytes int64 `json:"bytes"`
}

// hideWritten hides what was written here after a tombstone had named it: who may push may name a text that no
// clone has yet. Every other clone would drop it from what comes, unseen by its writer. It reads what was written since
// the last time, and reports whether refs moved.
func (ex *exchanger) hideWritten(ctx context.Context, ours *remote.RefSet) (bool, error) {
	known, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil || known.InForce() == 0 {
		return false, err
	}
	var before heard
	found, bad, err := ex.s.ReadState(HeardName, &before)
	if err != nil {
		return false, err
	}
	if bad != nil { // read all again
		found, before = false, heard{}
	}
	list, end, err := ex.s.WrittenSince(before.Bytes)
	if err != nil || found && len(list) == 0 {
		return false, err
	}
	var again doc.Expunged
	if found {
		again, err = expunge.HitsOf(ctx, ex.s, known, list)
	} else {
		again, err = expunge.OwnHits(ctx, ex.s, known)
	}
	if err != nil {
		return false, err
	}
	moved := false
	if !again.Empty() {
		moved, err = ex.hideAgain(ctx, again, ours.Roadmap)
	}
	if err != nil || ex.rehearsal {
		return false, err
	}
	data, err := json.Marshal(heard{end})
	if err != nil {
		return false, err
	}
	return moved, ex.s.Repo().WriteStateFile(HeardName, append(data, '\n'))
}

// expungeOwn applies the tombstones in force to what is here and should not be. While something that a remote asks to forget
// is kept, what was written here is hidden first, and kept; else old history that came back goes without a question.
func (ex *exchanger) expungeOwn(ctx context.Context, ours *remote.RefSet) (bool, error) {
	asked, err := expunge.Waiting(ctx, ex.s)
	if err != nil {
		return false, err
	}
	first, then := ex.expungeBack, ex.hideWritten
	if len(asked) > 0 {
		first, then = then, first
	}
	if again, err := first(ctx, ours); err != nil || again {
		return again, err
	}
	return then(ctx, ours)
}

// expungeBack expunges once more what something else than a command of ours has brought back into our own refs, as a
// forced fetch does while a remote still has it. It reports whether there was any.
func (ex *exchanger) expungeBack(ctx context.Context, ours *remote.RefSet) (bool, error) {
	known, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return false, err
	}
	missing, err := expunge.Missing(ex.s, known)
	if err != nil {
		return false, err
	}
	refs, err := expunge.CameBack(ctx, ex.s, known.Union(missing))
	if err != nil || len(refs) == 0 && missing.Empty() {
		return false, err
	}
	has, had := "lacks the record of an expunge here", "lacked the record of an expunge here"
	if len(refs) > 0 {
		has, had = "contains what was expunged", "contained what was expunged"
	} else {
		refs = []string{git.RoadmapRef}
	}
	for i, ref := range refs {
		refs[i] = git.DisplayName(ref)
	}
	names := prose.QuotedList(refs)
	if !ex.merge || ex.rehearsal {
		return false, fail.New(fail.ErrRefused, fail.ExpungedOnRemote, names+" "+has, remote.SyncCommand(prose.ShellWord(ex.peer.Name)))
	}
	if err := ex.dropUnsound(ctx); err != nil {
		return false, err
	}
	op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer}
	err = op.Run(ctx, missing)
	ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
	if err == nil {
		ex.note(names + " " + had + "; it was expunged again")
	}
	return true, err
}

// hideAgain does what some tombstones of ours ask, and reports whether anything here contained what they name: old
// commits may only be here because a remote has them.
func (ex *exchanger) hideAgain(ctx context.Context, again doc.Expunged, roadmap git.ID) (bool, error) {
	if has, err := expunge.OwnRefsHave(ctx, ex.s, again); err != nil || !has {
		return false, err
	}
	name := prose.ShellWord(ex.peer.Name)
	switch {
	case !ex.merge:
		return false, fail.New(fail.ErrRefused, fail.ExpungedElsewhere,
			fmt.Sprintf("what was written here has %s that '%s' has expunged", expunge.AskedText(again), ex.peer.Name),
			remote.SyncCommand(name))
	case ex.rehearsal:
		ex.warn(fmt.Sprintf("what was written here has %s that '%s' has expunged; %s hides it until you answer",
			expunge.AskedText(again), ex.peer.Name, remote.SyncCommand(name)))
		return false, nil
	case ex.peer.Accepts:
		op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer, Result: resultOf(again)}
		err := ex.dropUnsound(ctx)
		if err == nil {
			err = op.Run(ctx, doc.Expunged{})
		}
		ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
		return true, err
	}
	return ex.keep(ctx, again, roadmap)
}

// keep keeps what a commit of the roadmap asks to forget, out of sight. It reports whether anything had it. The tombstones go on
// top of our roadmap or, if there is none here, of the other side's.
func (ex *exchanger) keep(ctx context.Context, asked doc.Expunged, roadmap git.ID) (bool, error) {
	if err := ex.dropUnsound(ctx); err != nil {
		return false, err
	}
	base, err := ex.s.RoadmapTip(ctx)
	if err == nil && base == "" {
		base, err = ex.restoredRoadmap(ctx, asked, roadmap)
	}
	if err != nil {
		return false, err
	}
	request, err := ex.hideAway(ctx, expunge.Request{Remote: ex.peer.Name, Asked: asked, Roadmap: roadmap}, base, doc.Expunged{})
	return request != nil, err
}

// hideAway hides what a request asks for, also of branches that this exchange has fetched without it.
func (ex *exchanger) hideAway(ctx context.Context, r expunge.Request, base git.ID, more doc.Expunged) (*expunge.Request, error) {
	replaced, err := ex.replacedBranches(ctx)
	if err != nil {
		return nil, err
	}
	request, warnings, err := expunge.Hide(ctx, ex.s, ex.o.Writer, r, base, more, replaced...)
	ex.res.Warnings = append(ex.res.Warnings, warnings...)
	return request, err
}

// follow does what the other side asks of what was written elsewhere, and keeps it for a time: it may be gone
// everywhere else. all are the tombstones that apply, asked those that remove something. Where the user has agreed, or
// trusts the remote, and where nothing here has it, follow does nothing and returns false. The tombstones go on top of base, see tombstoneBase.
func (ex *exchanger) follow(ctx context.Context, all, asked doc.Expunged, roadmap, base git.ID) (bool, error) {
	if asked.Empty() || ex.accepted || ex.expunge || ex.peer.Accepts {
		return false, nil
	}
	until := ex.s.Clock().Add(expunge.FollowedFor).Truncate(time.Second)
	request, err := ex.hideAway(ctx, expunge.Request{Remote: ex.peer.Name, Asked: asked, Roadmap: roadmap, Until: until}, base, all)
	if request == nil || err != nil {
		return false, err
	}
	ex.noteFollowed(asked)
	ex.note(fmt.Sprintf("it is hidden and kept here until %s; what it is, and how to bring it back: %s",
		until.UTC().Format(time.DateOnly), expunge.ShowCommand(ex.peer.Name)))
	return true, nil
}

func (ex *exchanger) noteFollowed(e doc.Expunged) {
	ex.note(fmt.Sprintf("'%s' has expunged %s; this repository does the same", ex.peer.Name, expunge.EntriesText(len(e.Entries()))))
}

// dropUnsound drops what of the other sides cannot be read, and so not be rewritten.
func (ex *exchanger) dropUnsound(ctx context.Context) error {
	dropped, err := expunge.DropUnsoundTracking(ctx, ex.s, ex.o.Writer, ex.needed()...)
	ex.res.Warnings = append(ex.res.Warnings, dropped...)
	return err
}

// tellRequests warns of what the other side asks to forget and nobody has answered.
func (ex *exchanger) tellRequests(ctx context.Context) error {
	list, err := expunge.RequestsOf(ctx, ex.s, remote.NameOf(ex.peer.Name))
	if err != nil {
		return err
	}
	var asked doc.Expunged
	for _, r := range list {
		if r.Waits() {
			asked = asked.Union(r.Asked)
		}
	}
	if asked.Empty() {
		return nil
	}
	ex.warn(fmt.Sprintf("'%s' asks to forget %s; it is hidden and kept here until you answer: %s", ex.peer.Name,
		expunge.AskedText(asked), expunge.ShowCommand(ex.peer.Name)))
	return nil
}

// followedAskers returns whose requests were followed here and are kept, this remote first.
func (ex *exchanger) followedAskers(ctx context.Context) ([]string, error) {
	list, err := expunge.Waiting(ctx, ex.s)
	list = slices.DeleteFunc(list, func(r expunge.Request) bool { return r.Waits() })
	return expunge.Askers(list, ex.peer.Name), err
}

// lookFirst are the hints that come before the commands that clean a remote, where what somebody asks to forget was followed
// here. Who is no party to it should see what it is: these commands delete it on the remote, too.
func lookFirst(askers []string) []string {
	var hints []string
	for _, name := range askers {
		hints = append(hints, expunge.ShowCommand(name), "git context expunge --from "+prose.ShellWord(name)+" --refuse")
	}
	return hints
}

// bringBack lifts the requests of which the other side has something in force no more. What remotes have of it is no old
// history any more: the commands that clean them would delete there what comes back.
func (ex *exchanger) bringBack(ctx context.Context, known, all doc.Expunged) error {
	back := known.Without(all)
	if back.Empty() {
		return nil
	}
	here, err := expunge.Here(ex.s)
	if err != nil {
		return err
	}
	if own := back.Of(here); !own.Empty() {
		ex.warn(fmt.Sprintf("'%s' has the record that somebody refused to forget what was expunged here (%s), and brings it back; "+
			"git context expunge removes it again", ex.peer.Name, expunge.AskedText(own)))
	}
	if err := ex.liftAll(ctx, back, all); err != nil {
		return err
	}
	clear(ex.dirty.Refs)
	return expunge.ForgetHeld(ex.s)
}

// liftAll lifts those requests that ask for something of back.
func (ex *exchanger) liftAll(ctx context.Context, back, all doc.Expunged) error {
	list, err := expunge.Requests(ctx, ex.s)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(r expunge.Request) bool {
		return len(r.Asked.Except(back).Bytes()) == len(r.Asked.Bytes())
	})
	if len(list) == 0 {
		return nil
	}
	warnings, err := lift.Run(ctx, ex.s, ex.o.Writer, list, all, "Take over the tombstones of "+prose.OneLine(ex.peer.Name, 100))
	if err == nil {
		ex.note(fmt.Sprintf("'%s' no longer asks to forget what was hidden here; it is back", ex.peer.Name))
	}
	ex.res.Warnings = append(ex.res.Warnings, warnings...)
	return err
}
