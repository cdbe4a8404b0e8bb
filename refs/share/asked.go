package share

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Who may push to a remote may ask there that others forget. What was written here is then hidden
// until somebody here has said yes. What came from elsewhere is deleted unasked, within limits over
// all syncs since the last yes: a tenth of all entries, at least followEntries, but never half of them,
// and followTexts texts. Entries are counted one by one: totals can be forged. Entries and topics that
// lose texts have a limit like that of entries: a single line may be in all of them.
const (
	followEntries = 10
	followTexts   = 100
)

// followBytes is what expunged.txt may have with the tombstones of others, unasked. The rest of its limit is for
// what is expunged here.
const followBytes = doc.MaxExpunged / 2

// unaskedName is the file of local state that counts what was deleted unasked.
const unaskedName = "unasked.json"

type unasked struct {
	Entries  int `json:"entries"`
	Texts    int `json:"texts"`
	Redacted int `json:"redacted"` // entries and topics that lost texts
}

func (ex *exchanger) readUnasked() (f unasked, err error) {
	_, bad, err := ex.s.ReadState(unaskedName, &f)
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
	return s.Repo().WriteStateFile(unaskedName, append(data, '\n'))
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
	if e.Empty() {
		return true, nil
	}
	var res expunge.Result
	if err := expunge.Describe(ctx, ex.s, e, &res); err != nil {
		return false, err
	}
	before, err := ex.readUnasked()
	if err != nil {
		return false, err
	}
	now := unasked{before.Entries + res.Entries, before.Texts + res.Texts, before.Redacted + res.Redacted}
	all := res.All + before.Entries
	most := min(max(followEntries, all/10), all/2)
	if now.Entries > most || now.Redacted > most || now.Texts > followTexts {
		return false, nil
	}
	if ex.rehearsal || !ex.merge || ex.dry || now == before {
		return true, nil
	}
	return true, writeUnasked(ex.s, now)
}

// hide keeps what must not go without consent, out of sight, and returns the other tombstones.
func (ex *exchanger) hide(ctx context.Context, e, asked doc.Expunged) (doc.Expunged, error) {
	if asked.Empty() {
		return e, nil
	}
	_, warnings, err := expunge.Hide(ctx, ex.s, ex.o.Writer, asked, ex.peer.Name, ex.askedBy)
	ex.res.Warnings = append(ex.res.Warnings, warnings...)
	return e.Except(asked), err
}

// heardName is the file of local state that says how much of the list of what was written here was compared with the
// tombstones, see [store.Store.WrittenSince].
const heardName = "heard.json"

type heard struct {
	Bytes int64 `json:"bytes"`
}

// hideWritten hides what was written here after a tombstone had named it: who may push may name a text that nobody
// has yet. Elsewhere it would go from what comes, and only here nobody would see that. It reads what was written since
// the last time, and reports whether refs moved.
func (ex *exchanger) hideWritten(ctx context.Context, ours *remote.RefSet) (bool, error) {
	known, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil || known.InForce() == 0 {
		return false, err
	}
	var before heard
	found, bad, err := ex.s.ReadState(heardName, &before)
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
	if !again.Empty() {
		if moved, err := ex.hideAgain(ctx, again, ours.Roadmap); err != nil || ex.rehearsal {
			return false, err
		} else if moved {
			return true, nil // the next round reads the rewritten commits, and then writes down that all are compared
		}
	}
	if ex.rehearsal {
		return false, nil
	}
	data, err := json.Marshal(heard{end})
	if err != nil {
		return false, err
	}
	return false, ex.s.Repo().WriteStateFile(heardName, append(data, '\n'))
}

// hideAgain does what some tombstones of ours ask, and reports whether anything here contained what they name.
func (ex *exchanger) hideAgain(ctx context.Context, again doc.Expunged, roadmap git.ID) (bool, error) {
	name := prose.ShellWord(ex.peer.Name)
	switch {
	case !ex.merge:
		return false, fail.New(fail.ErrRefused, fail.ExpungedElsewhere,
			fmt.Sprintf("what was written here has %s that '%s' has expunged", expunge.AskedText(again), ex.peer.Name),
			SyncCommand(name))
	case ex.rehearsal:
		ex.warn(fmt.Sprintf("what was written here has %s that '%s' has expunged; %s hides it until you answer",
			expunge.AskedText(again), ex.peer.Name, SyncCommand(name)))
		return false, nil
	case ex.peer.Accepts:
		op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer, Result: resultOf(again)}
		err := op.Run(ctx, doc.Expunged{})
		ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
		return op.Result.Commits > 0, err
	}
	request, warnings, err := expunge.Hide(ctx, ex.s, ex.o.Writer, again, ex.peer.Name, roadmap)
	ex.res.Warnings = append(ex.res.Warnings, warnings...)
	return request != nil, err
}

// AnswerCommand returns the command that lists what a remote asks to forget.
func AnswerCommand(name string) string {
	return "git context expunge --from " + prose.ShellWord(name) + " --dry-run"
}

// tellRequests warns of what the other side asks to forget and nobody has answered.
func (ex *exchanger) tellRequests(ctx context.Context) error {
	list, err := expunge.RequestsOf(ctx, ex.s, ex.peer.Name)
	if err != nil || len(list) == 0 {
		return err
	}
	var asked doc.Expunged
	for _, r := range list {
		asked = asked.Union(r.Asked)
	}
	ex.warn(fmt.Sprintf("'%s' asks to forget %s; it is hidden and kept here until you answer: %s", ex.peer.Name,
		expunge.AskedText(asked), AnswerCommand(ex.peer.Name)))
	return nil
}

// errAsked is the error for a remote that has old history while nobody has answered what it asks.
func (ex *exchanger) errAsked(refs string) error {
	name := prose.ShellWord(ex.peer.Name)
	return fail.New(fail.ErrRefused, fail.ExpungeAsked,
		fmt.Sprintf("'%s' asks to forget what it still contains itself, in %s; these refs are not pushed until you answer", ex.peer.Name, refs),
		AnswerCommand(ex.peer.Name), "git context expunge --from "+name+" --yes", "git context expunge --from "+name+" --refuse")
}
