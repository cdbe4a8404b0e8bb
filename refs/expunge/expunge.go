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
	"github.com/git-context/git-context/refs/store"
)

// ExpungeOptions are one act of forgetting: either Match or ID is set.
type Options struct {
	store.Writer
	Match  string // a piece of text, exactly; it may span lines
	ID     string // of a step, or a milestone by any of its names
	DryRun bool   // only say what would go
	Yes    bool   // also where everything would go, or the text is short
}

// Entry is what is said of an entry that goes: nothing of its texts.
type Entry struct {
	ID, Kind string // step or milestone
	Branch   string // that recorded it
	Time     time.Time
	Pending  bool // was not committed yet
}

// shortMatch is the length, in characters, below which a text may stand anywhere.
const shortMatch = 4

// Expunge removes a text, or an entry, from every memory commit, note, journal, reflog and
// object of this repository: steps and milestones that hold the text in their own words
// are removed, all else that holds it is redacted. What cannot be cleaned from here is in
// the result's warnings and remotes.
//
// fail.ErrNotFound: nothing holds it. fail.ErrRefused: it is everything, and Yes is not set; or
// it would still stand somewhere, which the error names, and nothing was changed.
// It takes a few passes over all of memory's history. Writers wait meanwhile, Record
// does not. Killed at any moment, it is finished by the next command that writes.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	res := Result{IDs: []string{}, Remotes: []DirtyRemote{}, DryRun: o.DryRun}
	if err := o.check(); err != nil {
		return res, err
	}
	if names, err := s.BranchNames(ctx); err != nil || len(names) == 0 {
		return res, errors.Join(err, noMemoryIf(err == nil))
	}
	if !o.DryRun {
		if err := Finish(ctx, s, o.Writer); err != nil { // it may be this very one, of which no text is left to be found
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
	if o.DryRun {
		if err := Preview(ctx, s, f.expunged, f.check, &res); err != nil {
			return res, err
		}
		x := &Operation{Store: s, Result: res}
		err := f.previewLeftovers(ctx, x)
		return x.Result, err
	}
	if f.everything() && !o.Yes {
		return res, fail.New(fail.ErrRefused, fail.ExpungeEverything,
			fmt.Sprintf("%s that there are would go", allEntries(len(f.all))), "add --dry-run to see what would go, --yes to go on")
	}
	x := &Operation{Store: s, Writer: o.Writer, Result: res, Check: f.check}
	x.intent.addOld(f.objects...)
	if err := x.Run(ctx, f.expunged); err != nil {
		return x.Result, err
	}
	x.Result.Remotes = slices.Clip(x.Result.Remotes)
	err = f.leftovers(ctx, x)
	return x.Result, err
}

func allEntries(n int) string {
	switch n {
	case 1:
		return "the one step or milestone"
	case 2:
		return "both steps and milestones"
	}
	return fmt.Sprintf("all %d steps and milestones", n)
}

func noMemoryIf(none bool) error {
	if none {
		return fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	return nil
}

// check refuses what cannot be meant. No message repeats the text.
func (o Options) check() error {
	short := utf8.RuneCountInString(o.Match) < shortMatch
	switch {
	case (o.Match == "") == (o.ID == ""):
		return fail.New(fail.ErrInvalid, fail.ExpungeWhat, "what is to be forgotten? a text or an id", "git context expunge --match TEXT", "git context expunge --id ID")
	case o.Match != "" && strings.TrimSpace(o.Match) == "":
		return fail.New(fail.ErrInvalid, fail.MatchEmpty, "the text to forget is nothing but white space")
	case o.Match != "" && strings.Contains(redaction(), o.Match):
		return fail.New(fail.ErrInvalid, fail.MatchRedaction, "the text is part of what stands in the place of a forgotten text")
	case o.Match != "" && short && !o.Yes && !o.DryRun:
		return fail.New(fail.ErrRefused, fail.MatchShort, fmt.Sprintf("a text of fewer than %d characters may stand in many places", shortMatch),
			"add --dry-run to see what would go, --yes to go on")
	}
	return nil
}

// newTips are the new tips, each once.
func newTips(now map[git.ID]git.ID) []git.ID {
	var ids []git.ID
	for _, id := range now {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// redaction is what stands in the place of a piece of text.
func redaction() string {
	var e doc.Expunged
	e.AddText("x")
	return e.RedactText("x")
}
