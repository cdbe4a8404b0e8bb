// Package expunge removes a text, or single entries, from a repository's memory: from every
// memory commit, note, journal, reflog and object, and from local state that quotes them.
//
// What is removed is written down as tombstones (see [doc.Expunged]) in expunged.txt of the
// roadmap: ids of entries, hashes of texts and of replaced commits, never the text. A
// [Rewriter] makes the same new history of the same old history and tombstones in every clone.
//
// The package reads all refs of memory with their history, the notes, local state and, to warn,
// git's own files and the messages of code commits. It writes objects, moves refs in one
// transaction, filters journals, empties reflogs, deletes objects, and keeps these files of
// local state:
//
//	expunge.json    an expunge that is under way, see [Intent]
//	written         kept by package store: which commits were made here
//	forgotten       kept by package store: the sources of steps that went
//	roadmaps        what commits of the roadmap were replaced by, see [RoadmapsName]
//	unasked.json    how much was removed because remotes asked for it
//	expunged.txt    the tombstones of what was expunged here, see [HereName]
//	hidden          which texts were replaced in which entries, see [store.HiddenName]
//	tags            the commits of tags before they moved, see [TagsName]
//	heard.json      how much of written was compared with the tombstones
//	held/REMOTE     what a remote still has of old history, see [DirtyState]
//	clean/REMOTE    which refs of a remote contain nothing expunged, and which are refused, see [CleanState]
//
// Errors are of package fail: ErrInvalid for options that make no sense, ErrNotFound where
// nothing matches, ErrRefused where the result would be unsafe or incomplete, as in memory that a
// shallow clone has in part (nothing has been changed then), ErrStale where other processes kept making refs, ErrNoMemory.
//
// One lock lets one expunge run at a time. Readers and Record run beside it; commands that
// write wait. A process that is killed loses nothing: [Finish], which every writer calls,
// completes its work.
package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Options describe one expunge. Exactly one of Match and ID must be set.
type Options struct {
	store.Writer
	Match  string // a piece of text, exactly; it may span lines
	ID     string // of a step, any name of a commit, or artifacts/HASH for an attachment, with 12 digits or more
	Why    string // the reason, which everybody who shares the memory can read
	DryRun bool   // only say what would go
	Yes    bool   // do not ask Consent; also where everything would go, or the text is short

	// Consent is asked before anything changes, with what would go, and may refuse; no lock is held. nil:
	// Run itself refuses where everything would go or the text is short.
	Consent func(Result) error
}

