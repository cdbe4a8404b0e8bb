package share

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
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