// Entry describes a removed entry without quoting it.
type Entry struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`   // "step" or "commit"
	Branch  string    `json:"branch"` // that recorded it
	Time    time.Time `json:"time"`
	Pending bool      `json:"pending"` // was not committed yet
}

// shortMatch is the number of characters below which a text needs Yes or Consent.
const shortMatch = 4

// Run removes a text or an entry from this repository. It removes steps and commits whose own
// words contain the text, and redacts the text everywhere else. The result's Warnings and
// Remotes name what this repository cannot clean.
//
// fail.ErrNotFound: nothing contains it. fail.ErrRefused: neither Yes nor Consent allows it, or
// something would still contain the text, which the error names; nothing was changed.
// Run reads memory's whole history a few times. Writers wait meanwhile; Record does not. If the
// process is killed, the next command that writes finishes the work.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	res := Result{IDs: []string{}, Remotes: []DirtyRemote{}, DryRun: o.DryRun}
	if err := o.check(); err != nil {
		return res, err
	}
	if names, err := s.BranchNames(ctx); err != nil || len(names) == 0 {
		return res, errors.Join(err, noMemoryIf(err == nil))
	}
	if err := refuseSearch(ctx, s); err != nil {
		return res, err
	}
	if !o.DryRun {
		// an interrupted run may have removed this very text
		if err := Finish(ctx, s, o.Writer); err != nil {
			return res, err
		}
		dropped, err := DropUnsoundTracking(ctx, s, o.Writer)
		if err != nil {
			return res, err
		}
		res.Warnings = append(res.Warnings, dropped...)
	}
	f, err := find(ctx, s, o)
	if err != nil {
		return res, err
	}
	if err := f.result(&res); err != nil {
		return res, err
	}
	if f.match.in(o.Why) {
		return res, fail.New(fail.ErrInvalid, fail.ExpungeWhy, "the reason contains the text to forget; others could read it there")
	}
	known, err := Tombstones(ctx, s)
	if err != nil {
		return res, err
	}
	if known.Spent(f.expunged) {
		return res, fail.New(fail.ErrRefused, fail.ExpungeSpent,
			"'"+doc.ExpungedFile+"' says that it was brought back so often that it can no longer be expunged; anybody who may push can write that",
			"git show "+git.RoadmapRef+":"+doc.ExpungedFile)
	}
	if o.DryRun {
		return f.preview(ctx, res)
	}
	if err := f.consent(ctx, o, res); err != nil {
		return res, err
	}
	op := &Operation{Store: s, Writer: o.Writer, Result: res, Check: f.check, why: o.Why}
	op.intent.addOld(f.objects...)
	if err := op.runAlone(ctx, known.Again(f.expunged)); err != nil {
		return op.Result, err
	}
	if n := op.Rewriter.unsigned; n > 0 {
		op.warn("the signatures of %s are gone: a clone that asks for signatures refuses those that it never had before, until one sync there "+
			"with context.<remote>.verify=warn", prose.Count(n, "rewritten commit"))
	}
	op.Result.Remotes = slices.Clip(op.Result.Remotes)
	err = f.leftovers(ctx, op)
	return op.Result, err
}

// preview adds to what was found what else would change.
func (f *finder) preview(ctx context.Context, res Result) (Result, error) {
	res.DryRun, res.Warnings, res.Remotes = true, slices.Clone(res.Warnings), []DirtyRemote{}
	if err := Preview(ctx, f.s, f.expunged, f.check, &res); err != nil {
		return res, err
	}
	op := &Operation{Store: f.s, Result: res}
	err := f.previewLeftovers(ctx, op)
	return op.Result, err
}

// consent asks before what was found goes.
func (f *finder) consent(ctx context.Context, o Options, res Result) error {
	switch {
	case o.Yes:
		return nil
	case o.Consent != nil:
		would, err := f.preview(ctx, res)
		if err != nil {
			return err
		}
		return o.Consent(would)
	case f.everything():
		return fail.New(fail.ErrRefused, fail.ConsentNeeded,
			fmt.Sprintf("%s would be removed", allEntries(len(f.all))), consentHint)
	}
	return nil
}

const consentHint = "add --dry-run to see what would go, --yes to go on"

func allEntries(n int) string {
	switch n {
	case 1:
		return "the one step or commit"
	case 2:
		return "both steps and commits"
	}
	return fmt.Sprintf("all %d steps and commits", n)
}

func noMemoryIf(none bool) error {
	if none {
		return fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	return nil
}

// check refuses options that make no sense. No message repeats the text.
func (o Options) check() error {
	hash, isFile := strings.CutPrefix(o.ID, doc.ArtifactDir+"/")
	asked := o.Yes || o.DryRun || o.Consent != nil
	switch {
	case (o.Match == "") == (o.ID == ""):
		return fail.New(fail.ErrInvalid, fail.ExpungeWhat, "nothing to expunge: a text or an id is needed",
			"git context expunge --match TEXT", "git context expunge --id ID")
	case isFile && (len(hash) < leastHash || strings.Trim(hash, "0123456789abcdef") != ""):
		return fail.New(fail.ErrInvalid, fail.ExpungeWhat, "an attachment is named by at least 12 digits of its hash", "git context expunge --id artifacts/HASH")
	case o.Match != "" && strings.TrimSpace(o.Match) == "":
		return fail.New(fail.ErrInvalid, fail.MatchEmpty, "the text to forget contains only white space")
	case o.Match != "" && strings.Contains(redaction(), o.Match):
		return fail.New(fail.ErrInvalid, fail.MatchRedaction,
			"the text is part of the placeholder that replaces expunged texts, '"+redaction()+"'", "git context expunge --match LONGER-TEXT")
	case o.Match != "" && ShortMatch(o.Match) && !asked:
		return fail.New(fail.ErrRefused, fail.ConsentNeeded,
			fmt.Sprintf("a text of fewer than %d characters may occur in many places", shortMatch), consentHint)
	}
	return nil
}

// ShortMatch reports whether a text is so short that it is likely to occur in many places.
func ShortMatch(text string) bool { return utf8.RuneCountInString(text) < shortMatch }

// newTips returns the rewritten tips, sorted, each once.
func newTips(now map[git.ID]git.ID) []git.ID {
	var ids []git.ID
	for _, id := range now {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// redaction returns an example of the text that replaces a redacted one.
func redaction() string {
	var e doc.Expunged
	e.AddText("x")
	return e.RedactText("x")
}
